#include "stance/sim/module.h"

#include <algorithm>

#include "stance/kernel/assert.h"
#include "stance/sim/outside.h"

namespace stance::sim {
namespace {

constexpr std::size_t kWrenches = 64;  // room for, before memory is asked for

// Into vectors that keep their room.
void copy(const Drive& from, Drive& to) {
  to.tau.assign(from.tau.begin(), from.tau.end());
  to.stiffness.assign(from.stiffness.begin(), from.stiffness.end());
  to.damping.assign(from.damping.begin(), from.damping.end());
  to.target.assign(from.target.begin(), from.target.end());
  to.limit.assign(from.limit.begin(), from.limit.end());
  to.wrenches.assign(from.wrenches.begin(), from.wrenches.end());
  to.probes.assign(from.probes.begin(), from.probes.end());
}

bool is_zero(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value == 0.0; });
}

}  // namespace

Drive::Drive(const World& world)
    : tau(world.model.nv),
      stiffness(world.model.nv),
      damping(world.model.nv),
      target(world.model.nv),
      limit(world.model.nv, model::kInfinity) {}

bool Drive::has_limits() const {
  return std::any_of(limit.begin(), limit.end(), [](double l) { return l < model::kInfinity; });
}

Input Drive::input() const {
  const std::span<const double> limits =
      has_limits() ? std::span<const double>(limit) : std::span<const double>();
  return {tau, stiffness, damping, target, limits, wrenches};
}

Actuation::Actuation(const World& world, const Drive& base, Controllers controllers)
    : base_(base), drive_(world), controllers_(std::move(controllers)) {
  drive_.wrenches.reserve(kWrenches);
  quiet_ = base_.input();
  for (std::span<const double>* values :
       {&quiet_.tau, &quiet_.stiffness, &quiet_.damping, &quiet_.target})
    if (is_zero(*values)) *values = {};  // the step need not look
  input_ = quiet_;
}

void Actuation::start(const World& world, State& state) const {
  state.memory.assign(memory_size(), 0.0);
  std::span<double> memory = state.memory;
  for (const auto& controller : controllers_) {
    controller->start(world, state, memory.first(controller->memory_size()));
    memory = memory.subspan(controller->memory_size());
  }
}

int Actuation::memory_size() const {
  int size = 0;
  for (const auto& controller : controllers_) size += controller->memory_size();
  return size;
}

const Input& Actuation::update(const World& world, double h, State& state) {
  if (controllers_.empty()) return input_ = quiet_;
  copy(base_, drive_);
  act(world, h, state);
  return input_ = drive_.input();
}

const Input& Actuation::update(const World& world, double h, State& state, Outside& outside) {
  if (outside.is_idle()) return update(world, h, state);
  copy(base_, drive_);
  outside.add_wrenches({world, state, h}, drive_);
  for (const Touch& touch : outside.touches()) tell(world, h, touch, state);
  act(world, h, state);
  outside.set_joints(drive_);
  return input_ = drive_.input();
}

void Actuation::tell(const World& world, double h, const Touch& touch, State& state) {
  std::span<double> memory = state.memory;
  for (const auto& controller : controllers_) {
    const int size = controller->memory_size();
    controller->notice({world, state, h}, touch, memory.first(size));
    memory = memory.subspan(size);
  }
}

void Actuation::watch(const StepView& view, State& state) {
  std::span<double> memory = state.memory;
  for (const auto& controller : controllers_) {
    const int size = controller->memory_size();
    controller->watch(view, memory.first(size));
    memory = memory.subspan(size);
  }
}

void Actuation::act(const World& world, double h, State& state) {
  STANCE_ASSERT(static_cast<int>(state.memory.size()) == memory_size());
  std::span<double> memory = state.memory;
  for (const auto& controller : controllers_) {
    const int size = controller->memory_size();
    controller->act({world, state, h}, memory.first(size), drive_);
    memory = memory.subspan(size);
  }
}

}  // namespace stance::sim
