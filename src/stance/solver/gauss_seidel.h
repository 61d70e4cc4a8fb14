#pragma once

// Block Gauss-Seidel with W given: u of a block is gathered from the impulses of all others. What
// gives way is added to W once, at the start.

#include "stance/solver/dense_newton.h"
#include "stance/solver/local_law.h"
#include "stance/solver/matrix_newton.h"
#include "stance/solver/sweeps.h"

namespace stance::solver {

class GaussSeidel final : public Sweeps {
 public:
  // Prepares for a problem, which must outlive its use here; allocates only when it has more blocks
  // than any before.
  void start(const ContactProblem& problem);

  int size() const override { return problem_->num_blocks(); }
  double sweep_cost() const override {
    return 4.0 * W_->block.size() + 40.0 * problem_->num_blocks();
  }
  double free_speed() const override { return free_speed_; }
  void place(std::span<const Vec3d>) override {}
  SweepReport sweep(std::span<Vec3d> p, double relaxation, double precision) override;
  void project(std::span<Vec3d> p) const override { project_impulses(problem_->blocks, p); }
  Residual grade(std::span<const Vec3d> p) const override { return calc_residual(*problem_, p); }
  NewtonProblem* newton_problem() override;

 private:
  const ContactProblem* problem_ = nullptr;
  const BlockMatrix* W_ = nullptr;  // and C
  BlockMatrix sum_;                 // where there is a C
  double free_speed_ = 0.0;
  DenseNewton small_newton_;
  MatrixNewton newton_;
  std::vector<LocalFactor> factor_;
  std::vector<double> lambda_;  // by block, where the last sweep found it sliding
};

}  // namespace stance::solver
