#include "contact/own_engine.h"

#include <algorithm>

#include "peers/scene_protocol.h"

namespace stance::bench {

OwnEngine::OwnEngine(const BenchScene& scene, double tolerance)
    : world_(scene.scene.world),
      drive_(scene.drive),
      start_(scene.scene.start),
      state_(start_),
      scratch_(world_) {
  world_.contact.tolerance = tolerance;
}

void OwnEngine::step() {
  sim::Input input;
  input.stiffness = drive_.stiffness;
  input.damping = drive_.damping;
  input.target = drive_.target;
  report_ = sim::step(world_, input, kStep, state_, scratch_);
  record_.residual = std::max(record_.residual, report_.contact.residual);
  record_.unconverged += report_.status != sim::kStepFine;
  record_.sweeps += report_.contact.sweeps;
  record_.groups = report_.contact.groups;
  ++record_.steps;
}

std::optional<double> OwnEngine::run(int warm, int steps) {
  for (int i = 0; i < warm; ++i) step();
  const double start = read_work_clock();
  for (int i = 0; i < steps; ++i) step();
  return 1e6 * (read_work_clock() - start) / steps;
}

bool OwnEngine::restart() {
  state_ = start_;
  record_ = {};
  return true;
}

bool OwnEngine::set_start(const std::vector<double>& q, const std::vector<double>& v) {
  start_.q = q, start_.v = v;
  return restart();
}

}  // namespace stance::bench
