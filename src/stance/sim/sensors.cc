#include "stance/sim/sensors.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "stance/kernel/random.h"

namespace stance::sim {
namespace {

using Doubles = std::span<const double>;
using Wrench = kernel::Force<double>;

// A force and a torque at a point, about O.
Wrench move(const Vec3d& force, const Vec3d& torque, const Vec3d& r) {
  return {torque + cross(r, force), force};
}

// Adds up what loops do.
void add_loops(const StepView& view, std::span<Wrench> wrenches) {
  const model::Model& model = view.world.model;
  const auto& kin = view.scratch.kin;
  for (const contact::LoopBlock& block : view.scratch.contact.loop_blocks) {
    Vec3d sum;
    for (int k = 0; k < block.rows; ++k) sum = madd(block.p[k] / view.h, block.directions[k], sum);
    const auto act = [&](int body, const Vec3d& p_W, const Vec3d& f) {
      if (body == 0) return;
      const Vec3d r = p_W - kin.p_WO[model.tree[body]];
      wrenches[body] += block.is_turn ? Wrench{f, {}} : move(f, {}, r);
    };
    act(block.body_a, block.p_a, sum), act(block.body_b, block.p_b, -1.0 * sum);
  }
}

}  // namespace

StepForces::StepForces(const World& world)
    : vdot(world.model.nv),
      wrenches(world.model.nbody),
      newton_euler(world.model),
      tau(world.model.nv),
      kin(world.model),
      vel(world.model) {}

void StepForces::update(const StepView& view) {
  const model::Model& model = view.world.model;
  const Scratch& s = view.scratch;
  std::fill(wrenches.begin(), wrenches.end(), Wrench{});
  for (int k = 0; k < s.contact.points.size(); ++k) {
    const collision::ContactPoint& point = s.contact.points[k];
    if (point.body_a != 0)
      wrenches[point.body_a] +=
          calc_contact_wrench(s.contact, k, s.kin.p_WO[model.tree[point.body_a]], view.h);
    if (point.body_b != 0)
      wrenches[point.body_b] +=
          -1.0 * calc_contact_wrench(s.contact, k, s.kin.p_WO[model.tree[point.body_b]], view.h);
  }
  add_loops(view, wrenches);
  for (const PointWrench& given : view.input.wrenches)
    wrenches[given.body] += move(given.force, given.torque,
                                 s.kin.p_OB[given.body] + s.kin.R_WB[given.body] * given.p_BP);
  for (int k = 0; k < model.nv; ++k) vdot[k] = (s.v_next[k] - s.v_start[k]) / view.h;
  calc_inverse_dynamics(model, view.world.gravity, s.kin, s.inertias, s.before, Doubles(vdot),
                        std::span<const Wrench>(wrenches), newton_euler, std::span<double>(tau));
  update_kinematics(model, Doubles(view.state.q), kin);
  update_velocities(model, kin, Doubles(view.state.v), vel);
}

Wrench calc_contact_wrench(const contact::ContactScratch& scratch, int k, const Vec3d& p_WO,
                           double h) {
  const collision::ContactPoint& point = scratch.points[k];
  const contact::PointContact& c = scratch.contacts[k];
  const auto combine = [&](const Vec3d& p) {
    return (1.0 / h) * madd(p[0], point.n_W, madd(p[1], c.t1, p[2] * c.t2));
  };
  const Vec3d torque = c.material.has_spin() ? combine(c.spin) : Vec3d();
  return move(combine(c.p), torque, point.p_W - p_WO);
}

double calc_noise(std::uint64_t seed, double time, int column) {
  kernel::Random mix(seed ^ std::rotl(std::bit_cast<std::uint64_t>(time), 17));
  kernel::Random random(mix.next() + 0x9e3779b97f4a7c15ull * std::uint64_t(column));
  // Box and Muller; the first number must not be zero
  const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform(0.0, 1.0)));
  return radius * std::cos(6.283185307179586 * random.uniform(0.0, 1.0));
}

void SensorSuite::add(std::unique_ptr<Sensor> sensor) {
  Entry entry{std::move(sensor), width_, 0};
  for (Channel& channel : entry.sensor->channels()) {
    entry.count += static_cast<int>(channel.columns.size());
    channels_.push_back(std::move(channel));
  }
  width_ += entry.count;
  sensors_.push_back(std::move(entry));
}

void SensorSuite::read(const StepView& view, std::span<double> values) {
  if (sensors_.empty()) return;
  forces_.update(view);
  for (Entry& entry : sensors_)
    entry.sensor->measure(view, forces_, values.subspan(entry.first, entry.count));
}

int SensorSuite::find(std::string_view channel) const {
  int first = 0;
  for (const Channel& c : channels_) {
    if (c.name == channel) return first;
    first += static_cast<int>(c.columns.size());
  }
  return -1;
}

}  // namespace stance::sim
