#include "stance/sim/sensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string_view>

#include "stance/kernel/assert.h"
#include "stance/kernel/random.h"
#include "stance/sim/link_wrenches.h"

namespace stance::sim {
namespace {

using Doubles = std::span<const double>;
using Wrench = kernel::Force<double>;

}  // namespace

StepForces::StepForces(const World& world)
    : vdot(world.model.nv),
      wrenches(world.model.nbody),
      newton_euler(world.model),
      tau(world.model.nv) {
  std::map<std::string_view, int> frames;
  for (std::size_t k = 0; k < world.model.frames.size(); ++k)
    frames.emplace(world.model.frames[k].name, static_cast<int>(k));
  for (const collision::Geometry& geometry : world.shapes.geometries) {
    const auto found = frames.find(geometry.name);
    geometry_link.emplace_back(found == frames.end() ? -1 : found->second);
  }
}

void StepForces::update(const StepView& view) {
  const model::Model& model = view.world.model;
  const Scratch& s = view.scratch;
  STANCE_ASSERT(s.end.is_of(view.state.q, view.state.v));
  std::fill(wrenches.begin(), wrenches.end(), Wrench{});
  for_each_wrench(view, geometry_link, [&](const LinkWrench& w) {
    if (w.body != 0)
      wrenches[w.body] += Wrench{
          w.torque + cross(w.p_W - s.frame.kin().p_WO[model.tree[w.body]], w.force), w.force};
  });
  for (int k = 0; k < model.nv; ++k) vdot[k] = (s.v_next[k] - s.v_start[k]) / view.h;
  calc_inverse_dynamics(model, view.world.gravity, s.frame.kin(), s.frame.inertias(), s.mean,
                        Doubles(vdot), std::span<const Wrench>(wrenches), newton_euler,
                        std::span<double>(tau));
}

Wrench calc_contact_wrench(const contact::ContactScratch& scratch, int k, const Vec3d& p_WO,
                           double h) {
  const LinkWrench w = calc_contact_force(scratch, k, h);
  return {w.torque + cross(w.p_W - p_WO, w.force), w.force};
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
