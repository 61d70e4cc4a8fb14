#pragma once

// A haptic device at a live simulation: its thread, and its probe in the scene.

#include <memory>
#include <string>

#include "stance/haptics/device_thread.h"
#include "stance/haptics/module.h"
#include "stance/io/scene.h"

namespace stance::cli {

class LiveDevice {
 public:
  // `what` as haptics::make_device takes it; the device holds `hold` (OBJECT or ROBOT/LINK) from
  // the start where that is given. Throws stance::Error.
  LiveDevice(const std::string& what, int number, const std::string& hold,
             const io::SceneInteraction& interaction);

  std::shared_ptr<sim::LiveModule> module() const { return module_; }
  // A sentence for people: what it is and how its thread is scheduled.
  std::string describe() const;

 private:
  std::string what_;
  haptics::Exchange exchange_;
  std::shared_ptr<haptics::HapticModule> module_;
  std::unique_ptr<haptics::DeviceThread> thread_;
};

}  // namespace stance::cli
