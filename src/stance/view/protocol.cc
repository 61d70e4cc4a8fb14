#include "stance/view/protocol.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/contact/law.h"

namespace stance::view {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// ---- reading ------------------------------------------------------------------------------------

constexpr std::size_t kMostChannels = 64;
constexpr double kFarthest = 1e6;  // m, N and so on: beyond is a slip of some program
// of what hands do
constexpr double kLargestBody = 100.0, kLongestReach = 1e4;  // m
constexpr double kMostForce = 1e5;                           // N

struct Wrong {
  std::string what;
};

const json& member(const json& in, const char* key) {
  const auto it = in.find(key);
  if (it == in.end()) throw Wrong{fmt::format("'{}' is missing", key)};
  return *it;
}

double number_in(const json& value, const char* key, double low, double high) {
  if (!value.is_number()) throw Wrong{fmt::format("'{}' is not a number", key)};
  const double out = value.get<double>();
  if (!(out >= low && out <= high))
    throw Wrong{fmt::format("'{}' must be between {:g} and {:g}", key, low, high)};
  return out;
}

double read_number(const json& in, const char* key, double low = -kFarthest,
                   double high = kFarthest) {
  return number_in(member(in, key), key, low, high);
}

std::string text_in(const json& value, const char* key) {
  constexpr std::size_t kLongest = 1024;
  if (!value.is_string()) throw Wrong{fmt::format("'{}' is not a text", key)};
  const auto& out = value.get_ref<const std::string&>();
  if (out.size() > kLongest) throw Wrong{fmt::format("'{}' is too long", key)};
  return out;
}

std::string read_text(const json& in, const char* key) { return text_in(member(in, key), key); }

bool read_flag(const json& in, const char* key) {
  const json& value = member(in, key);
  if (!value.is_boolean()) throw Wrong{fmt::format("'{}' is not true or false", key)};
  return value.get<bool>();
}

Vec3d read_vector(const json& in, const char* key, double most = kFarthest) {
  const json& value = member(in, key);
  if (!value.is_array() || value.size() != 3)
    throw Wrong{fmt::format("'{}' is not three numbers", key)};
  Vec3d out;
  for (int k = 0; k < 3; ++k)
    out.set(k, number_in(value[static_cast<std::size_t>(k)], key, -most, most));
  return out;
}

// A value that may be null.
std::optional<double> read_optional_number(const json& in, const char* key) {
  const json& value = member(in, key);
  if (value.is_null()) return {};
  return number_in(value, key, -kFarthest, kFarthest);
}

scene::ShapeSpec read_shape(const json& shape) {
  if (!shape.is_object()) throw Wrong{"'shape' is not an object"};
  const std::string kind = read_text(shape, "kind");
  const std::size_t wanted = kind == "box"                             ? 3
                             : kind == "capsule" || kind == "cylinder" ? 2
                             : kind == "sphere"                        ? 1
                                                                       : 0;
  if (wanted == 0) throw Wrong{"'shape.kind' is none of box, sphere, capsule, cylinder"};
  const json& list = member(shape, "size");
  if (!list.is_array() || list.size() != wanted)
    throw Wrong{fmt::format("'shape.size' of a {} has {} numbers", kind, wanted)};
  std::vector<double> size;
  for (const json& value : list) size.push_back(number_in(value, "shape.size", 1e-3, 100.0));
  if (kind == "sphere") return scene::SphereSpec{size[0]};
  if (kind == "box") return scene::BoxSpec{{size[0], size[1], size[2]}};
  if (kind == "capsule") return scene::CapsuleSpec{size[0], size[1]};
  return scene::CylinderSpec{size[0], size[1]};
}

// ---- one function per message that has members

Ask read_step(const json& in) {
  if (!in.contains("count")) return ask::Step{};
  return ask::Step{static_cast<int>(read_number(in, "count", 1, 10000))};
}

Ask read_speed(const json& in) {
  const double factor = read_number(in, "factor", 0.0, 10.0);
  if (factor != 0.0 && factor < 0.1)
    throw Wrong{"'factor' must be 0 (as fast as it goes) or between 0.1 and 10"};
  return ask::Speed{factor};
}

Ask read_drag(const json& in) {
  ask::Drag out{read_text(in, "body")};
  out.point = read_vector(in, "point", kLargestBody);
  out.target = read_vector(in, "target", kLongestReach);
  return out;
}

Ask read_push(const json& in) {
  ask::Push out{read_text(in, "body")};
  out.seconds = read_number(in, "seconds", 0.0, 60.0);
  out.point = read_vector(in, "point", kLargestBody);
  out.force = read_vector(in, "force", kMostForce);
  return out;
}

Ask read_select(const json& in) {
  const json& body = member(in, "body");
  return body.is_null() ? ask::Select{} : ask::Select{text_in(body, "body")};
}

Ask read_add(const json& in) {
  ask::Add out{read_shape(member(in, "shape"))};
  out.mass = read_number(in, "mass", 1e-6, kFarthest);
  out.position = read_vector(in, "position"), out.velocity = read_vector(in, "velocity");
  return out;
}

Ask read_watch(const json& in) {
  ask::Watch out;
  const json& channels = member(in, "channels");
  if (!channels.is_array()) throw Wrong{"'channels' is not a list"};
  if (channels.size() > kMostChannels)
    throw Wrong{fmt::format("at most {} channels can be watched", kMostChannels)};
  for (const json& value : channels) out.channels.push_back(text_in(value, "channels"));
  out.joints = read_flag(in, "joints");
  return out;
}

Ask read_set(const json& in) {
  ask::Set out{read_text(in, "name")};
  out.value = read_number(in, "value", -1e12, 1e12);
  return out;
}

Ask read_target(const json& in) {
  ask::Target out{read_text(in, "joint")};
  out.value = read_optional_number(in, "value");
  return out;
}

struct Type {
  std::string_view name;
  Ask (*read)(const json& in);
};
constexpr Type kTypes[] = {
    {"pause", [](const json&) -> Ask { return ask::Pause{}; }},
    {"play", [](const json&) -> Ask { return ask::Play{}; }},
    {"reset", [](const json&) -> Ask { return ask::Reset{}; }},
    {"release", [](const json&) -> Ask { return ask::Release{}; }},
    {"step", read_step},
    {"speed", read_speed},
    {"load", [](const json& in) -> Ask { return ask::Load{read_text(in, "file")}; }},
    {"set", read_set},
    {"law", [](const json& in) -> Ask { return ask::Law{read_text(in, "law")}; }},
    {"gravity", [](const json& in) -> Ask { return ask::Gravity{read_vector(in, "value")}; }},
    {"drag", read_drag},
    {"push", read_push},
    {"select", read_select},
    {"add", read_add},
    {"remove", [](const json& in) -> Ask { return ask::Remove{read_text(in, "body")}; }},
    {"target", read_target},
    {"watch", read_watch},
    {"seek", [](const json& in) -> Ask { return ask::Seek{read_optional_number(in, "time")}; }},
    {"continue", [](const json& in) -> Ask { return ask::Continue{read_number(in, "time")}; }},
    {"record", [](const json& in) -> Ask { return ask::Record{read_flag(in, "on")}; }},
};
static_assert(std::size(kTypes) == std::variant_size_v<Ask>);

// Nesting is counted before the parser sees the text: it builds what it reads.
bool is_deep(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > 8) return true;
  }
  return false;
}

}  // namespace

ReadRequest read_request(std::string_view text) {
  ReadRequest out;
  try {
    if (text.size() > kLongestMessage) throw Wrong{"the message is too long"};
    if (is_deep(text)) throw Wrong{"the message is nested too deeply"};
    const json in = json::parse(text, nullptr, false);
    if (in.is_discarded() || !in.is_object()) throw Wrong{"this is not a JSON object"};
    if (const auto id = in.find("id"); id != in.end() && id->is_number()) {
      const double value = id->get<double>();
      if (std::isfinite(value)) out.id = value;
    }
    const std::string type = read_text(in, "type");
    Request request;
    const auto known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                    [&](const Type& each) { return each.name == type; });
    if (known == std::end(kTypes)) throw Wrong{fmt::format("there is no request '{}'", type)};
    if (!out.id) throw Wrong{"'id' is not a number"};
    request.id = *out.id;
    try {
      request.what = known->read(in);
    } catch (const Wrong& wrong) {
      throw Wrong{fmt::format("{}: {}", type, wrong.what)};
    }
    out.request = std::move(request);
  } catch (const Wrong& wrong) {
    out.problem = wrong.what;
  } catch (const std::exception& error) {  // of the JSON library
    out.problem = "the message cannot be read";
  }
  return out;
}

// ---- writing ------------------------------------------------------------------------------------

namespace {

// Text from files and viewers may be no UTF-8: what is wrong is replaced.
std::string dump(const ordered_json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <class T>
ordered_json list3(const T& v) {
  return {double(v[0]), double(v[1]), double(v[2])};
}

}  // namespace

std::string write_hello(std::string_view version, int viewer,
                        const std::vector<SceneEntry>& scenes) {
  ordered_json out = {
      {"type", "hello"},  {"protocol", kProtocol},           {"version", version},
      {"viewer", viewer}, {"scenes", ordered_json::array()}, {"laws", ordered_json::array()}};
  for (const SceneEntry& scene : scenes)
    out["scenes"].push_back({{"file", scene.file}, {"about", scene.about}});
  for (const std::string_view law : contact::contact_law_names()) out["laws"].push_back(law);
  return dump(out);
}

namespace {

// JSON has no word for a number that was lost.
double make_finite(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::max();
}

}  // namespace

bool differs_at_once(const Status& before, const Status& now) {
  // what moves by itself is told once a second
  Status same = before;
  same.from = now.from, same.to = now.to, same.trust = now.trust;
  if (!(same == now)) return true;
  // counts likewise, but for the first of a kind: frames say what goes wrong, picture by picture
  const Trust &a = before.trust, &b = now.trust;
  const auto is_first = [](std::int64_t was, std::int64_t is) { return (was == 0) != (is == 0); };
  return is_first(a.steps, b.steps) || is_first(a.not_converged, b.not_converged) ||
         is_first(a.refused, b.refused) || is_first(a.contacts_dropped, b.contacts_dropped) ||
         is_first(a.contacts_missed, b.contacts_missed);
}

std::string write_status(const Status& status, int viewers) {
  const Trust& trust = status.trust;
  ordered_json out = {
      {"type", "status"},
      {"paused", status.is_paused},
      {"speed", status.speed},
      {"law", contact::contact_law_name(static_cast<contact::ContactLaw>(status.law))},
      {"gravity", list3(status.gravity)},
      {"recording", status.is_recording},
      {"from", status.from},
      {"to", status.to},
      {"at", nullptr},
      {"viewers", viewers},
      {"trust",
       {{"steps", trust.steps},
        {"not_converged", trust.not_converged},
        {"refused", trust.refused},
        {"contacts_dropped", trust.contacts_dropped},
        {"contacts_missed", trust.contacts_missed},
        {"residual", make_finite(trust.residual)},
        {"distance", make_finite(trust.distance)},
        {"gap_velocity", make_finite(trust.gap_velocity)},
        {"impulse_error", make_finite(trust.impulse_error)},
        {"energy_error", make_finite(trust.energy_error)}}}};
  if (status.is_past) out["at"] = status.at;
  return dump(out);
}

std::string write_event(double time, std::string_view kind, std::string_view text) {
  return dump({{"type", "event"}, {"time", time}, {"kind", kind}, {"text", text}});
}

std::string write_error(std::optional<double> re, const std::string& text, const Place& place) {
  ordered_json out;
  out["type"] = "error";
  if (re) out["re"] = *re;
  // the place stands in members of its own
  const std::string before = place.text().empty() ? "" : place.text() + ": ";
  out["text"] = !before.empty() && text.starts_with(before) ? text.substr(before.size()) : text;
  if (!place.file.empty()) out["file"] = place.file;
  if (place.line > 0) out["line"] = place.line;
  if (place.column > 0) out["column"] = place.column;
  return dump(out);
}

std::string write_ok(double re, const OkDetails& details) {
  ordered_json out = {{"type", "ok"}, {"re", re}};
  if (const auto* added = std::get_if<AddedBody>(&details)) out["body"] = added->name;
  if (const auto* watch = std::get_if<BegunWatch>(&details))
    out["watch"] = watch->number, out["columns"] = watch->columns;
  return dump(out);
}

std::string write_selected(const Selection& s, const std::vector<std::string>& bodies) {
  const auto name = [&](int body) {
    return body >= 0 && body < static_cast<int>(bodies.size()) ? bodies[body] : std::string();
  };
  ordered_json out = {{"type", "selected"},
                      {"body", name(s.body)},
                      {"mass", s.mass},
                      {"velocity", list3(s.velocity)},
                      {"spin", list3(s.spin)},
                      {"force", list3(s.force)},
                      {"torque", list3(s.torque)},
                      {"contacts", ordered_json::array()}};
  for (int k = 0; k < s.contact_count; ++k) {
    const Selection::Contact& c = s.contacts[k];
    out["contacts"].push_back({{"with", name(c.with)},
                               {"force", list3(c.force)},
                               {"normal", list3(c.normal)},
                               {"slip", c.slip}});
  }
  return dump(out);
}

}  // namespace stance::view
