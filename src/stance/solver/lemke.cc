#include "stance/solver/lemke.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace stance::solver {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kPivot = 1e-11;  // entries below this, of the largest in M, count as zero
constexpr double kTie = 1e-12;

// basic = constant + T nonbasic. Variables: w_i is i, z_i is n + i, the artificial one 2 n.
struct Dictionary {
  MatrixXd T;
  VectorXd constant;
  std::vector<int> basic, nonbasic;

  // Exchanges the basic variable of row r with the nonbasic one of column c.
  void pivot(int r, int c) {
    const double p = T(r, c);
    Eigen::RowVectorXd row = T.row(r) / -p;
    row[c] = 1.0 / p;
    const double value = constant[r] / -p;
    const VectorXd column = T.col(c);
    T.col(c).setZero();
    T.noalias() += column * row;
    constant += value * column;
    T.row(r) = row;
    constant[r] = value;
    std::swap(basic[r], nonbasic[c]);
  }
};

}  // namespace

LemkeStatus solve_lcp(const MatrixXd& M, const VectorXd& q, int max_pivots,
                      bool (*should_stop)(void*), void* stop_argument, VectorXd& z) {
  const int n = static_cast<int>(q.size()), artificial = 2 * n;
  LemkeStatus status;
  z.setZero(n);
  int leaving = 0;
  if (n == 0 || q.minCoeff(&leaving) >= 0.0) {
    status.is_solved = true;
    return status;
  }

  Dictionary d;
  d.T.resize(n, n + 1);
  d.T << M, VectorXd::Ones(n);
  d.constant = q;
  for (int i = 0; i < n; ++i) d.basic.push_back(i), d.nonbasic.push_back(n + i);
  d.nonbasic.push_back(artificial);
  const double smallest = kPivot * std::max(M.cwiseAbs().maxCoeff(), 1.0);

  // the artificial variable enters for the most negative row; then complements in turn
  int entering = n;
  while (status.pivots < max_pivots && !(should_stop && should_stop(stop_argument))) {
    const int left = d.basic[leaving];
    d.pivot(leaving, entering);
    ++status.pivots;
    if (left == artificial) {
      for (int i = 0; i < n; ++i)
        if (d.basic[i] >= n && d.basic[i] < artificial) z[d.basic[i] - n] = d.constant[i];
      z = z.cwiseMax(0.0);
      status.is_solved = z.allFinite();
      return status;
    }
    const int complement = left < n ? left + n : left - n;
    for (int c = 0; c <= n; ++c)
      if (d.nonbasic[c] == complement) entering = c;

    // who reaches zero first; the artificial variable among equals, else the largest pivot
    leaving = -1;
    double shortest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < n; ++i) {
      const double slope = -d.T(i, entering);
      if (slope <= smallest) continue;
      const double ratio = std::max(d.constant[i], 0.0) / slope;
      const bool ties = leaving >= 0 && std::abs(ratio - shortest) <= kTie * (1.0 + shortest);
      const bool wins = ties ? d.basic[i] == artificial || (d.basic[leaving] != artificial &&
                                                            slope > -d.T(leaving, entering))
                             : ratio < shortest;
      if (wins) leaving = i, shortest = std::min(ratio, shortest);
    }
    if (leaving < 0) return status;  // a ray: no solution on this path
  }
  return status;
}

double calc_lcp_residual(const MatrixXd& M, const VectorXd& q, const VectorXd& z) {
  const VectorXd w = M * z + q;
  const double scale = std::max({q.norm(), z.norm(), w.norm()});
  const double error = z.cwiseMin(w).norm();
  return scale > 0.0 ? error / scale : error;
}

}  // namespace stance::solver
