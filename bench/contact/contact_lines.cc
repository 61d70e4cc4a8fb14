#include "contact/contact_lines.h"

#include "stance/sim/sample_piles.h"

#include "contact/humanoid_scenes.h"

namespace stance::bench {
namespace {

constexpr double kExact = 1e-8, kRough = 1e-4;

BenchScene loose(sim::Scene scene) { return {std::move(scene)}; }

}  // namespace

const std::vector<ContactLine>& contact_lines() {
  using Kind = ContactLine::Kind;
  static const std::vector<ContactLine> lines = {
      {"standing",
       "humanoid standing under PD",
       [] { return make_standing_humanoid(JointFriction::kNone); },
       Kind::kRest,
       10000,
       false,
       {{kExact, 0.6, "best"}}},
      {"standing-dry",
       "humanoid standing under PD, dry friction in its joints",
       [] { return make_standing_humanoid(JointFriction::kDry); },
       Kind::kRest,
       10000,
       false,
       {{kExact, 0.6, "best"}}},
      {"carrying",
       "humanoid carrying a crate with bricks",
       [] { return make_carrying_humanoid(JointFriction::kNone); },
       Kind::kRest,
       10000,
       false,
       {{kExact, 0.6, "best"}}},
      {"carrying-dry",
       "humanoid carrying a crate with bricks, dry friction in its joints",
       [] { return make_carrying_humanoid(JointFriction::kDry); },
       Kind::kRest,
       10000,
       false,
       {{kExact, 0.6, "best"}}},
      {"cubes-10",
       "10 resting cubes",
       [] { return loose(sim::make_resting_cubes(10)); },
       Kind::kRest,
       500,
       true,
       {{kExact, 0.6, "best"}}},
      {"cubes-100",
       "100 resting cubes",
       [] { return loose(sim::make_resting_cubes(100)); },
       Kind::kRest,
       500,
       true,
       {{kExact, 0.6, "best"}}},
      {"cubes-300",
       "300 resting cubes",
       [] { return loose(sim::make_resting_cubes(300)); },
       Kind::kRest,
       500,
       true,
       {{kExact, 0.6, "best"}}},
      {"stack-10",
       "stack of 10 cubes",
       [] { return loose(sim::make_stack(10)); },
       Kind::kRest,
       2000,
       true,
       {{kExact, 0.6, "best"}}},
      {"pile-100",
       "100 cubes dropped",
       [] { return loose(sim::make_dropped_cubes(100)); },
       Kind::kDrop,
       2000,
       true,
       {{kRough, 3.0, "bullet"}, {kExact, 1.0, "mujoco"}}},
      {"pile-300",
       "300 cubes dropped",
       [] { return loose(sim::make_dropped_cubes(300)); },
       Kind::kDrop,
       2000,
       true,
       {{kRough, 3.0, "bullet"}, {kExact, 1.0, "mujoco"}}},
      {"settled-100",
       "heap of 100 cubes, settled",
       [] { return loose(sim::make_dropped_cubes(100)); },
       Kind::kSettled,
       4000,
       true,
       {{kRough, 0.0, ""}}},
      {"settled-300",
       "heap of 300 cubes, settled",
       [] { return loose(sim::make_dropped_cubes(300)); },
       Kind::kSettled,
       4000,
       true,
       {{kRough, 0.0, ""}}},
  };
  return lines;
}

}  // namespace stance::bench
