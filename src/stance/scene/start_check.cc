#include "stance/scene/start_check.h"

#include <algorithm>

#include <fmt/format.h>

namespace stance::scene {
namespace {

constexpr double kDeep = 1e-3;  // m or rad: what is more than this off is a mistake

// Of an object, part of the environment or constraint, or of the robot that has the link.
Place find_place(const std::string& name, const Sources& sources) {
  for (const std::string_view group : {"objects", "environment", "constraints"})
    if (sources.has({group, name})) return sources.find({group, name});
  const Path robot{"robots", std::string_view(name).substr(0, name.find('/'))};
  return sources.has(robot) ? sources.find(robot) : Place{};
}

// Calls f(point, name of a, name of b) for what touches.
template <class F>
void for_contacts(const sim::World& world, const sim::State& state, sim::Scratch& scratch, F&& f) {
  scratch.start.update(world.model, state.q, state.v);
  contact::find(world.model, world.shapes, scratch.start.kin(), 0.0, scratch.contact);
  for (const collision::ContactPoint& point : scratch.contact.points.points())
    f(point, world.shapes.geometries[point.geometry_a].name,
      world.shapes.geometries[point.geometry_b].name);
}

}  // namespace

void check_start(const sim::Scene& scene, const Sources& sources) {
  const sim::World& world = scene.world;
  const auto fail = [&](const std::string& a, const std::string& b, const std::string& what) {
    // the later of the two is what was put there last
    const Place place_a = find_place(a, sources), place_b = find_place(b, sources);
    const Place& last = place_b.line >= place_a.line ? place_b : place_a;
    throw Error(last.line > 0 ? last : sources.whole(), what);
  };
  sim::Scratch scratch(world);
  double deepest = -kDeep;
  const std::string *first = nullptr, *second = nullptr;
  for_contacts(
      world, scene.start, scratch,
      [&](const collision::ContactPoint& point, const std::string& a, const std::string& b) {
        if (point.gap < deepest) deepest = point.gap, first = &a, second = &b;
      });
  if (first)
    fail(*first, *second,
         fmt::format("'{}' and '{}' overlap by {:.3g} mm at the start; move them apart, or name "
                     "the pair under ignore_collisions:",
                     *first, *second, -1e3 * deepest));
  std::vector<contact::LoopBlock> blocks;
  find_loop_blocks(world.model, world.loops, scratch.start.kin(), blocks);
  for (const contact::LoopBlock& block : blocks) {
    const std::string& name = world.loops[block.loop].name;
    if (!(norm(block.error) <= kDeep))
      fail(name, name,
           fmt::format("the constraint '{}' is off by {:.3g} {} at the start; its two frames must "
                       "fit, or leave the second one's pose out",
                       name, norm(block.error), block.is_turn ? "rad" : "m"));
  }
}

void check_arrivals(const Part& part, const sim::State& state) {
  if (part.come.empty()) return;
  const auto is_new = [&](const std::string& name) {
    return std::find(part.come.begin(), part.come.end(), name) != part.come.end();
  };
  sim::Scratch scratch(part.scene.world);
  for_contacts(
      part.scene.world, state, scratch,
      [&](const collision::ContactPoint& point, const std::string& a, const std::string& b) {
        if (point.gap < -kDeep && (is_new(a) || is_new(b)))
          throw Error(fmt::format(
              "at {:g} s '{}' appears inside '{}', by {:.3g} mm; let it appear elsewhere or at "
              "another time",
              state.time, is_new(b) ? b : a, is_new(b) ? a : b, -1e3 * point.gap));
      });
}

}  // namespace stance::scene
