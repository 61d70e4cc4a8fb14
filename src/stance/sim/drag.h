#pragma once

// Bodies that someone holds, by a spring and a damper at a point (docs/papers.md#h11), and by
// another pair that turns them where the hand has an orientation (docs/papers.md#a16).
//
// The force on a point is kp (target - x) + kv (velocity - v), kv = sqrt(2 m kp), m being the mass
// that is felt at the point. That mass depends on the direction: along each principal axis of the
// point's inverse inertia Lambda = J M^-1 J^T it is the inverse of that axis' entry, and the damper
// is chosen for each by itself; torques likewise. What is felt between joints that are held is
// more, so the damping is on the light side there. Force and torque are those of the end of the
// step (docs/adr/0010), so that no spring is too stiff.

#include <span>

#include "stance/dynamics/delassus.h"
#include "stance/sim/module.h"

namespace stance::sim {

struct Drag {
  model::BodyIndex body;
  Vec3d p_B;               // the point, in the body's frame, m
  Vec3d target, velocity;  // where it is held, m, and how fast that moves, m/s; world axes
  double stiffness = 0.0;  // N/m
  double turning = 0.0;    // N m/rad; 0: it turns as it likes
  kernel::Mat3d R_target = kernel::Mat3d::identity();  // of the body, if it is turned

  // by DragForces::update
  Vec3d position{};         // of the point at the start of the step, m
  PointWrench wrench{};     // what pulls
  kernel::Mat3d damper{};   // N s/m, of the point
  Vec3d force{}, torque{};  // N, N m: what acted; by Outside::watch
};

class DragForces {
 public:
  explicit DragForces(const World& world);

  // What drags do in the step that begins. Asks for memory only when there are more drags than ever
  // before.
  void update(const StepStart& at, std::span<Drag> drags);

 private:
  void turn(const StepStart& at, int k, Drag& drag);

  dynamics::ContactSet points_;
  dynamics::Delassus<double> lambda_;
  std::vector<dynamics::ContactPoint> list_;
};

}  // namespace stance::sim
