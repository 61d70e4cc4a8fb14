#include "stance/cli/live_device.h"

#include <fmt/format.h>

#include "stance/haptics/check/make_device.h"

namespace stance::cli {

LiveDevice::LiveDevice(const std::string& what, int number, const std::string& hold,
                       const scene::InteractionSpec& interaction, Log log)
    : what_(what), log_(std::move(log)) {
  std::unique_ptr<haptics::Device> device = haptics::make_device(what);
  haptics::LoopOptions loop;
  haptics::HapticOptions options;
  take_scene(interaction, loop, options);
  options.source = fmt::format("device {}", number);
  options.hold = hold;
  module_ = std::make_shared<haptics::HapticModule>(options, exchange_);
  thread_ = std::make_unique<haptics::DeviceThread>(std::move(device), loop, exchange_);
  log_(fmt::format("device {}: {}", what_, thread_->scheduling()));
  reporter_ = std::jthread([this](const std::stop_token& stop) { report(stop); });
}

void LiveDevice::report(const std::stop_token& stop) const {
  std::string told;
  while (!stop.stop_requested()) {
    const std::string trouble = thread_->trouble();
    if (trouble != told)
      log_(fmt::format("device {}: {}", what_, trouble.empty() ? "it works now" : trouble));
    told = trouble;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace stance::cli
