#include "stance/io/problem_rows.h"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseLU>
#include <fmt/format.h>

#include "stance/kernel/error.h"

namespace stance::io {

using solver::Block;
using solver::ContactProblem;
using solver::Entry;
using solver::Law;

namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;
constexpr int kMostGlobalRows = 90'000;  // every row of W is one solve with M

void check_size(const std::string& file, const char* what, std::size_t got, std::size_t expected) {
  if (got != expected)
    throw Error(fmt::format("{}: {} is {}, expected {}", file, what, got, expected));
}

// Where a row of the file stands among the blocks' rows. A contact with rolling takes two blocks:
// itself, and its spin without torsion.
int find_row(const ProblemRows& rows, int k) {
  if (k >= rows.contact_rows()) {
    const int first = rows.per_contact == 5 ? 6 * rows.contacts() : 3 * rows.contacts();
    return first + k - rows.contact_rows();
  }
  if (rows.per_contact == 3) return k;
  const int contact = k / 5, own = k % 5;
  return 6 * contact + (own < 3 ? own : own + 1);
}

std::vector<Block> make_blocks(const ProblemRows& rows) {
  const auto check = [&](int contact, double mu, const char* what) {
    if (!(mu >= 0.0) || !std::isfinite(mu))
      throw Error(fmt::format("{}: contact {}: {} is {}, expected 0 or more", rows.file, contact,
                              what, mu));
    return mu;
  };
  std::vector<Block> blocks;
  for (int i = 0; i < rows.contacts(); ++i) {
    const int normal = static_cast<int>(blocks.size());
    blocks.push_back({.mu = check(i, rows.mu[i], "mu")});
    if (rows.per_contact == 5)
      blocks.push_back(
          {.law = Law::kSpin,
           .mu_rolling = check(i, rows.mu_roll[i], "a coefficient of rolling friction"),
           .normal = normal});
  }
  for (int left = rows.equalities; left > 0; left -= 3)
    blocks.push_back({.law = Law::kBilateral, .rows = std::min(3, left)});
  return blocks;
}

SparseMatrix make_sparse(const StoredMatrix& matrix) {
  std::vector<Eigen::Triplet<double>> triplets;
  for (const Entry& e : matrix.entries) triplets.emplace_back(e.row, e.column, e.value);
  SparseMatrix sparse(matrix.rows, matrix.columns);
  sparse.setFromTriplets(triplets.begin(), triplets.end());
  return sparse;
}

// Whether M^-1 M x = x for some x of no particular direction: rounding hides the zero pivot of a
// singular matrix, but not what comes of dividing by what it left there.
bool is_regular(const SparseMatrix& M, const Eigen::SparseLU<SparseMatrix>& factor) {
  constexpr double kClose = 1e-3;
  Vector x(M.rows());
  for (Eigen::Index k = 0; k < x.size(); ++k) x[k] = 1.0 + static_cast<double>(k * 7 % 11);
  const Vector b = M * x;
  const Vector again = factor.solve(b);
  return (again - x).norm() <= kClose * x.norm();
}

}  // namespace

ContactProblem make_problem(const ProblemRows& rows, const StoredMatrix& W,
                            std::span<const double> q) {
  const auto n = static_cast<std::size_t>(rows.rows());
  check_size(rows.file, "the number of rows of W", static_cast<std::size_t>(W.rows), n);
  check_size(rows.file, "the number of columns of W", static_cast<std::size_t>(W.columns), n);
  check_size(rows.file, "the size of q", q.size(), n);
  if (rows.per_contact == 5)
    check_size(rows.file, "the number of coefficients of rolling friction", rows.mu_roll.size(),
               rows.mu.size());
  ContactProblem problem;
  problem.blocks = make_blocks(rows);
  problem.q.resize(problem.blocks.size());
  for (std::size_t k = 0; k < n; ++k) {
    const int row = find_row(rows, static_cast<int>(k));
    problem.q[row / 3].set(row % 3, q[k]);
  }
  std::vector<Entry> entries;
  entries.reserve(W.entries.size());
  for (const Entry& e : W.entries)
    entries.push_back({find_row(rows, e.row), find_row(rows, e.column), e.value});
  if (rows.per_contact == 5) {
    // Torsion is not resisted, so its impulse is zero; an inverse inertia of its own, like that of
    // rolling, keeps the row from being an equation about nothing.
    std::vector<double> rolling(rows.mu.size());
    for (const Entry& e : W.entries)
      if (e.row == e.column && e.row < rows.contact_rows() && e.row % 5 == 3)
        rolling[e.row / 5] += e.value;
    for (int i = 0; i < rows.contacts(); ++i)
      entries.push_back({6 * i + 3, 6 * i + 3, rolling[i] > 0.0 ? rolling[i] : 1.0});
  }
  problem.W = make_block_matrix(problem.num_blocks(), std::move(entries));
  return problem;
}

ContactProblem reduce_problem(const ProblemRows& rows, const StoredMatrix& M, const StoredMatrix& H,
                              std::span<const double> f, std::span<const double> w) {
  const auto fail = [&](const std::string& what) { throw Error(rows.file + ": " + what); };
  const int n = rows.rows();
  const auto size = static_cast<std::size_t>(M.rows);
  check_size(rows.file, "the number of columns of M", static_cast<std::size_t>(M.columns), size);
  check_size(rows.file, "the number of rows of H", static_cast<std::size_t>(H.rows), size);
  check_size(rows.file, "the number of columns of H", static_cast<std::size_t>(H.columns),
             static_cast<std::size_t>(n));
  check_size(rows.file, "the size of f", f.size(), size);
  check_size(rows.file, "the size of w", w.size(), static_cast<std::size_t>(n));
  if (n > kMostGlobalRows)
    fail(fmt::format("a global problem of {} rows is too large, expected at most {}", n,
                     kMostGlobalRows));
  if (M.rows == 0 && n > 0) fail("the mass matrix M is empty");
  if (n == 0) return {};

  const SparseMatrix mass = make_sparse(M);
  Eigen::SparseLU<SparseMatrix> factor(mass);
  if (factor.info() != Eigen::Success || !is_regular(mass, factor))
    fail("the mass matrix M is singular");
  const SparseMatrix columns = make_sparse(H);
  const Vector v_free = factor.solve(Eigen::Map<const Vector>(f.data(), M.rows));
  const Vector q = columns.transpose() * v_free + Eigen::Map<const Vector>(w.data(), n);

  // M couples few velocities, so most of W is zero: keep what is not
  StoredMatrix W{n, n};
  for (int c = 0; c < n; ++c) {
    const Vector unit = columns.col(c);
    const Vector x = factor.solve(unit);
    const Vector column = columns.transpose() * x;
    const double smallest = 1e-15 * column.cwiseAbs().maxCoeff();
    for (int r = 0; r < n; ++r)
      if (std::abs(column[r]) > smallest) W.entries.push_back({r, c, column[r]});
  }
  return make_problem(rows, W, std::span(q.data(), static_cast<std::size_t>(n)));
}

}  // namespace stance::io
