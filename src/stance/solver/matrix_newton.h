#pragma once

// Newton's method on a large problem with its matrix: dense systems where it is full, sparse ones
// else. Allocates. Of few rows: dense_newton.h.

#include <memory>

#include "stance/solver/contact_problem.h"
#include "stance/solver/newton.h"

namespace stance::solver {

class MatrixNewton final : public NewtonProblem {
 public:
  MatrixNewton();
  ~MatrixNewton() override;

  // Prepares for a problem and its W + C (find_total), which must outlive their use here.
  void start(const ContactProblem& problem, const BlockMatrix& total);

  // About what a step costs with so many blocks of 3x3 in the matrix, ns.
  static double estimate_cost(int num_blocks, double matrix_blocks);

  std::span<const Block> blocks() const override { return problem_->blocks; }
  std::span<const Vec3d> free_velocities() const override { return problem_->q; }
  Vec3d own_part(int i) const override;
  void calc_velocities(std::span<const Vec3d> p, std::span<Vec3d> u) override;
  bool solve(std::span<const NewtonRow> rows, double alpha, std::span<Vec3d> dp) override;
  double step_cost() const override;

 private:
  struct LinearSolver;

  const ContactProblem* problem_ = nullptr;
  const BlockMatrix* W_ = nullptr;  // and C
  std::vector<int> first_;          // by block: its first row in the linear system (n + 1)
  std::unique_ptr<LinearSolver> linear_;
};

}  // namespace stance::solver
