#include "stance/haptics/check/make_device.h"

#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "stance/haptics/haply_client.h"
#include "stance/haptics/recorded.h"
#include "stance/haptics/spacemouse.h"
#include "stance/kernel/error.h"

namespace stance::haptics {
namespace {

struct Setting {
  const char* name;
  double* value;
  double low, high;
};

double parse_setting(const std::string& text, const Setting& setting) {
  double value = 0.0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() ||
      !(value >= setting.low && value <= setting.high))
    throw Error(fmt::format("--device: {} is a number from {:g} to {:g}, not '{}'", setting.name,
                            setting.low, setting.high, text));
  return value;
}

// "NAME,KEY=VALUE,...": the name; the values go where the settings say.
void take_settings(const std::string& text, const std::vector<Setting>& settings) {
  std::size_t at = text.find(',');
  while (at != std::string::npos) {
    const std::size_t end = text.find(',', at + 1);
    const std::string word = text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    bool is_known = false;
    std::string names;
    for (const Setting& setting : settings) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", setting.name);
      if (key != setting.name || equals == std::string::npos) continue;
      *setting.value = parse_setting(word.substr(equals + 1), setting);
      is_known = true;
    }
    if (!is_known)
      throw Error(fmt::format(
          "--device: '{}' is no setting of it; there are {}, written NAME=VALUE", word, names));
    at = end;
  }
}

std::unique_ptr<Device> make_haply(const std::string& text) {
  HaplyOptions options;
  take_settings(text, {{"damping", &options.damping, 0.0, 100.0},
                       {"max_force", &options.max_force, 0.0, 100.0}});
  const std::string name = text.substr(0, text.find(','));
  if (name != "haply") {  // haply:HOST:PORT
    const std::string address = name.substr(6);
    const std::size_t colon = address.rfind(':');
    const std::string port = colon == std::string::npos ? "" : address.substr(colon + 1);
    double number = 10001;
    if (!port.empty()) number = parse_setting(port, {"the port", nullptr, 1, 65535});
    options.host = address.substr(0, colon);
    options.port = static_cast<int>(number);
    if (options.host.empty()) throw Error("--device: haply:HOST:PORT has no host");
  }
  return std::make_unique<HaplyClient>(options);
}

std::unique_ptr<Device> make_emulator(const std::string& text) {
  HandOptions hand;
  take_settings(text, {{"mass", &hand.mass, 1e-3, 100.0},
                       {"stiffness", &hand.stiffness, 0.0, 1e5},
                       {"damping", &hand.damping, 0.0, 100.0},
                       {"hand_damping", &hand.hand_damping, 0.0, 1e3},
                       {"latency", &hand.latency, 0.0, 0.1},
                       {"jitter", &hand.jitter, 0.0, 0.1},
                       {"quantisation", &hand.quantisation, 0.0, 0.01},
                       {"max_force", &hand.max_force, 0.0, 1e3}});
  return std::make_unique<EmulatedDevice>(hand, make_motion("circle"));
}

}  // namespace

Motion make_motion(const std::string& name) {
  if (name == "still") return [](double) { return Intention{}; };
  if (name == "circle")
    return [](double time) {
      const double w = M_PI, r = 0.03;
      return Intention{{r * std::sin(w * time), r * (1.0 - std::cos(w * time)), 0.0},
                       {r * w * std::cos(w * time), r * w * std::sin(w * time), 0.0}};
    };
  if (name == "press")
    return [](double time) {
      const double w = 0.5 * M_PI, r = 0.01;
      return Intention{{0.0, 0.0, -r * (1.0 - std::cos(w * time))},
                       {0.0, 0.0, -r * w * std::sin(w * time)}};
    };
  throw Error(fmt::format("a hand cannot move like '{}'; there are still, circle, press", name));
}

void take_scene(const scene::InteractionSpec& interaction, LoopOptions& loop,
                HapticOptions& options) {
  loop.scale = interaction.device_scale, loop.offset = interaction.device_origin;
  options.coefficient = interaction.touch, options.probe_radius = interaction.probe_radius;
}

std::unique_ptr<Device> make_device(const std::string& text) {
  const std::string name = text.substr(0, text.find(','));
  if (name == "haply" || name.starts_with("haply:")) return make_haply(text);
  if (name == "emulator") return make_emulator(text);
  if (name == "spacemouse") return make_spacemouse();
  if (name.ends_with(".csv")) return std::make_unique<RecordedDevice>(name);
  throw Error(fmt::format("--device: '{}' is none; there are {}", text, kDeviceHelp));
}

}  // namespace stance::haptics
