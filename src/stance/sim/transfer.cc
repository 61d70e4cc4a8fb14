#include "stance/sim/transfer.h"

#include <algorithm>
#include <map>

#include "stance/dynamics/centroidal.h"

namespace stance::sim {
namespace {

using model::Model;

// Numbers of the geometries of one world in another, by name and order among those of the same
// name; -1 where there is none.
std::vector<int> match_geometries(const World& from, const World& to) {
  std::map<std::string, std::vector<int>> there;
  for (int k = 0; k < to.shapes.size(); ++k) there[to.shapes.geometries[k].name].push_back(k);
  std::map<std::string, std::size_t> seen;
  std::vector<int> match;
  for (const collision::Geometry& geometry : from.shapes.geometries) {
    const std::vector<int>& same = there[geometry.name];
    const std::size_t number = seen[geometry.name]++;
    match.push_back(number < same.size() ? same[number] : -1);
  }
  return match;
}

void transfer_contacts(const World& from, const contact::WarmStart& warm, const World& to,
                       contact::WarmStart& out) {
  const std::vector<int> match = match_geometries(from, to);
  for (std::size_t k = 0; k < warm.id.size(); ++k) {
    const int a = match[warm.id[k] >> 48], b = match[warm.id[k] >> 32 & 0xffff];
    if (a < 0 || b < 0 || a > b) continue;  // turned round, its directions would be others
    out.id.push_back(std::uint64_t(a) << 48 | std::uint64_t(b) << 32 | (warm.id[k] & 0xffffffff));
    out.p.push_back(warm.p[k]), out.spin.push_back(warm.spin[k]);
    out.stretch.push_back(warm.stretch[k]);
  }
}

// Kinetic and potential, J.
double calc_energy(const World& world, const State& state) {
  const std::span<const double> q = state.q, v = state.v;
  dynamics::Kinematics<double> kin(world.model);
  dynamics::Velocities<double> vel(world.model);
  dynamics::Inertias<double> inertias(world.model);
  update_kinematics(world.model, q, kin);
  update_velocities(world.model, kin, v, vel);
  update_inertias(world.model, kin, inertias);
  return calc_kinetic_energy(world.model, inertias, vel, v) +
         calc_potential_energy(world.model, world.gravity, kin, inertias);
}

}  // namespace

State transfer(const World& from, const State& state, const Scene& to) {
  State out = to.start;
  const Model &a = from.model, &b = to.world.model;
  std::map<std::string, int> before;  // bodies, by the names of body and joint
  for (int i = 1; i < a.nbody; ++i) before[a.body_name[i] + "\n" + a.joint_name[i]] = i;
  for (int j = 1; j < b.nbody; ++j) {
    const auto it = before.find(b.body_name[j] + "\n" + b.joint_name[j]);
    if (it == before.end() || a.joint_type[it->second] != b.joint_type[j]) continue;
    const int i = it->second;
    std::copy_n(state.q.begin() + a.q_start[i], a.joint_nq(i), out.q.begin() + b.q_start[j]);
    for (int k = 0; k < a.joint_nv(i); ++k) {
      const int was = a.v_start[i] + k, is = b.v_start[j] + k;
      out.v[is] = state.v[was], out.at_limit[is] = state.at_limit[was];
      out.warm.limit[is] = state.warm.limit[was];
      out.warm.friction[is] = state.warm.friction[was];
    }
  }
  transfer_contacts(from, state.warm, to.world, out.warm);
  if (out.warm.mimic.size() == state.warm.mimic.size()) out.warm.mimic = state.warm.mimic;
  if (out.warm.loop.size() == state.warm.loop.size()) out.warm.loop = state.warm.loop;
  if (out.memory.size() == state.memory.size() || out.memory.empty()) out.memory = state.memory;
  out.time = state.time;
  out.energy = state.energy;
  if (state.energy.is_open)
    out.energy.start += calc_energy(to.world, out) - calc_energy(from, state);
  return out;
}

}  // namespace stance::sim
