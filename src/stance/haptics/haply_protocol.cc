#include "stance/haptics/haply_protocol.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/kernel/rotation.h"

namespace stance::haptics {
namespace {

using nlohmann::json;

Vec3d from_haply(const Vec3d& a) { return {a[1], -a[0], a[2]}; }
Vec3d to_haply(const Vec3d& a) { return {-a[1], a[0], a[2]}; }

const json* find(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

bool read_number(const json& object, const char* key, double& value) {
  const json* number = find(object, key);
  if (!number || !number->is_number()) return false;
  value = number->get<double>();
  return std::isfinite(value) && std::abs(value) < 1e6;
}

bool read_vector(const json& object, Vec3d& value) {
  double x, y, z;
  if (!read_number(object, "x", x) || !read_number(object, "y", y) || !read_number(object, "z", z))
    return false;
  value = from_haply({x, y, z});
  return true;
}

std::string read_text(const json& object, const char* key) {
  const json* text = find(object, key);
  if (!text) return {};
  if (text->is_string()) return text->get<std::string>();
  return text->is_number_integer() ? text->dump() : std::string();
}

bool parse(std::string_view text, json& out, std::string& trouble) {
  if (text.size() > kMostHaplyBytes) {
    trouble = fmt::format("a message of {} bytes, more than {}", text.size(), kMostHaplyBytes);
    return false;
  }
  out = json::parse(text.begin(), text.end(), nullptr, false);
  if (out.is_discarded() || !out.is_object()) {
    trouble = "a message that is no JSON object";
    return false;
  }
  return true;
}

void read_grip(const json& message, HaplyState& state) {
  for (const char* kind : {"wireless_verse_grip", "verse_grip", "custom_verse_grip"}) {
    const json* grips = find(message, kind);
    if (!grips || !grips->is_array() || grips->empty()) continue;
    const json* now = find(grips->front(), "state");
    if (!now) continue;
    double w, x, y, z;
    const json* turn = find(*now, "orientation");
    if (turn && read_number(*turn, "w", w) && read_number(*turn, "x", x) &&
        read_number(*turn, "y", y) && read_number(*turn, "z", z)) {
      const double size = std::sqrt(w * w + x * x + y * y + z * z);
      if (size > 1e-3) {
        const Vec3d axis = from_haply((1.0 / size) * Vec3d(x, y, z));
        state.orientation =
            kernel::make_rotation(kernel::Quat<double>{w / size, axis[0], axis[1], axis[2]});
        state.has_orientation = true;
      }
    }
    const auto press = [&](const json* button, std::uint32_t bit) {
      if (button && button->is_boolean() && button->get<bool>()) state.buttons |= bit;
    };
    press(find(*now, "button"), 1);
    if (const json* buttons = find(*now, "buttons")) {
      press(find(*buttons, "a"), 1);
      press(find(*buttons, "b"), 2);
      press(find(*buttons, "c"), 4);
    }
    return;
  }
}

}  // namespace

bool parse_haply_state(std::string_view text, HaplyState& state, std::string& trouble) {
  state = {};
  json message;
  if (!parse(text, message, trouble)) return false;
  state.session = read_text(message, "session_id");
  const json* devices = find(message, "inverse3");
  if (!devices) return true;
  if (!devices->is_array()) {
    trouble = "'inverse3' is no list of devices";
    return false;
  }
  if (devices->empty()) return true;
  const json& device = devices->front();
  state.device = read_text(device, "device_id");
  if (state.device.empty()) {
    trouble = "an Inverse3 without 'device_id'";
    return false;
  }
  const json* now = find(device, "state");
  if (!now) return true;
  const json* position = find(*now, "cursor_position");
  const json* velocity = find(*now, "cursor_velocity");
  if (!position || !read_vector(*position, state.position)) {
    trouble = "'cursor_position' is not three finite numbers x, y, z";
    return false;
  }
  if (velocity && !read_vector(*velocity, state.velocity)) {
    trouble = "'cursor_velocity' is not three finite numbers x, y, z";
    return false;
  }
  state.has_device = true;
  read_grip(message, state);
  return true;
}

void write_haply_force(std::string_view device, const Vec3d& force, std::string& text) {
  const Vec3d f = to_haply(force);
  text.clear();
  fmt::format_to(std::back_inserter(text),
                 R"({{"inverse3":[{{"device_id":{},"commands":{{"set_cursor_force":)"
                 R"({{"vector":{{"x":{:.6f},"y":{:.6f},"z":{:.6f}}}}}}}}}]}})",
                 json(device).dump(-1, ' ', true, json::error_handler_t::replace), f[0], f[1],
                 f[2]);
}

bool parse_haply_command(std::string_view text, std::string_view device, HaplyCommand& command,
                         std::string& trouble) {
  command = {};
  json message;
  if (!parse(text, message, trouble)) return false;
  const json* devices = find(message, "inverse3");
  if (!devices || !devices->is_array()) return true;
  for (const json& entry : *devices) {
    if (read_text(entry, "device_id") != device) continue;
    const json* commands = find(entry, "commands");
    const json* force = commands ? find(*commands, "set_cursor_force") : nullptr;
    if (!force) continue;
    const json* vector = find(*force, "vector");
    if (!vector || !read_vector(*vector, command.force)) {
      command = {};
      trouble = "'set_cursor_force' has no vector of three finite numbers x, y, z";
      return false;
    }
    command.has_force = true;
  }
  return true;
}

void write_haply_state(const HaplyState& state, bool is_inventory, std::string& text) {
  const auto vector = [](const Vec3d& a) {
    const Vec3d v = to_haply(a);
    return json{{"x", v[0]}, {"y", v[1]}, {"z", v[2]}};
  };
  json device{
      {"device_id", state.device},
      {"state",
       {{"cursor_position", vector(state.position)}, {"cursor_velocity", vector(state.velocity)}}},
      {"status", {{"calibrated", true}, {"in_use", false}, {"ready", true}}}};
  if (is_inventory) device["config"] = {{"type", "emulated"}, {"handedness", "right"}};
  json message{{"inverse3", json::array({device})}};
  if (is_inventory) message["session_id"] = state.session;
  message["wireless_verse_grip"] =
      json::array({{{"device_id", "emulated grip"},
                    {"state",
                     {{"buttons",
                       {{"a", (state.buttons & 1) != 0},
                        {"b", (state.buttons & 2) != 0},
                        {"c", (state.buttons & 4) != 0}}},
                      {"orientation", {{"w", 1.0}, {"x", 0.0}, {"y", 0.0}, {"z", 0.0}}}}}}});
  text = message.dump();
}

}  // namespace stance::haptics
