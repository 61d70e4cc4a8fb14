#pragma once

// From the rows that files of contact problems have to blocks: three rows per contact (N T1 T2), or
// five (N T1 T2 and rolling about T1 T2); local (W, q), or global (M, H, f, w), which is reduced
// here.

#include <span>
#include <string>
#include <vector>

#include "stance/solver/contact_problem.h"

namespace stance::io {

// A sparse matrix as it stands in a file.
struct StoredMatrix {
  int rows = 0, columns = 0;
  std::vector<solver::Entry> entries{};
};

// What a file says of its contacts. Rows of contacts stand first, then those of equality
// constraints (u = 0), if any.
struct ProblemRows {
  std::string file;               // for messages
  int per_contact = 3;            // rows: 3, or 5 with rolling
  std::vector<double> mu{};       // (contacts)
  std::vector<double> mu_roll{};  // (contacts) m, with 5 rows
  int equalities = 0;             // rows

  int contacts() const { return static_cast<int>(mu.size()); }
  int contact_rows() const { return per_contact * contacts(); }
  int rows() const { return contact_rows() + equalities; }
};

// The problem u = W p + q; throws stance::Error where sizes or coefficients make no sense.
solver::ContactProblem make_problem(const ProblemRows& rows, const StoredMatrix& W,
                                    std::span<const double> q);

// That of M v = H p + f, u = H^T v + w: W = H^T M^-1 H and q = H^T M^-1 f + w. Throws likewise, and
// where M is singular.
solver::ContactProblem reduce_problem(const ProblemRows& rows, const StoredMatrix& M,
                                      const StoredMatrix& H, std::span<const double> f,
                                      std::span<const double> w);

}  // namespace stance::io
