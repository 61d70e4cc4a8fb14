#pragma once

// Newton's method on few rows: robots with their joints, small heaps, small problems from files.
//
// W is kept dense, without the rows that blocks do not use: a limit or dry friction has one. Blocks
// whose equation has no part of u (open contacts, joints that slip) are solved on the spot, so the
// linear system has the rows that are held only.

#include "stance/solver/body_problem.h"
#include "stance/solver/dense_system.h"
#include "stance/solver/newton.h"

namespace stance::solver {

class DenseNewton final : public NewtonProblem {
 public:
  static constexpr int kMostRows = 384;  // beyond that others are faster, or nobody is fast enough
  static constexpr int kSmall = 192;     // rows that there is always room for

  static int count_rows(std::span<const Block> blocks);
  static double estimate_cost(int num_blocks, int rows);  // of a step, about, ns

  // Take over a problem, which must outlive its use here. Memory is kept.
  void start(const ContactProblem& problem);
  void start(const BodyProblem& problem, NodeMotions& work);

  std::span<const Block> blocks() const override { return blocks_; }
  std::span<const Vec3d> free_velocities() const override { return q_; }
  Vec3d own_part(int i) const override;
  void calc_velocities(std::span<const Vec3d> p, std::span<Vec3d> u) override;
  bool solve(std::span<const NewtonRow> rows, double alpha, std::span<Vec3d> dp) override;
  double step_cost() const override {
    return estimate_cost(static_cast<int>(blocks_.size()), size_);
  }

 private:
  void start(std::span<const Block> blocks, std::span<const Vec3d> q);
  double* row(int r) { return W_.data() + static_cast<std::size_t>(r) * stride_; }
  const double* row(int r) const { return W_.data() + static_cast<std::size_t>(r) * stride_; }
  void solve_alone(std::span<const NewtonRow> rows, std::span<Vec3d> dp);
  void add_compliance(const Compliance& C);
  void add_equations(const NewtonRow& equation, double alpha, int block, int at);

  std::span<const Block> blocks_;
  std::span<const Vec3d> q_;
  std::vector<int> first_;     // by block: its first row (n + 1)
  int size_ = 0, stride_ = 0;  // rows; rounded up to a multiple of four
  std::vector<double> W_;      // (size x stride)
  std::vector<double> p_;      // (stride) impulses by row, zero where padded
  std::vector<double> du_;     // (size) what blocks solved on the spot change
  std::vector<int> held_;      // blocks in the system
  std::vector<int> columns_;   // rows of W in the system
  DenseSystem system_;
};

}  // namespace stance::solver
