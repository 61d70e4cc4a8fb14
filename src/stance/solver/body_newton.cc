#include "stance/solver/body_newton.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace stance::solver {

using kernel::Double4;
using kernel::fma4;
using kernel::fnma4;
using kernel::splat;

namespace {

constexpr double kProduct = 30.0, kPerBlock = 700.0;  // ns: a product of 6x6, all else of a point

Mat3d calc_inverse(const Mat3d& a) {
  const Vec3d x = cross(a.c[1], a.c[2]), y = cross(a.c[2], a.c[0]), z = cross(a.c[0], a.c[1]);
  const double factor = 1.0 / dot(a.c[0], x);
  return transpose(Mat3d(factor * x, factor * y, factor * z));
}

bool is_zero(const Mat3d& a) {
  return dot(a.c[0], a.c[0]) + dot(a.c[1], a.c[1]) + dot(a.c[2], a.c[2]) == 0.0;
}

}  // namespace

// ---- blocks of 6x6 ------------------------------------------------------------------------------

// c -= a b
void BodyNewton::multiply_subtract(const Block6& a, const Block6& b, Block6& c) {
  for (int j = 0; j < 6; ++j) {
    Double4 top = c.top[j], low = c.low[j];
    for (int k = 0; k < 6; ++k) {
      const Double4 factor = splat(k < 3 ? b.top[j][k] : b.low[j][k - 3]);
      top = fnma4(factor, a.top[k], top);
      low = fnma4(factor, a.low[k], low);
    }
    c.top[j] = top, c.low[j] = low;
  }
}

BodyNewton::Block6 BodyNewton::multiply(const Block6& a, const Block6& b) {
  Block6 c;
  for (int j = 0; j < 6; ++j) {
    Double4 top{}, low{};
    for (int k = 0; k < 6; ++k) {
      const Double4 factor = splat(k < 3 ? b.top[j][k] : b.low[j][k - 3]);
      top = fma4(factor, a.top[k], top);
      low = fma4(factor, a.low[k], low);
    }
    c.top[j] = top, c.low[j] = low;
  }
  return c;
}

// y -= a x
void BodyNewton::multiply_subtract(const Block6& a, const Column6& x, Column6& y) {
  for (int k = 0; k < 6; ++k) {
    const Double4 factor = splat(k < 3 ? x.top[k] : x.low[k - 3]);
    y.top = fnma4(factor, a.top[k], y.top);
    y.low = fnma4(factor, a.low[k], y.low);
  }
}

// Gauss and Jordan's elimination on columns; the largest of a row is the pivot.
bool BodyNewton::invert(Block6& a) {
  const auto at = [](const Block6& m, int i, int j) {
    return i < 3 ? m.top[j][i] : m.low[j][i - 3];
  };
  Block6 x{};
  for (int k = 0; k < 3; ++k) x.top[k][k] = x.low[k + 3][k] = 1.0;
  for (int k = 0; k < 6; ++k) {
    int p = k;
    for (int j = k + 1; j < 6; ++j)
      if (std::abs(at(a, k, j)) > std::abs(at(a, k, p))) p = j;
    const double pivot = at(a, k, p);
    if (!(std::abs(pivot) > 0.0)) return false;
    std::swap(a.top[k], a.top[p]), std::swap(a.low[k], a.low[p]);
    std::swap(x.top[k], x.top[p]), std::swap(x.low[k], x.low[p]);
    const Double4 inverse = splat(1.0 / pivot);
    a.top[k] *= inverse, a.low[k] *= inverse, x.top[k] *= inverse, x.low[k] *= inverse;
    for (int j = 0; j < 6; ++j) {
      if (j == k) continue;
      const Double4 factor = splat(at(a, k, j));
      a.top[j] = fnma4(factor, a.top[k], a.top[j]), a.low[j] = fnma4(factor, a.low[k], a.low[j]);
      x.top[j] = fnma4(factor, x.top[k], x.top[j]), x.low[j] = fnma4(factor, x.low[k], x.low[j]);
    }
  }
  a = x;
  return true;
}

BodyNewton::Column6 BodyNewton::wrench_column(const Force<double>& f) { return {f.ang.e, f.lin.e}; }

// ---- order and pattern --------------------------------------------------------------------------

bool BodyNewton::can_serve(const BodyProblem& problem) {
  if (problem.C.has_coupled()) return false;
  return std::all_of(problem.nodes.begin(), problem.nodes.end(), [](const BodyProblem::Node& node) {
    return node.end - node.first == 1 && node.set < 0;
  });
}

// Nodes with the fewest links go first; those they leave behind become linked with each other.
void BodyNewton::find_order() {
  const int n = size_, words = (n + 63) / 64;
  const auto links = [&](int node) {
    return links_.data() + static_cast<std::size_t>(node) * words;
  };
  const auto link = [&](int a, int b) { links(a)[b / 64] |= std::uint64_t{1} << (b % 64); };
  const auto count = [&](int node) {
    int sum = 0;
    for (int k = 0; k < words; ++k) sum += std::popcount(links(node)[k]);
    return sum;
  };
  links_.assign(static_cast<std::size_t>(n) * words, 0);
  for (const BodyProblem::Rows& rows : problem_->rows)
    if (rows.a >= 0 && rows.b >= 0 && rows.a != rows.b) link(rows.a, rows.b), link(rows.b, rows.a);
  degree_.resize(n), node_at_.clear(), place_of_.assign(n, -1);
  for (int j = 0; j < n; ++j) degree_[j] = count(j);

  column_start_.assign(1, 0), row_.clear();
  for (int k = 0; k < n; ++k) {
    int least = -1;
    for (int j = 0; j < n; ++j)
      if (place_of_[j] < 0 && (least < 0 || degree_[j] < degree_[least])) least = j;
    place_of_[least] = k;
    node_at_.push_back(least);
    for (int w = 0; w < words; ++w) {
      for (std::uint64_t bits = links(least)[w]; bits != 0; bits &= bits - 1) {
        const int other = 64 * w + std::countr_zero(bits);
        for (int v = 0; v < words; ++v) links(other)[v] |= links(least)[v];
        links(other)[least / 64] &= ~(std::uint64_t{1} << (least % 64));
        links(other)[other / 64] &= ~(std::uint64_t{1} << (other % 64));
        degree_[other] = count(other);
        row_.push_back(other);
      }
    }
    column_start_.push_back(static_cast<int>(row_.size()));
  }
}

// Rows of the columns as places in the order, and which entry a contact block adds to.
void BodyNewton::find_pattern() {
  for (int& row : row_) row = place_of_[row];
  products_ = 0.0;
  for (int k = 0; k < size_; ++k) {
    std::sort(row_.begin() + column_start_[k], row_.begin() + column_start_[k + 1]);
    const double rows = column_start_[k + 1] - column_start_[k];
    products_ += 4.0 + rows * (rows + 1.0);
  }
  entry_of_.clear();
  for (const BodyProblem::Rows& rows : problem_->rows) {
    if (rows.a < 0 || rows.b < 0 || rows.a == rows.b) {
      entry_of_.push_back(-1);
      continue;
    }
    const int a = place_of_[rows.a], b = place_of_[rows.b];
    entry_of_.push_back(find_entry(std::min(a, b), std::max(a, b)));
  }
}

int BodyNewton::find_entry(int low, int high) const {
  const auto begin = row_.begin() + column_start_[low], end = row_.begin() + column_start_[low + 1];
  return static_cast<int>(std::lower_bound(begin, end, high) - row_.begin());
}

void BodyNewton::start(const BodyProblem& problem) {
  problem_ = &problem;
  size_ = problem.num_nodes();
  find_order();
  find_pattern();
  mass_.resize(size_), diagonal_.resize(size_), x_.resize(size_);
  lower_.resize(row_.size()), upper_.resize(row_.size());
  inverse_.resize(problem.num_blocks());
  for (int k = 0; k < size_; ++k) {
    const Mat6<double>& omega = problem.response[problem.nodes[node_at_[k]].responses];
    Block6& mass = mass_[k];
    for (int j = 0; j < 6; ++j) mass.top[j] = omega.c[j].ang.e, mass.low[j] = omega.c[j].lin.e;
    invert(mass);  // of a free body, never singular
  }
}

double BodyNewton::step_cost() const {
  return kProduct * products_ + kPerBlock * problem_->num_blocks();
}

// ---- what Newton's method asks for --------------------------------------------------------------

Vec3d BodyNewton::own_part(int i) const {
  const BodyProblem::Rows& rows = problem_->rows[i];
  Vec3d sum;
  const auto add = [&](int node, const Force<double>* f) {
    if (node < 0) return;
    const Mat6<double>& omega = problem_->response[problem_->nodes[node].responses];
    for (int k = 0; k < 3; ++k) sum.set(k, sum[k] + dot(omega * f[k], f[k]));
  };
  add(rows.a, rows.f_a), add(rows.b, rows.f_b);
  if (!problem_->C.is_empty()) {
    const Mat3d C = problem_->C.own_part(i);
    sum += Vec3d(C(0, 0), C(1, 1), C(2, 2));
  }
  return sum;
}

void BodyNewton::calc_velocities(std::span<const Vec3d> p, std::span<Vec3d> u) {
  calc_motions(*problem_, p, motions_);
  for (std::size_t i = 0; i < u.size(); ++i)
    u[i] = calc_velocity(*problem_, static_cast<int>(i), motions_);
}

// Adds J^T C J, +f on a and -f on b.
void BodyNewton::add_point(const BodyProblem::Rows& rows, const Term& term, int entry) {
  // C f: the share of each column
  const auto add = [](const Force<double>* left, const Mat3d& C, const Force<double>* right,
                      bool is_negative, Block6& to) {
    Double4 top[3], low[3];  // (left C), by columns of C
    for (int c = 0; c < 3; ++c) {
      const Double4 x = splat(C.c[c][0]), y = splat(C.c[c][1]), z = splat(C.c[c][2]);
      top[c] = fma4(z, left[2].ang.e, fma4(y, left[1].ang.e, x * left[0].ang.e));
      low[c] = fma4(z, left[2].lin.e, fma4(y, left[1].lin.e, x * left[0].lin.e));
      if (is_negative) top[c] = -top[c], low[c] = -low[c];
    }
    for (int j = 0; j < 6; ++j)
      for (int c = 0; c < 3; ++c) {
        const Double4 factor = splat(j < 3 ? right[c].ang[j] : right[c].lin[j - 3]);
        to.top[j] = fma4(factor, top[c], to.top[j]);
        to.low[j] = fma4(factor, low[c], to.low[j]);
      }
  };
  const bool has_a = rows.a >= 0, has_b = rows.b >= 0;
  if (has_a) add(rows.f_a, term.C, rows.f_a, false, diagonal_[place_of_[rows.a]]);
  if (has_b) add(rows.f_b, term.C, rows.f_b, false, diagonal_[place_of_[rows.b]]);
  if (!has_a || !has_b) return;
  const bool is_a_first = place_of_[rows.a] < place_of_[rows.b];
  add(rows.f_a, term.C, rows.f_b, true, (is_a_first ? upper_ : lower_)[entry]);
  add(rows.f_b, term.C, rows.f_a, true, (is_a_first ? lower_ : upper_)[entry]);
}

// Leaves inverses on the diagonal and multiples of columns below it.
bool BodyNewton::factor() {
  for (int k = 0; k < size_; ++k) {
    if (!invert(diagonal_[k])) return false;
    const int begin = column_start_[k], end = column_start_[k + 1];
    for (int e = begin; e < end; ++e) lower_[e] = multiply(lower_[e], diagonal_[k]);
    for (int f = begin; f < end; ++f) {
      const int j = row_[f];
      multiply_subtract(lower_[f], upper_[f], diagonal_[j]);
      int t = column_start_[j];
      for (int e = f + 1; e < end; ++e) {
        while (row_[t] != row_[e]) ++t;
        multiply_subtract(lower_[e], upper_[f], lower_[t]);
        multiply_subtract(lower_[f], upper_[e], upper_[t]);
      }
    }
  }
  return true;
}

void BodyNewton::substitute() {
  for (int k = 0; k < size_; ++k)
    for (int e = column_start_[k]; e < column_start_[k + 1]; ++e)
      multiply_subtract(lower_[e], x_[k], x_[row_[e]]);
  for (int k = size_ - 1; k >= 0; --k) {
    for (int e = column_start_[k]; e < column_start_[k + 1]; ++e)
      multiply_subtract(upper_[e], x_[row_[e]], x_[k]);
    Column6 y;
    multiply_subtract(diagonal_[k], x_[k], y);
    x_[k] = {-y.top, -y.low};
  }
}

bool BodyNewton::solve(std::span<const NewtonRow> rows, double alpha, std::span<Vec3d> dp) {
  std::copy(mass_.begin(), mass_.begin() + size_, diagonal_.begin());
  std::fill_n(lower_.begin(), row_.size(), Block6{});
  std::fill_n(upper_.begin(), row_.size(), Block6{});
  std::fill_n(x_.begin(), size_, Column6{});
  for (int i = 0; i < problem_->num_blocks(); ++i) {
    const NewtonRow& row = rows[i];
    const BodyProblem::Rows& at = problem_->rows[i];
    Mat3d S = row.B;
    for (int c = 0; c < 3; ++c)
      S.c[c] = madd(alpha * (c == 0 ? row.rho_n : row.rho_t), row.A.c[c], S.c[c]);
    if (!problem_->C.is_empty()) S += row.A * problem_->C.own_part(i);
    inverse_[i] = calc_inverse(S);
    const Term term{inverse_[i] * row.A, inverse_[i] * row.F};
    if (!is_zero(row.A)) add_point(at, term, entry_of_[i]);  // an open point has no part in it
    for (int k = 0; k < 3; ++k) {
      const auto add = [&](int node, const Force<double>& f, double factor) {
        if (node < 0) return;
        Column6& x = x_[place_of_[node]];
        x.top = fma4(splat(factor), f.ang.e, x.top);
        x.low = fma4(splat(factor), f.lin.e, x.low);
      };
      add(at.a, at.f_a[k], -term.c[k]), add(at.b, at.f_b[k], term.c[k]);
    }
  }
  if (!factor()) return false;
  substitute();

  // dp = -C' (F + A J dV)
  bool is_finite = true;
  for (int i = 0; i < problem_->num_blocks(); ++i) {
    const BodyProblem::Rows& at = problem_->rows[i];
    Vec3d du;
    const auto add = [&](int node, const Force<double>* f, double sign) {
      if (node < 0) return;
      const Column6& x = x_[place_of_[node]];
      for (int k = 0; k < 3; ++k)
        du.set(k, du[k] + sign * kernel::sum4(fma4(f[k].lin.e, x.low, f[k].ang.e * x.top)));
    };
    add(at.a, at.f_a, 1.0), add(at.b, at.f_b, -1.0);
    dp[i] = -(inverse_[i] * (rows[i].F + rows[i].A * du));
    is_finite = is_finite && std::isfinite(dp[i][0] + dp[i][1] + dp[i][2]);
  }
  return is_finite;
}

}  // namespace stance::solver
