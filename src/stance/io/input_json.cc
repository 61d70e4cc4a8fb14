#include "stance/io/input_json.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/io/scene.h"
#include "stance/io/scene_json.h"
#include "stance/kernel/error.h"
#include "stance/kernel/names.h"

namespace stance::io {
namespace {

using Json = nlohmann::ordered_json;
using Kind = sim::InputChange::Kind;
using kernel::Vec3d;

constexpr Kind kKinds[] = {Kind::kWrench,  Kind::kDrag, Kind::kTarget, Kind::kTorque,  Kind::kProbe,
                           Kind::kRelease, Kind::kAdd,  Kind::kRemove, Kind::kGravity, Kind::kLaw};

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

sim::InputChange read_change(std::string_view kind, const Json& in) {
  sim::InputChange out;
  bool is_known = false;
  for (const Kind k : kKinds)
    if (kind == change_name(k)) out.kind = k, is_known = true;
  if (!is_known)
    throw Error(
        fmt::format("'{}' is no kind of input; there are wrench, drag, target, torque, probe, "
                    "release, add, remove, gravity and law",
                    kind));
  if (!in.is_object()) throw Error("an input is an object with keys");
  Reader reader{in};
  out.source = reader.text("source", false);
  switch (out.kind) {
    case Kind::kWrench:
      out.name = reader.text("body", true);
      out.point = reader.vector("point"), out.force = reader.vector("force");
      out.torque = reader.vector("torque");
      break;
    case Kind::kDrag:
      out.name = reader.text("body", true);
      out.point = reader.vector("point"), out.place = reader.vector("to");
      out.velocity = reader.vector("velocity");
      out.value = in.contains("stiffness") ? reader.number("stiffness") : 0.0;
      out.orientation = reader.quaternion("orientation");
      out.turning = in.contains("turning") ? reader.number("turning") : 0.0;
      break;
    case Kind::kTarget:
    case Kind::kTorque:
      out.name = reader.text("joint", true);
      out.value = reader.number("value");
      break;
    case Kind::kProbe: out.place = reader.vector("at"); break;
    case Kind::kRelease: out.name = reader.text("name", false); break;
    case Kind::kAdd:
      out.name = reader.text("name", true);
      out.added = std::make_shared<const scene::AddObjects>(
          in.contains("objects") ? reader.objects("objects")
                                 : parse_object(out.name, reader.object("object")));
      break;
    case Kind::kRemove: out.name = reader.text("name", true); break;
    case Kind::kGravity: out.gravity = reader.vector("value"); break;
    case Kind::kLaw: out.name = reader.text("law", true); break;
  }
  reader.finish();
  return out;
}

}  // namespace

std::string write_change(const sim::InputChange& change) {
  Json out;
  out["source"] = change.source;
  switch (change.kind) {
    case Kind::kWrench:
      out["body"] = change.name;
      out["point"] = write_vector(change.point);
      out["force"] = write_vector(change.force);
      out["torque"] = write_vector(change.torque);
      break;
    case Kind::kDrag:
      out["body"] = change.name;
      out["point"] = write_vector(change.point);
      out["to"] = write_vector(change.place);
      out["velocity"] = write_vector(change.velocity);
      out["stiffness"] = change.value;
      if (change.turning > 0.0) {
        const kernel::Quat<double>& turn = change.orientation;
        out["orientation"] = {turn.w, turn.x, turn.y, turn.z};
        out["turning"] = change.turning;
      }
      break;
    case Kind::kTarget:
    case Kind::kTorque: out["joint"] = change.name, out["value"] = change.value; break;
    case Kind::kProbe: out["at"] = write_vector(change.place); break;
    case Kind::kRelease:
    case Kind::kRemove: out["name"] = change.name; break;
    case Kind::kAdd: {
      out["name"] = change.name;
      const std::vector<scene::ObjectSpec>& objects = change.added->objects;
      const bool is_one = objects.size() == 1 && objects[0].name == change.name;
      for (const scene::ObjectSpec& object : objects)
        (is_one ? out["object"] : out["objects"][object.name]) = write_object(object);
      break;
    }
    case Kind::kGravity: out["value"] = write_vector(change.gravity); break;
    case Kind::kLaw: out["law"] = change.name; break;
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

sim::InputChange parse_change(std::string_view kind, std::string_view json) {
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
