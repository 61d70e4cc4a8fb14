#include "stance/sim/transfer.h"

#include <algorithm>
#include <map>

#include "stance/dynamics/centroidal.h"
#include "stance/sim/state_members.h"

namespace stance::sim {
namespace {

using model::Model;

constexpr int kNew = -1;

// ---- what is what in the other world ----------------------------------------------------------

// By number in the new world: its number in the old one, or kNew. Things of the same name go by
// their order among these.
std::vector<int> match(const std::vector<std::string>& from, const std::vector<std::string>& to) {
  std::map<std::string, std::vector<int>> there;
  for (std::size_t k = 0; k < from.size(); ++k) there[from[k]].push_back(static_cast<int>(k));
  std::map<std::string, std::size_t> seen;
  std::vector<int> out;
  for (const std::string& name : to) {
    const std::vector<int>& same = there[name];
    const std::size_t number = seen[name]++;
    out.push_back(number < same.size() ? same[number] : kNew);
  }
  return out;
}

std::vector<std::string> list_geometries(const World& world) {
  std::vector<std::string> out;
  for (const collision::Geometry& geometry : world.shapes.geometries) out.push_back(geometry.name);
  return out;
}

// Bodies by the names of body and joint; a joint of another type is another.
std::vector<std::string> list_bodies(const Model& model) {
  std::vector<std::string> out;
  for (int i = 0; i < model.nbody; ++i)
    out.push_back(model.body_name[i] + "\n" + model.joint_name[i] + "\n" +
                  std::to_string(static_cast<int>(model.joint_type[i])));
  return out;
}

std::vector<std::string> list_mimics(const Model& model) {
  std::vector<std::string> out;
  for (const model::Mimic& mimic : model.mimics)
    out.push_back(model.joint_name[mimic.follower] + "\n" + model.joint_name[mimic.leader]);
  return out;
}

std::vector<std::string> list_loops(const World& world) {
  const auto name_of = [&](model::FrameIndex link) {
    return link.valid() ? world.model.frames[link].name : std::string();
  };
  std::vector<std::string> out;
  for (std::size_t k = 0; k < world.loops.size(); ++k) {
    std::string name = std::to_string(static_cast<int>(world.loops[k].kind));
    if (k < world.loop_links.size())
      name += "\n" + name_of(world.loop_links[k].a) + "\n" + name_of(world.loop_links[k].b);
    out.push_back(name);
  }
  return out;
}

// For every kind of value, by its place in the new world: its place in the old one, or kNew.
struct Matches {
  Matches(const World& from, const World& to, const contact::WarmStart& warm);
  std::span<const int> of(Per per) const;

  std::vector<int> position, velocity, mimic, loop;
  std::vector<int> contact;       // only those that go on
  std::vector<std::uint64_t> id;  // of these, in the new world
};

Matches::Matches(const World& from, const World& to, const contact::WarmStart& warm)
    : position(to.model.nq, kNew),
      velocity(to.model.nv, kNew),
      mimic(match(list_mimics(from.model), list_mimics(to.model))) {
  const std::vector<int> bodies = match(list_bodies(from.model), list_bodies(to.model));
  for (int j = 1; j < to.model.nbody; ++j) {
    const int i = bodies[j];
    if (i == kNew) continue;
    for (int k = 0; k < to.model.joint_nq(j); ++k)
      position[to.model.q_start[j] + k] = from.model.q_start[i] + k;
    for (int k = 0; k < to.model.joint_nv(j); ++k)
      velocity[to.model.v_start[j] + k] = from.model.v_start[i] + k;
  }
  for (const int k : match(list_loops(from), list_loops(to)))
    for (int block = 0; block < 2; ++block) loop.push_back(k == kNew ? kNew : 2 * k + block);
  const std::vector<int> numbers = match(list_geometries(to), list_geometries(from));
  for (std::size_t k = 0; k < warm.id.size(); ++k)
    if (const auto renumbered = collision::renumber_contact(warm.id[k], numbers))
      contact.push_back(static_cast<int>(k)), id.push_back(*renumbered);
}

std::span<const int> Matches::of(Per per) const {
  switch (per) {
    case Per::kPosition: return position;
    case Per::kVelocity: return velocity;
    case Per::kMimic: return mimic;
    case Per::kLoop: return loop;
    case Per::kContact: return contact;
    case Per::kTree:
    case Per::kWorld:
    case Per::kController: break;
  }
  return {};
}

// ---- going over -------------------------------------------------------------------------------

template <class T>
void carry(const T& from, std::span<const int>, T& to) {
  to = from;
}
template <class T>
void carry(const std::vector<T>& from, std::span<const int> places, std::vector<T>& to) {
  for (std::size_t k = 0; k < places.size(); ++k)
    if (places[k] != kNew) to[k] = from[places[k]];
}

// Each controller's own; one that is new, or has another size, starts as in `to`. A world whose
// controllers are not known yet takes all.
void carry(const ControllerMemory& from, std::span<const int>, ControllerMemory& to) {
  if (to.is_empty()) to = from;
  const auto [parts, values] = list_fields(to);
  std::span<double> rest = values;
  for (const ControllerMemory::Part& part : parts) {
    const auto [name, size] = list_fields(part);
    const std::span<const double> before = from.find(name);
    if (before.size() == rest.first(size).size())
      std::copy(before.begin(), before.end(), rest.begin());
    rest = rest.subspan(size);
  }
}

template <class T>
void make_room(T&, std::size_t, std::size_t) {}
template <class T>
void make_room(std::vector<T>& values, std::size_t size, std::size_t room) {
  values.reserve(room);
  values.resize(size);
}

// Kinetic and potential, J.
double calc_energy(const World& world, const State& state) {
  dynamics::Bodies bodies(world.model);
  bodies.update(world.model, state.q, state.v);
  return calc_kinetic_energy(world.model, bodies.inertias(), bodies.vel(),
                             std::span<const double>(state.v)) +
         calc_potential_energy(world.model, world.gravity, bodies.kin(), bodies.inertias());
}

}  // namespace

State transfer(const World& from, const State& state, const Scene& to) {
  State out = to.start;
  const Matches matches(from, to.world, state.warm);
  for_each_pair(state, out, [&](const auto& before, const auto& after) {
    if (after.per == Per::kTree) return;
    if (after.per == Per::kContact)
      make_room(after.values, matches.contact.size(), to.world.contact.capacity);
    carry(before.values, matches.of(after.per), after.values);
  });
  std::copy(matches.id.begin(), matches.id.end(), out.warm.id.begin());
  if (state.energy.is_open)
    out.energy.start += calc_energy(to.world, out) - calc_energy(from, state);
  return out;
}

}  // namespace stance::sim
