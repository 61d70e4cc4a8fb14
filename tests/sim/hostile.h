#pragma once

// A cube, and a floor under it, for tests of problems that no sane scene has.

#include "sim/simulation.h"

namespace stance::test {

inline SceneBuilder::Body make_cube(const Vec3d& position = {0, 0, 0.05}) {
  SceneBuilder::Body cube;
  cube.shape = make_box({0.05, 0.05, 0.05});
  cube.pose.p = position;
  return cube;
}

inline sim::Scene make_floor_scene(const SceneBuilder::Body& body,
                                   const contact::Material& material = {}) {
  SceneBuilder builder("hostile");
  builder.set_material(0, material);
  builder.add_fixed(make_plane(), {});
  builder.add_body(body);
  return builder.build();
}

}  // namespace stance::test
