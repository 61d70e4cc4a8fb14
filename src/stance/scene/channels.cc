#include "stance/scene/channels.h"

namespace stance::scene {

std::unique_ptr<sim::RunChannels> make_run_channels(const Part& part) {
  std::vector<sim::ChannelRobot> robots;
  for (const PartRobot& robot : part.robots)
    robots.push_back(
        {robot.name.empty() ? "robot" : robot.name, robot.name.empty() ? "" : robot.name + "/"});
  return std::make_unique<sim::RunChannels>(part.scene.world, std::move(robots));
}

std::vector<sim::Channel> list_channels(const Part& part) {
  std::vector<sim::Channel> out = make_run_channels(part)->channels();
  const Modules modules = part.make_modules();
  const std::vector<sim::Channel>& sensors = modules.sensors->channels();
  out.insert(out.end(), sensors.begin(), sensors.end());
  return out;
}

}  // namespace stance::scene
