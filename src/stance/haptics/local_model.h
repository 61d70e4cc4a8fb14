#pragma once

// The held point as the device's thread knows it between two steps of the physics: a small contact
// problem that is solved again for every force of the device (README.md).

#include <vector>

#include <Eigen/Core>

#include "stance/dynamics/delassus.h"
#include "stance/sim/channel.h"
#include "stance/solver/solve.h"

namespace stance::haptics {

using kernel::Mat3d;
using kernel::Vec3d;

inline constexpr int kMostContacts = 8;

struct LocalModel {
  Vec3d position{}, velocity{};  // m, m/s, of the point at the end of the step
  Mat3d spring{};                // N/m, of the coupling, as the object feels it

  // How it answers; without these it goes on as it moves.
  bool is_known = false;
  Mat3d damper{};        // N s/m, of the coupling, on the object's side (H11)
  Mat3d mobility{};      // 1/kg, inverse inertia at the point
  Vec3d acceleration{};  // m/s^2, by all but coupling and contacts
  int num_contacts = 0;
  // of the contacts that pressed, in their frames (N, T1, T2)
  Vec3d u[kMostContacts], rate[kMostContacts];  // m/s; m/s^2, by all but coupling and contacts
  Vec3d pressed[kMostContacts];                 // N, contact forces of the step, to start from
  double friction[kMostContacts] = {};
  Mat3d coupling[kMostContacts];          // 1/kg, contact's answer to a force at the point
  Mat3d W[kMostContacts][kMostContacts];  // 1/kg, to a force at another contact
};

// Fills it on the physics thread after a step: for bodies that fly free or stand on what is fixed,
// on few points. Others, robots and what leans on other things, are left to go on as they move:
// their group is as dear as the step itself, and half of it would be wrong.
class LocalModelMaker {
 public:
  explicit LocalModelMaker(const model::Model& model) : points_(model), lambda_(model) {}

  // `force` is what the coupling did in the step, N.
  void update(const sim::StepView& view, model::BodyIndex body, const Vec3d& p_B,
              const Vec3d& force, LocalModel& local);

 private:
  dynamics::ContactSet points_;
  dynamics::Delassus<double> lambda_;
  std::vector<dynamics::ContactPoint> list_;
};

// Moves the point on, on the device's thread: the coupling implicit in the velocity, the contacts
// by the solver of the physics. Asks for no memory once warm.
class LocalMotion {
 public:
  LocalMotion();

  void start(const LocalModel& local);
  // By h seconds, pulled to a target (m) that moves at a velocity (m/s).
  void advance(const LocalModel& local, double h, const Vec3d& target, const Vec3d& velocity);

  // As it moved at the end of the step, whatever pulls.
  void go_on(const LocalModel& local, double h) { position_ += h * local.velocity; }

  const Vec3d& position() const { return position_; }

 private:
  Vec3d position_{}, velocity_{};
  Vec3d u_[kMostContacts];
  std::vector<Vec3d> p_;  // impulses, N s
  solver::ContactProblem problem_;
  solver::Solver solver_;
};

}  // namespace stance::haptics
