#include "stance/cli/live_device.h"

#include <fmt/format.h>

#include "stance/haptics/make_device.h"

namespace stance::cli {

LiveDevice::LiveDevice(const std::string& what, int number, const std::string& hold,
                       const io::SceneInteraction& interaction)
    : what_(what) {
  std::unique_ptr<haptics::Device> device = haptics::make_device(what);
  haptics::LoopOptions loop;
  haptics::HapticOptions options;
  take_scene(interaction, loop, options);
  options.source = fmt::format("device {}", number);
  options.hold = hold;
  module_ = std::make_shared<haptics::HapticModule>(options, exchange_);
  thread_ = std::make_unique<haptics::DeviceThread>(std::move(device), loop, exchange_);
}

std::string LiveDevice::describe() const {
  const std::string trouble = thread_->trouble();
  return fmt::format("device {}: {}{}", what_, thread_->scheduling(),
                     trouble.empty() ? "" : "; " + trouble);
}

}  // namespace stance::cli
