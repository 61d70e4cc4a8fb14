#include "stance/io/input_json.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/io/contact_law.h"
#include "stance/io/scene.h"
#include "stance/io/scene_json.h"
#include "stance/kernel/error.h"
#include "stance/kernel/names.h"
#include "stance/kernel/overloaded.h"

namespace stance::io {
namespace {

using Json = nlohmann::ordered_json;
using What = decltype(run::Change::what);
using kernel::Overloaded;
using kernel::Vec3d;

Json write_vector(const Vec3d& v) { return {v[0], v[1], v[2]}; }

// The keys that a kind has, with what they are when left out.
struct Reader {
  const Json& in;
  std::vector<std::string_view> known = {"source"};

  std::string text(const char* key, bool is_needed) {
    known.push_back(key);
    if (!in.contains(key) && is_needed) throw Error(fmt::format("an input needs '{}'", key));
    if (!in.contains(key)) return "";
    if (!in.at(key).is_string()) throw Error(fmt::format("'{}' of an input is a text", key));
    return in.at(key).get<std::string>();
  }
  double number(const char* key) {
    known.push_back(key);
    if (!in.contains(key) || !in.at(key).is_number())
      throw Error(fmt::format("an input needs the number '{}'", key));
    return in.at(key).get<double>();
  }
  Vec3d vector(const char* key) {
    known.push_back(key);
    if (!in.contains(key)) return {0.0, 0.0, 0.0};
    const Json& list = in.at(key);
    if (!list.is_array() || list.size() != 3 || !list[0].is_number() || !list[1].is_number() ||
        !list[2].is_number())
      throw Error(fmt::format("'{}' of an input is a list of three numbers", key));
    return {list[0].get<double>(), list[1].get<double>(), list[2].get<double>()};
  }
  kernel::Quat<double> quaternion(const char* key) {
    known.push_back(key);
    if (!in.contains(key)) return {};
    const Json& list = in.at(key);
    if (!list.is_array() || list.size() != 4 ||
        !std::all_of(list.begin(), list.end(), [](const Json& x) { return x.is_number(); }))
      throw Error(fmt::format("'{}' of an input is a list of four numbers, w x y z", key));
    return {list[0].get<double>(), list[1].get<double>(), list[2].get<double>(),
            list[3].get<double>()};
  }
  // As text, or as JSON, which is text of a scene too.
  std::string object(const char* key) {
    if (!in.contains(key) || !in.at(key).is_object()) return text(key, true);
    known.push_back(key);
    return in.at(key).dump();
  }
  // Several of them, by their names.
  scene::AddObjects objects(const char* key) {
    known.push_back(key);
    if (!in.at(key).is_object()) throw Error(fmt::format("'{}' of an input are named", key));
    scene::AddObjects out;
    for (const auto& [name, object] : in.at(key).items()) {
      scene::AddObjects one = parse_object(name, object.dump());
      for (scene::ObjectSpec& spec : one.objects) out.objects.push_back(std::move(spec));
      out.sources.merge(one.sources);
    }
    return out;
  }
  void finish() const {
    for (const auto& [key, value] : in.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::string_view nearest = kernel::find_nearest_name(key, known);
      throw Error(fmt::format("an input of this kind has no key '{}'{}", key,
                              nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest)));
    }
  }
};

What read_wrench(Reader& reader) {
  sim::PushBody out{reader.text("body", true)};
  out.point = reader.vector("point"), out.force = reader.vector("force");
  out.torque = reader.vector("torque");
  return out;
}

What read_drag(Reader& reader) {
  sim::DragBody out{reader.text("body", true)};
  out.point = reader.vector("point"), out.to = reader.vector("to");
  out.velocity = reader.vector("velocity");
  if (reader.in.contains("stiffness")) out.stiffness = reader.number("stiffness");
  out.orientation = reader.quaternion("orientation");
  if (reader.in.contains("turning")) out.turning = reader.number("turning");
  return out;
}

What read_target(Reader& reader) {
  sim::SetTarget out{reader.text("joint", true)};
  out.value = reader.number("value");
  return out;
}

What read_torque(Reader& reader) {
  sim::SetTorque out{reader.text("joint", true)};
  out.value = reader.number("value");
  return out;
}

What read_probe(Reader& reader) { return sim::PlaceProbe{reader.vector("at")}; }
What read_release(Reader& reader) { return sim::Release{reader.text("name", false)}; }

What read_add(Reader& reader) {
  const std::string name = reader.text("name", true);
  scene::AddObjects out = reader.in.contains("objects")
                              ? reader.objects("objects")
                              : parse_object(name, reader.object("object"));
  out.name = name;
  return out;
}

What read_remove(Reader& reader) { return scene::RemoveObject{reader.text("name", true)}; }
What read_gravity(Reader& reader) { return scene::SetGravity{reader.vector("value")}; }
What read_law(Reader& reader) { return scene::SetLaw{parse_contact_law(reader.text("law", true))}; }

struct Kind {
  std::string_view name;
  What (*read)(Reader& reader);
};
constexpr Kind kKinds[] = {
    {"wrench", read_wrench}, {"drag", read_drag},     {"target", read_target},
    {"torque", read_torque}, {"probe", read_probe},   {"release", read_release},
    {"add", read_add},       {"remove", read_remove}, {"gravity", read_gravity},
    {"law", read_law},
};

run::Change read_change(std::string_view name, const Json& in) {
  const Kind* const kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                        [&](const Kind& each) { return each.name == name; });
  if (kind == std::end(kKinds))
    throw Error(
        fmt::format("'{}' is no kind of input; there are wrench, drag, target, torque, probe, "
                    "release, add, remove, gravity and law",
                    name));
  if (!in.is_object()) throw Error("an input is an object with keys");
  Reader reader{in};
  run::Change out{reader.text("source", false)};
  out.what = kind->read(reader);
  reader.finish();
  return out;
}

// Calls f with the action or the edit itself.
template <class F>
auto visit_what(const run::Change& change, const F& f) {
  return std::visit([&](const auto& what) { return std::visit(f, what); }, change.what);
}

Json write_drag(const sim::DragBody& drag) {
  Json out = {{"body", drag.body},
              {"point", write_vector(drag.point)},
              {"to", write_vector(drag.to)},
              {"velocity", write_vector(drag.velocity)},
              {"stiffness", drag.stiffness}};
  if (drag.turning > 0.0) {
    const kernel::Quat<double>& turn = drag.orientation;
    out["orientation"] = {turn.w, turn.x, turn.y, turn.z};
    out["turning"] = drag.turning;
  }
  return out;
}

Json write_add(const scene::AddObjects& add) {
  Json out = {{"name", add.name}};
  const bool is_one = add.objects.size() == 1 && add.objects[0].name == add.name;
  for (const scene::ObjectSpec& object : add.objects)
    (is_one ? out["object"] : out["objects"][object.name]) = write_object(object);
  return out;
}

// All but the source.
Json write_what(const run::Change& change) {
  return visit_what(change, Overloaded{
                                [](const sim::PushBody& push) {
                                  return Json{{"body", push.body},
                                              {"point", write_vector(push.point)},
                                              {"force", write_vector(push.force)},
                                              {"torque", write_vector(push.torque)}};
                                },
                                [](const sim::DragBody& drag) { return write_drag(drag); },
                                [](const sim::SetTarget& target) {
                                  return Json{{"joint", target.joint}, {"value", target.value}};
                                },
                                [](const sim::SetTorque& torque) {
                                  return Json{{"joint", torque.joint}, {"value", torque.value}};
                                },
                                [](const sim::PlaceProbe& probe) {
                                  return Json{{"at", write_vector(probe.at)}};
                                },
                                [](const sim::Release& release) {
                                  return Json{{"name", release.name}};
                                },
                                [](const scene::AddObjects& add) { return write_add(add); },
                                [](const scene::RemoveObject& remove) {
                                  return Json{{"name", remove.name}};
                                },
                                [](const scene::SetGravity& set) {
                                  return Json{{"value", write_vector(set.gravity)}};
                                },
                                [](const scene::SetLaw& set) {
                                  return Json{{"law", contact_law_name(set.law)}};
                                },
                            });
}

}  // namespace

const char* change_kind(const run::Change& change) {
  return visit_what(change, Overloaded{
                                [](const sim::PushBody&) { return "wrench"; },
                                [](const sim::DragBody&) { return "drag"; },
                                [](const sim::SetTarget&) { return "target"; },
                                [](const sim::SetTorque&) { return "torque"; },
                                [](const sim::PlaceProbe&) { return "probe"; },
                                [](const sim::Release&) { return "release"; },
                                [](const scene::AddObjects&) { return "add"; },
                                [](const scene::RemoveObject&) { return "remove"; },
                                [](const scene::SetGravity&) { return "gravity"; },
                                [](const scene::SetLaw&) { return "law"; },
                            });
}

std::string write_change(const run::Change& change) {
  Json out = {{"source", change.source}};
  out.update(write_what(change));
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

run::Change parse_change(std::string_view kind, std::string_view json) {
  try {
    return read_change(kind, Json::parse(json));
  } catch (const nlohmann::json::exception&) {
    throw Error("an input is not JSON");
  }
}

std::vector<TimedChange> load_inputs(const std::string& file) {
  std::error_code code;
  if (std::filesystem::is_directory(file, code))
    throw Error({file}, "this is a folder; name a file with a line of JSON for every input");
  std::ifstream stream(file);
  if (!stream) throw Error({file}, "there is no such file");
  std::vector<TimedChange> out;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Place place{file, number};
    try {
      Json in = Json::parse(line);
      if (!in.is_object() || !in.contains("time") || !in.at("time").is_number() ||
          !in.contains("kind") || !in.at("kind").is_string())
        throw Error("an input has a number 'time' and a text 'kind'");
      const double time = in.at("time").get<double>();
      const std::string kind = in.at("kind").get<std::string>();
      in.erase("time"), in.erase("kind");
      if (!out.empty() && time < out.back().time)
        throw Error(
            fmt::format("{:g} s comes after {:g} s; inputs stand in order", time, out.back().time));
      if (time < 0.0) throw Error(fmt::format("{:g} s is before the start", time));
      out.push_back({time, read_change(kind, in), place});
    } catch (const nlohmann::json::exception&) {
      throw Error(place, "this line is not JSON");
    } catch (const Error& error) {
      throw Error(place, error.what());
    }
  }
  return out;
}

}  // namespace stance::io
