#include "stance/solver/gauss_seidel.h"

#include <cmath>

namespace stance::solver {
namespace {

// b_i = q_i + sum over j != i of W_ij p_j
Vec3d gather(const BlockMatrix& W, int i, const Vec3d& q, std::span<const Vec3d> p) {
  // three sums side by side: one chain would wait for each product
  Vec3d x = q, y, z;
  const auto add = [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const Vec3d& f = p[W.column[k]];
      x = madd(f[0], W.block[k].c[0], x);
      y = madd(f[1], W.block[k].c[1], y);
      z = madd(f[2], W.block[k].c[2], z);
    }
  };
  add(W.row_start[i], W.diagonal[i]);
  add(W.diagonal[i] + 1, W.row_start[i + 1]);
  return x + (y + z);
}

}  // namespace

void GaussSeidel::start(const ContactProblem& problem) {
  problem_ = &problem;
  W_ = &find_total(problem, sum_);
  const int n = problem.num_blocks();
  factor_.resize(n);
  lambda_.assign(n, 0.0);
  for (int i = 0; i < n; ++i)
    factor_[i] = make_local_factor(problem.blocks[i], W_->block[W_->diagonal[i]]);
  double sum = 0.0;
  for (const Vec3d& q : problem.q) sum += dot(q, q);
  free_speed_ = std::sqrt(sum);
}

NewtonProblem* GaussSeidel::newton_problem() {
  if (DenseNewton::count_rows(problem_->blocks) <= DenseNewton::kSmall) {
    small_newton_.start(*problem_);
    return &small_newton_;
  }
  newton_.start(*problem_, *W_);
  return &newton_;
}

SweepReport GaussSeidel::sweep(std::span<Vec3d> p, double relaxation, double precision) {
  const ContactProblem& problem = *problem_;
  Vec3d change2, impulse2, velocity2;  // lane by lane, summed at the end
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Block& block = problem.blocks[i];
    const Mat3d& W = W_->block[W_->diagonal[i]];
    const Vec3d b = gather(*W_, i, problem.q[i], p);
    const double normal = find_load(block, p);
    const Vec3d p_new = solve_block(factor_[i], block, W, normal, b, p[i], lambda_[i], precision);
    const Vec3d change = W * (p_new - p[i]), u = madd(W, p_new, b);
    change2.e = kernel::fma4(change.e, change.e, change2.e);
    impulse2.e = kernel::fma4(p_new.e, p_new.e, impulse2.e);
    velocity2.e = kernel::fma4(u.e, u.e, velocity2.e);
    p[i] = relaxation == 1.0 ? p_new : madd(relaxation, p_new - p[i], p[i]);
  }
  return {std::sqrt(kernel::sum4(change2.e)), std::sqrt(kernel::sum4(impulse2.e)),
          std::sqrt(kernel::sum4(velocity2.e))};
}

}  // namespace stance::solver
