#pragma once

// Sweeps in the space of bodies and coordinates.

#include "stance/solver/body_newton.h"
#include "stance/solver/body_problem.h"
#include "stance/solver/contact_lanes.h"
#include "stance/solver/dense_newton.h"
#include "stance/solver/local_law.h"
#include "stance/solver/sweeps.h"

namespace stance::solver {

class BodySweeps final : public Sweeps {
 public:
  // Prepares for a problem, which must outlive its use here; allocates only when it has more blocks
  // or nodes than any before.
  void start(const BodyProblem& problem);

  int size() const override { return problem_->num_blocks(); }
  double free_speed() const override { return free_speed_; }
  double sweep_cost() const override;
  void place(std::span<const Vec3d> p) override;
  StartGrade grade_start(std::span<const Vec3d> p, double near, double settled,
                         Residual& residual) const override;
  int hold_still(std::span<Vec3d> p, double near, double aim) override;  // body_still.cc
  SweepReport sweep(std::span<Vec3d> p, double relaxation, double precision) override;
  void project(std::span<Vec3d> p) const override { project_impulses(problem_->blocks, p); }
  void project_and_place(std::span<Vec3d> p) override;
  Residual grade(std::span<const Vec3d> p) const override {
    return calc_residual(*problem_, p, graded_);
  }
  double newton_cost() const override;       // of robots
  NewtonProblem* newton_problem() override;  // of few rows, and of free bodies

  // u of a block as the last sweep or place left it.
  Vec3d swept_velocity(int i) const { return calc_velocity(*problem_, i, motions()); }

 private:
  // What a block keeps at hand.
  struct Local {
    Mat3d W;                          // its own part, with that of C
    Motion<double> by_a[3], by_b[3];  // Omega f of its own nodes
    LocalFactor factor;
    double lambda = 0.0;
    bool alone = false;  // both trees have one node each and no coordinates, and are two
  };

  void prepare();
  const NodeMotions& motions() const {
    if (is_behind_) lanes_.give(motions_.V), is_behind_ = false;
    return motions_;
  }
  bool find_held_rows(std::span<const Vec3d> p, double slow);
  Vec3d precondition(int i, const Vec3d& u) const;
  void start_body_block(const BodyProblem::Rows& rows, const Block& block, Local& local) const;
  void start_coordinate_block(const BodyProblem::Rows& rows, const Block& block,
                              Local& local) const;

  const BodyProblem* problem_ = nullptr;
  double free_speed_ = 0.0;
  bool is_prepared_ = false;
  std::vector<Local> locals_;  // made before the first sweep
  ContactLanes lanes_;         // contacts that are swept four at a time, likewise
  // due to impulses only; behind the lanes when asked for after a sweep in which all blocks were
  // theirs
  mutable NodeMotions motions_;
  mutable bool is_behind_ = false;
  mutable NodeMotions graded_;
  // of hold_still, by block: 1 in rows that are held, what is left of their velocities, impulses
  // found and tried
  std::vector<Vec3d> held_, left_, found_, tried_, response_;

  // made when first asked for
  NewtonProblem* newton_ = nullptr;
  DenseNewton dense_newton_;
  BodyNewton body_newton_;
};

}  // namespace stance::solver
