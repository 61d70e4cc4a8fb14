#pragma once

// Contact problems put together in tests, and their dense form.

#include <Eigen/Core>

#include "stance/kernel/random.h"
#include "stance/solver/contact_problem.h"

namespace stance::io::testing {

// Every block of W full, and none of them symmetric: a mistake in the order of entries shows.
inline solver::ContactProblem make_asymmetric(int n, std::uint64_t seed) {
  kernel::Random random(seed);
  solver::ContactProblem problem;
  std::vector<solver::Entry> entries;
  for (int r = 0; r < 3 * n; ++r)
    for (int c = 0; c < 3 * n; ++c)
      if ((r / 3 + c / 3) % 2 == 0 || r / 3 == c / 3)
        entries.push_back({r, c, r == c ? 10.0 + random.uniform(0.0, 1.0) : random.uniform(-1, 1)});
  problem.W = solver::make_block_matrix(n, std::move(entries));
  for (int i = 0; i < n; ++i) {
    problem.q.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    problem.blocks.emplace_back();
    problem.blocks.back().mu = random.uniform(0.0, 1.0);
  }
  return problem;
}

inline Eigen::MatrixXd make_dense(const solver::BlockMatrix& W) {
  const int n = W.num_rows();
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  for (int i = 0; i < n; ++i)
    for (int k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
      dense.block<3, 3>(3 * i, 3 * W.column[k]) = W.block[k].eigen();
  return dense;
}

}  // namespace stance::io::testing
