#pragma once

// Things that come and go while a simulation runs (H15). A World never changes; another one is
// built with or without them, and what both have goes on as it was.

#include "stance/sim/scene_builder.h"

namespace stance::sim {

// The state of `to.world` in which every body of the same name and joint moves on as in `state`,
// and what is new starts as in `to.start`. Contacts that both worlds have keep the impulses that
// they start from, where their geometries have the same names. The account of energy goes on: what
// comes brings its energy along, what goes takes it away, and neither is an error of the
// integrator. A controller of the same name and size of memory remembers what it did; another one
// starts as in `to.start`.
State transfer(const World& from, const State& state, const Scene& to);

}  // namespace stance::sim
