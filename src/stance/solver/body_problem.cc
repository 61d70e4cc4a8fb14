#include "stance/solver/body_problem.h"

namespace stance::solver {
namespace {

// sum of dp_k f_k
Force<double> spread(const Force<double>* f, const Vec3d& dp) {
  return madd(dp[2], f[2], madd(dp[1], f[1], dp[0] * f[0]));
}

// acc + Omega F
Motion<double> respond(const Mat6<double>& omega, const Force<double>& F,
                       const Motion<double>& acc) {
  const Motion<double> first =
      madd(F.ang[2], omega.c[2], madd(F.ang[1], omega.c[1], madd(F.ang[0], omega.c[0], acc)));
  return first + madd(F.lin[2], omega.c[5], madd(F.lin[1], omega.c[4], F.lin[0] * omega.c[3]));
}

// Adds to all coordinates of a set what an impulse on one of them does, and to the nodes.
void act_on_coordinate(const BodyProblem& problem, const BodyProblem::CoordinateSet& set, int k,
                       double dp, NodeMotions& to) {
  const double* row = set.response + static_cast<std::ptrdiff_t>(k - set.first) * set.stride;
  double* w = to.w.data() + set.first;
  const kernel::Double4 factor = kernel::splat(dp);
  for (int c = 0; c < set.stride; c += 4)
    kernel::store4(w + c, kernel::fma4(factor, kernel::load4(row + c), kernel::load4(w + c)));
  for (int j = set.first_node; j < set.end_node; ++j) {
    const double* column = problem.nodes[j].by_coordinates + (k - set.first);
    const auto at = [&](int r) { return column[static_cast<std::ptrdiff_t>(r) * set.stride]; };
    const Motion<double> motion{Vec3d(at(0), at(1), at(2)), Vec3d(at(3), at(4), at(5))};
    to.V[j] = madd(dp, motion, to.V[j]);
  }
}

// Adds to all nodes and coordinates of a tree what a force on one of its nodes does.
void act_on_node(const BodyProblem& problem, int j, const Force<double>& F, NodeMotions& to) {
  const BodyProblem::Node& node = problem.nodes[j];
  const Mat6<double>* omega = problem.response.data() + node.responses;
  for (int k = node.first; k < node.end; ++k) to.V[k] = respond(*omega++, F, to.V[k]);
  if (node.set < 0) return;
  const BodyProblem::CoordinateSet& set = problem.sets[node.set];
  double* w = to.w.data() + set.first;
  for (int c = 0; c < set.stride; c += 4) {
    kernel::Double4 sum = kernel::load4(w + c);
    for (int r = 0; r < 6; ++r)
      sum = kernel::fma4(
          kernel::splat(F[r]),
          kernel::load4(node.by_coordinates + static_cast<std::ptrdiff_t>(r) * set.stride + c),
          sum);
    kernel::store4(w + c, sum);
  }
}

void clear(const BodyProblem& problem, NodeMotions& motions) {
  motions.V.assign(problem.num_nodes(), {});
  motions.w.assign(problem.num_coordinates, 0.0);
  motions.deflection.clear();
  if (!problem.C.is_empty()) motions.deflection.resize(problem.num_blocks());
}

}  // namespace

void push(const BodyProblem& problem, const BodyProblem::Rows& rows, const Vec3d& dp,
          NodeMotions& to) {
  if (rows.k1 >= 0) {
    act_on_coordinate(problem, problem.sets[rows.set1], rows.k1, rows.c1 * dp[0], to);
    if (rows.k2 >= 0)
      act_on_coordinate(problem, problem.sets[rows.set2], rows.k2, rows.c2 * dp[0], to);
    return;
  }
  if (rows.a >= 0) act_on_node(problem, rows.a, spread(rows.f_a, dp), to);
  if (rows.b >= 0) act_on_node(problem, rows.b, spread(rows.f_b, -dp), to);
}

void calc_motions(const BodyProblem& problem, std::span<const Vec3d> p, NodeMotions& motions) {
  clear(problem, motions);
  std::vector<Force<double>>& wrench = motions.wrench;
  std::vector<double>& impulse = motions.impulse;
  wrench.assign(problem.num_nodes(), {});
  impulse.assign(problem.num_coordinates, 0.0);
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const BodyProblem::Rows& rows = problem.rows[i];
    if (p[i][0] == 0.0 && p[i][1] == 0.0 && p[i][2] == 0.0) continue;
    if (rows.k1 >= 0) {
      impulse[rows.k1] += rows.c1 * p[i][0];
      if (rows.k2 >= 0) impulse[rows.k2] += rows.c2 * p[i][0];
      continue;
    }
    if (rows.a >= 0) wrench[rows.a] += spread(rows.f_a, p[i]);
    if (rows.b >= 0) wrench[rows.b] += spread(rows.f_b, -p[i]);
  }
  for (int j = 0; j < problem.num_nodes(); ++j) act_on_node(problem, j, wrench[j], motions);
  for (const BodyProblem::CoordinateSet& set : problem.sets)
    for (int k = set.first; k < set.first + set.count; ++k)
      if (impulse[k] != 0.0) act_on_coordinate(problem, set, k, impulse[k], motions);
  if (!problem.C.is_empty())
    for (int i = 0; i < problem.num_blocks(); ++i) problem.C.act(i, p[i], motions.deflection);
}

Residual calc_residual(const BodyProblem& problem, std::span<const Vec3d> p, NodeMotions& motions) {
  calc_motions(problem, p, motions);
  Grader grader;
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Block& block = problem.blocks[i];
    const double normal = find_load(block, p);
    grader.add(block, normal, problem.q[i], p[i], calc_velocity(problem, i, motions));
  }
  return grader.finish();
}

void make_explicit(const BodyProblem& problem, NodeMotions& work, ContactProblem& result) {
  const int n = problem.num_blocks();
  result.blocks = problem.blocks;
  result.q = problem.q;
  result.C = problem.C;
  BlockMatrix& W = result.W;
  W.row_start.resize(n + 1), W.diagonal.resize(n);
  W.column.resize(static_cast<std::size_t>(n) * n), W.block.resize(static_cast<std::size_t>(n) * n);
  for (int i = 0; i <= n; ++i) W.row_start[i] = i * n;
  for (int i = 0; i < n; ++i) {
    W.diagonal[i] = i * n + i;
    for (int j = 0; j < n; ++j) W.column[static_cast<std::size_t>(i) * n + j] = j;
  }
  // column by column: what a unit impulse of block j does to every block
  for (int j = 0; j < n; ++j) {
    for (int c = 0; c < 3; ++c) {
      clear(problem, work);
      Vec3d unit;
      unit.set(c, 1.0);
      push(problem, problem.rows[j], unit, work);
      for (int i = 0; i < n; ++i)
        W.block[static_cast<std::size_t>(i) * n + j].c[c] = read_rows(problem.rows[i], work);
    }
  }
}

}  // namespace stance::solver
