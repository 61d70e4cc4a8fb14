// A plugin: a controller that lets a joint sway, and a sensor of its angle and energy.
// docs/plugins.md walks through it.

#include <cmath>

#include "stance/plugin.h"

namespace {

// Drives a joint to and fro. Remembers the phase, so that runs go on from snapshots.
class Sway final : public stance::Controller {
 public:
  Sway(int coordinate, double amplitude, double frequency, double stiffness)
      : coordinate_(coordinate),
        amplitude_(amplitude),
        rate_(2.0 * M_PI * frequency),
        stiffness_(stiffness) {}

  int memory_size() const override { return 1; }

  void act(const stance::StepStart& at, std::span<double> memory, stance::Drive& drive) override {
    memory[0] += rate_ * at.h;
    drive.stiffness[coordinate_] = stiffness_;
    drive.damping[coordinate_] = 0.1 * stiffness_;
    drive.target[coordinate_] = amplitude_ * std::sin(memory[0]);
    // the damper is to brake what differs from the motion, not the motion
    drive.tau[coordinate_] += drive.damping[coordinate_] * amplitude_ * rate_ * std::cos(memory[0]);
  }

 private:
  int coordinate_;
  double amplitude_, rate_, stiffness_;  // rad, rad/s, N m/rad
};

// The joint's angle, and the kinetic energy of everything at the start of the step.
class Energy final : public stance::Sensor {
 public:
  Energy(std::string name, int coordinate) : name_(std::move(name)), coordinate_(coordinate) {}

  std::vector<stance::Channel> channels() const override {
    return {{name_ + "/angle", "rad", {"angle"}}, {name_ + "/kinetic", "J", {"kinetic"}}};
  }
  void measure(const stance::StepView& view, const stance::StepForces&,
               std::span<double> values) override {
    values[0] = view.state.q[view.world.model.q_start[view.world.model.dof_body[coordinate_]]];
    values[1] = view.report.kinetic;
  }

 private:
  std::string name_;
  int coordinate_;
};

double find(const stance::PluginRequest& request, const char* key, double otherwise) {
  const auto it = request.numbers.find(key);
  return it == request.numbers.end() ? otherwise : it->second;
}

void make_modules(const stance::PluginRequest& request, stance::PluginModules& modules) {
  // the first joint of one coordinate
  const stance::model::Model& model = request.scene.world.model;
  int coordinate = -1;
  for (int i = model.nbody - 1; i > 0; --i)
    if (model.joint_nq(i) == 1) coordinate = model.v_start[i];
  if (coordinate < 0) throw stance::Error("sway needs a robot with a joint");
  modules.controllers.push_back(std::make_shared<Sway>(coordinate, find(request, "amplitude", 0.3),
                                                       find(request, "frequency", 0.5),
                                                       find(request, "stiffness", 1000.0)));
  modules.sensors.push_back(std::make_unique<Energy>(request.name, coordinate));
}

}  // namespace

STANCE_PLUGIN(make_modules)
