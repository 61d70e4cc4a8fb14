#pragma once

// Linear complementarity problems w = M z + q, w >= 0, z >= 0, w . z = 0, by Lemke's method.

#include <span>

#include <Eigen/Core>

namespace stance::solver {

struct LemkeStatus {
  bool is_solved = false;  // false: a ray, too many pivots, or stopped
  int pivots = 0;
};

// Complementary pivoting on a dense dictionary (Cottle, Pang and Stone 1992, algorithm 4.4.5). Ends
// with a solution for every copositive-plus M when there is one. `should_stop` is asked at every
// pivot. Allocates; for comparison, not for steps.
[[nodiscard]] LemkeStatus solve_lcp(const Eigen::MatrixXd& M, const Eigen::VectorXd& q,
                                    int max_pivots, bool (*should_stop)(void*), void* stop_argument,
                                    Eigen::VectorXd& z);

// How far z is from a solution: |min(z, w)| over the largest of |q|, |z|, |w|, w = M z + q. Zero
// for a solution, and only there.
double calc_lcp_residual(const Eigen::MatrixXd& M, const Eigen::VectorXd& q,
                         const Eigen::VectorXd& z);

}  // namespace stance::solver
