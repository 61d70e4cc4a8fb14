#pragma once

// A haptic device at a live simulation: its thread, and its probe in the scene.

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "stance/haptics/device_thread.h"
#include "stance/haptics/module.h"
#include "stance/scene/spec.h"

namespace stance::cli {

class LiveDevice {
 public:
  using Log = std::function<void(const std::string&)>;

  // `what` as haptics::make_device takes it; the device holds `hold` (OBJECT or ROBOT/LINK) from
  // the start where that is given. `log` is told what it is and how its thread is scheduled, and
  // later what is wrong with it, and when it is right again. Throws stance::Error.
  LiveDevice(const std::string& what, int number, const std::string& hold,
             const scene::InteractionSpec& interaction, Log log);

  std::shared_ptr<run::Observer> module() const { return module_; }

 private:
  void report(const std::stop_token& stop) const;

  std::string what_;
  haptics::Exchange exchange_;
  std::shared_ptr<haptics::HapticModule> module_;
  std::unique_ptr<haptics::DeviceThread> thread_;
  Log log_;
  std::jthread reporter_;
};

}  // namespace stance::cli
