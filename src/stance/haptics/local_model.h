#pragma once

// The held point as the device's thread knows it between two steps of the physics: the contact
// problem of its group, which is solved again for every force of the device (README.md).

#include <cstdint>
#include <vector>

#include "stance/contact/group_work.h"
#include "stance/dynamics/aba.h"
#include "stance/sim/channel.h"
#include "stance/sim/drag.h"
#include "stance/solver/solve.h"

namespace stance::haptics {

using kernel::Mat3d;
using kernel::Vec3d;

inline constexpr int kMostBlocks = 48;
inline constexpr double kLocalTolerance = 1e-6;  // of Residual::relative, between steps

// Why a held point is not known between steps, or not well.
enum class LocalFault : std::uint8_t {
  kNone,
  kTooManyRows,   // more constraints in force than kMostBlocks
  kPenaltyLaw,    // forces that no problem gives
  kNotConverged,  // the device's thread could not solve it
};

struct LocalModel {
  Vec3d position{}, velocity{};          // m, m/s, of the point at the end of the step
  LocalFault fault = LocalFault::kNone;  // why it is not known

  // How it answers; without these it goes on as it moves.
  bool is_known = false;
  double spring = 0.0;   // N/m, of the coupling, as the object feels it
  Mat3d damper{};        // N s/m, of the coupling, on the object's side (H11)
  Mat3d mobility{};      // 1/kg, inverse inertia at the point
  Vec3d acceleration{};  // m/s^2, by all but coupling and constraints
  // Constraints of the group that are in force: contacts and limits that pressed, dry friction,
  // loops; rows as in the solver's problem.
  int num_blocks = 0;
  solver::Block blocks[kMostBlocks];   // bounds in N or N m
  Vec3d u[kMostBlocks];                // velocities at the end of the step
  Vec3d rate[kMostBlocks];             // of u, by all but coupling and constraints
  Vec3d pressed[kMostBlocks];          // N, N m: forces of the step, to start from
  Mat3d coupling[kMostBlocks];         // answer to a force at the point
  Mat3d W[kMostBlocks * kMostBlocks];  // (num_blocks x num_blocks), by rows: to each other
};

// Fills it on the physics thread after a step. Groups of more constraints than there is room for,
// and those of penalty laws, are left to go on as they move: half of a group would be wrong. The
// fault says so.
class LocalModelMaker {
 public:
  explicit LocalModelMaker(const model::Model& model);

  void update(const sim::StepView& view, const sim::Drag& drag, LocalModel& local);

 private:
  LocalFault find_group(const sim::StepView& view, int tree);
  void read(const contact::ContactScratch& s, std::span<const kernel::Motion<double>> V,
            std::span<const double> v);
  void remove_coupling(double h, const Mat3d& damping, LocalModel& local) const;

  contact::GroupWork work_;
  dynamics::ForwardDynamics<double> forward_;
  dynamics::Velocities<double> velocities_;
  std::vector<kernel::Force<double>> wrenches_;  // (nbody)
  std::vector<kernel::Motion<double>> motions_;  // (nbody)
  std::vector<double> none_, answer_;            // (nv)
  solver::NodeMotions nodes_, work_nodes_;
  solver::ContactProblem problem_;
};

// Moves the point on, on the device's thread: the coupling implicit in the velocity, the
// constraints by the solver of the physics. Asks for no memory once warm.
class LocalMotion {
 public:
  LocalMotion();

  void start(const LocalModel& local);
  // By h seconds, pulled to a target (m, where it is at the end) that moves at a velocity (m/s).
  void advance(const LocalModel& local, double h, const Vec3d& target, const Vec3d& velocity);

  // As it moved at the end of the step, whatever pulls.
  void go_on(const LocalModel& local, double h) { position_ += h * local.velocity; }

  const Vec3d& position() const { return position_; }
  // How often constraints were not solved to kLocalTolerance.
  std::uint64_t unsolved() const { return unsolved_; }

 private:
  void couple(const LocalModel& local, double h);

  Vec3d position_{}, velocity_{};
  std::uint64_t unsolved_ = 0;
  double coupled_ = 0.0;  // s that the matrices below are for; 0: none yet
  Mat3d E_{}, A_{};       // h (D + h S), (1 + L E)^-1
  Vec3d u_[kMostBlocks];
  std::vector<Vec3d> p_;  // impulses, N s
  solver::ContactProblem problem_;
  solver::Solver solver_;
};

}  // namespace stance::haptics
