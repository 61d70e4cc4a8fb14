#include "contact/contact_lines.h"

#include <utility>

#include "stance/sim/sample_piles.h"

#include "contact/humanoid_scenes.h"

namespace stance::bench {
namespace {

using Kind = ContactLine::Kind;

constexpr double kExact = 1e-8, kRough = 1e-4;

// Steps until a robot, cubes and a heap have come to rest, and of a drop.
constexpr int kRobotSettles = 10000, kCubesSettle = 2000, kHeapSettles = 4000, kDrop = 1500;

ContactLine make_robot_line(const char* name, const char* about, std::function<BenchScene()> make) {
  return {name, about, std::move(make), Kind::kRest, kRobotSettles, false, {{kExact, 0.6, "best"}}};
}

ContactLine make_rest_line(const char* name, const char* about, std::function<sim::Scene()> make) {
  return {name,
          about,
          [make] { return BenchScene{make()}; },
          Kind::kRest,
          kCubesSettle,
          true,
          {{kExact, 0.6, "best"}}};
}

ContactLine make_drop_line(const char* name, const char* about, int cubes) {
  return {name,
          about,
          [cubes] { return BenchScene{sim::make_dropped_cubes(cubes)}; },
          Kind::kDrop,
          kDrop,
          true,
          {{kRough, 3.0, "bullet"}, {kExact, 1.0, "mujoco"}}};
}

ContactLine make_settled_line(const char* name, const char* about, int cubes) {
  return {name,
          about,
          [cubes] { return BenchScene{sim::make_dropped_cubes(cubes)}; },
          Kind::kSettled,
          kHeapSettles,
          true,
          {{kRough, 0.0, ""}}};
}

}  // namespace

const std::vector<ContactLine>& contact_lines() {
  static const std::vector<ContactLine> lines = {
      make_robot_line("standing", "humanoid standing under PD",
                      [] { return make_standing_humanoid(JointFriction::kNone); }),
      make_robot_line("standing-dry", "humanoid standing under PD, dry friction in its joints",
                      [] { return make_standing_humanoid(JointFriction::kDry); }),
      make_robot_line("carrying", "humanoid carrying a crate with bricks",
                      [] { return make_carrying_humanoid(JointFriction::kNone); }),
      make_robot_line("carrying-dry", "the same, dry friction in its joints",
                      [] { return make_carrying_humanoid(JointFriction::kDry); }),
      make_rest_line("cubes-10", "10 resting cubes", [] { return sim::make_resting_cubes(10); }),
      make_rest_line("cubes-100", "100 resting cubes", [] { return sim::make_resting_cubes(100); }),
      make_rest_line("cubes-300", "300 resting cubes", [] { return sim::make_resting_cubes(300); }),
      make_rest_line("stack-10", "stack of 10 cubes", [] { return sim::make_cube_stack(10); }),
      make_drop_line("pile-100", "100 cubes dropped", 100),
      make_drop_line("pile-300", "300 cubes dropped", 300),
      make_settled_line("settled-100", "heap of 100 cubes, settled", 100),
      make_settled_line("settled-210", "heap of 210 cubes, settled", 210),
  };
  return lines;
}

}  // namespace stance::bench
