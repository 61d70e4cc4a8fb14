#include "stance/sim/module.h"

#include <algorithm>
#include <set>

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

// Names that differ.
void make_unique(Actuation::Controllers& controllers) {
  std::set<std::string> taken;
  for (std::size_t k = 0; k < controllers.size(); ++k) {
    std::string& name = controllers[k].name;
    if (name.empty()) name = "controller " + std::to_string(k + 1);
    const std::string wanted = name;
    for (int number = 2; !taken.insert(name).second; ++number)
      name = wanted + " " + std::to_string(number);
  }
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
  make_unique(controllers_);
  drive_.wrenches.reserve(kWrenches);
  quiet_ = base_.input();
  for (std::span<const double>* values :
       {&quiet_.tau, &quiet_.stiffness, &quiet_.damping, &quiet_.target})
    if (is_zero(*values)) *values = {};  // the step need not look
  input_ = quiet_;
}

template <class F>
void Actuation::for_each(State& state, F&& f) const {
  STANCE_ASSERT(static_cast<int>(state.memory.values.size()) == memory_size());
  std::span<double> rest = state.memory.values;
  for (const NamedController& named : controllers_) {
    const int size = named.controller->memory_size();
    f(*named.controller, rest.first(size));
    rest = rest.subspan(size);
  }
}

void Actuation::start(const World& world, State& state) const {
  state.memory.parts.clear();
  for (const auto& [name, controller] : controllers_)
    state.memory.parts.push_back({name, controller->memory_size()});
  state.memory.values.assign(memory_size(), 0.0);
  for_each(state, [&](const Controller& controller, std::span<double> memory) {
    controller.start(world, state, memory);
  });
}

int Actuation::memory_size() const {
  int size = 0;
  for (const NamedController& named : controllers_) size += named.controller->memory_size();
  return size;
}

const Input& Actuation::update(const World& world, double h, State& state, Scratch& scratch) {
  if (controllers_.empty()) return input_ = quiet_;
  copy(base_, drive_);
  const StepStart at{world, state, update_start(world, state, scratch), h};
  for_each(state, [&](Controller& controller, std::span<double> memory) {
    controller.act(at, memory, drive_);
  });
  return input_ = drive_.input();
}

const Input& Actuation::update(const World& world, double h, State& state, Outside& outside,
                               Scratch& scratch) {
  if (outside.is_idle()) return update(world, h, state, scratch);
  copy(base_, drive_);
  const StepStart at{world, state, update_start(world, state, scratch), h};
  outside.add_wrenches(at, drive_);
  for (const Touch& touch : outside.touches())
    for_each(state, [&](Controller& controller, std::span<double> memory) {
      controller.notice(at, touch, memory);
    });
  for_each(state, [&](Controller& controller, std::span<double> memory) {
    controller.act(at, memory, drive_);
  });
  outside.set_joints(drive_);
  return input_ = drive_.input();
}

void Actuation::watch(const StepView& view, State& state) {
  for_each(state, [&](Controller& controller, std::span<double> memory) {
    controller.watch(view, memory);
  });
}

}  // namespace stance::sim
