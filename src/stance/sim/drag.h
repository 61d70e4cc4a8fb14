#pragma once

// Points of bodies that are pulled to where someone holds them, by a spring and a damper (H11).
//
// The force on a point is kp (target - x) + kv (velocity - v), kv = sqrt(2 m kp), m being the mass
// that is felt at the point. That mass depends on the direction: along each principal axis of the
// point's inverse inertia Lambda = J M^-1 J^T it is the inverse of that axis' entry, and the damper
// is chosen for each by itself. What is felt between joints that are held is more, so the damping
// is on the light side there. A spring too stiff for the mass and the step is made softer, along
// the axes that need it: h^2 kp / m stays below 0.01, a swing of 60 steps.

#include <span>

#include "stance/dynamics/delassus.h"
#include "stance/sim/module.h"

namespace stance::sim {

struct Drag {
  model::BodyIndex body;
  Vec3d p_B;                // the point, in the body's frame, m
  Vec3d target, velocity;   // where it is held, m, and how fast that moves, m/s; world axes
  double stiffness = 0.0;   // N/m
  Vec3d position, force{};  // of the point, m, and on it, N; by DragForces
  kernel::Mat3d spring{};   // N/m, that acted: softer along the axes that need it; by DragForces
};

class DragForces {
 public:
  explicit DragForces(const World& world);

  // Position and force of every drag at the start of a step. Asks for memory only when there are
  // more drags than ever before.
  void update(const StepStart& at, std::span<Drag> drags);

 private:
  dynamics::Kinematics<double> kin_;
  dynamics::Velocities<double> velocities_;
  dynamics::Inertias<double> inertias_;
  dynamics::Articulated<double> articulated_;
  dynamics::ContactSet points_;
  dynamics::Delassus<double> lambda_;
  std::vector<dynamics::ContactPoint> list_;
};

}  // namespace stance::sim
