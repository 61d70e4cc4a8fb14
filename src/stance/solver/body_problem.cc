#include "stance/solver/body_problem.h"

#include <cmath>

namespace stance::solver {
namespace {

// (f_0 . V, f_1 . V, f_2 . V)
Vec3d read(const Force<double>* f, const Motion<double>& V) {
  const auto product = [&](int k) {
    return kernel::fma4(f[k].lin.e, V.lin.e, f[k].ang.e * V.ang.e);
  };
  return Vec3d(kernel::sum4x4(product(0), product(1), product(2), kernel::Double4{}));
}

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

constexpr int kMostExplicit = 200;  // blocks: beyond, Newton's steps cost more than they bring
constexpr double kNoise = 1e-14;    // of a response times its wrenches: rounding

double calc_trace(const Mat6<double>& omega) {
  double sum = 0.0;
  for (int k = 0; k < 6; ++k) sum += omega(k, k);
  return sum;
}

double calc_square(const Force<double>* f) {
  double sum = 0.0;
  for (int k = 0; k < 3; ++k) sum += dot(f[k].ang, f[k].ang) + dot(f[k].lin, f[k].lin);
  return sum;
}

// Response of node k to a force on node j of the same tree.
const Mat6<double>& find_response(const BodyProblem& problem, int k, int j) {
  const BodyProblem::Node& node = problem.nodes[j];
  return problem.response[node.responses + k - node.first];
}

}  // namespace

void BodySweeps::start(const BodyProblem& problem) {
  problem_ = &problem;
  has_explicit_ = false;
  const int n = problem.num_blocks();
  locals_.resize(n);
  V_.resize(problem.num_nodes());
  graded_.resize(problem.num_nodes());
  wrench_.resize(problem.num_nodes());
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    const BodyProblem::Rows& rows = problem.rows[i];
    Local& local = locals_[i];
    const bool has_a = rows.a >= 0, has_b = rows.b >= 0;
    const bool is_one_tree =
        has_a && has_b && problem.nodes[rows.a].first == problem.nodes[rows.b].first;
    const auto is_single = [&](int node) {
      return node < 0 || problem.nodes[node].end - problem.nodes[node].first == 1;
    };
    local.alone = !is_one_tree && is_single(rows.a) && is_single(rows.b);
    local.W = {};
    for (int k = 0; k < 3; ++k) {
      if (has_a) {
        local.by_a[k] = find_response(problem, rows.a, rows.a) * rows.f_a[k];
        local.W.c[k] += read(rows.f_a, local.by_a[k]);
      }
      if (has_b) {
        local.by_b[k] = find_response(problem, rows.b, rows.b) * rows.f_b[k];
        local.W.c[k] += read(rows.f_b, local.by_b[k]);
      }
      if (is_one_tree) {
        local.W.c[k] -= read(rows.f_a, find_response(problem, rows.a, rows.b) * rows.f_b[k]);
        local.W.c[k] -= read(rows.f_b, find_response(problem, rows.b, rows.a) * rows.f_a[k]);
      }
    }
    double size = 0.0;
    if (has_a) size += calc_trace(find_response(problem, rows.a, rows.a)) * calc_square(rows.f_a);
    if (has_b) size += calc_trace(find_response(problem, rows.b, rows.b)) * calc_square(rows.f_b);
    local.factor = make_local_factor(problem.blocks[i], local.W, kNoise * size);
    local.lambda = 0.0;
    sum += dot(problem.q[i], problem.q[i]);
  }
  free_speed_ = std::sqrt(sum);
}

void BodySweeps::push(const BodyProblem::Rows& rows, const Vec3d& dp) {
  const auto act = [&](int j, const Force<double>& F) {
    const BodyProblem::Node& node = problem_->nodes[j];
    const Mat6<double>* omega = problem_->response.data() + node.responses;
    for (int k = node.first; k < node.end; ++k) V_[k] = respond(*omega++, F, V_[k]);
  };
  if (rows.a >= 0) act(rows.a, spread(rows.f_a, dp));
  if (rows.b >= 0) act(rows.b, spread(rows.f_b, -dp));
}

Vec3d BodySweeps::calc_velocity(int i, std::span<const Motion<double>> V) const {
  const BodyProblem::Rows& rows = problem_->rows[i];
  Vec3d u = problem_->q[i];
  if (rows.a >= 0) u += read(rows.f_a, V[rows.a]);
  if (rows.b >= 0) u -= read(rows.f_b, V[rows.b]);
  return u;
}

SweepReport BodySweeps::sweep(std::span<Vec3d> p, double relaxation) {
  const BodyProblem& problem = *problem_;
  Vec3d change2, impulse2, velocity2;  // lane by lane, summed at the end
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Block& block = problem.blocks[i];
    const BodyProblem::Rows& rows = problem.rows[i];
    Local& local = locals_[i];
    const Vec3d u = calc_velocity(i, V_);
    const Vec3d b = u - local.W * p[i];
    const double normal = block.law == Law::kSpin ? p[block.normal][0] : 0.0;
    Vec3d p_new = solve_block(local.factor, block, local.W, normal, b, p[i], local.lambda);
    const Vec3d change = local.W * (p_new - p[i]), u_new = u + change;
    change2.e = kernel::fma4(change.e, change.e, change2.e);
    velocity2.e = kernel::fma4(u_new.e, u_new.e, velocity2.e);
    if (relaxation != 1.0) p_new = madd(relaxation, p_new - p[i], p[i]);
    impulse2.e = kernel::fma4(p_new.e, p_new.e, impulse2.e);
    const Vec3d dp = p_new - p[i];
    p[i] = p_new;
    if (!local.alone) {
      push(rows, dp);
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      if (rows.a >= 0) V_[rows.a] = madd(dp[k], local.by_a[k], V_[rows.a]);
      if (rows.b >= 0) V_[rows.b] = nmadd(dp[k], local.by_b[k], V_[rows.b]);
    }
  }
  return {std::sqrt(kernel::sum4(change2.e)), std::sqrt(kernel::sum4(impulse2.e)),
          std::sqrt(kernel::sum4(velocity2.e))};
}

void BodySweeps::calc_motions(std::span<const Vec3d> p, std::span<Motion<double>> V) const {
  const BodyProblem& problem = *problem_;
  for (int k = 0; k < problem.num_nodes(); ++k) V[k] = {}, wrench_[k] = {};
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const BodyProblem::Rows& rows = problem.rows[i];
    if (rows.a >= 0) wrench_[rows.a] += spread(rows.f_a, p[i]);
    if (rows.b >= 0) wrench_[rows.b] += spread(rows.f_b, -p[i]);
  }
  for (int j = 0; j < problem.num_nodes(); ++j) {
    const BodyProblem::Node& node = problem.nodes[j];
    for (int k = node.first; k < node.end; ++k)
      V[k] = respond(find_response(problem, k, j), wrench_[j], V[k]);
  }
}

Residual BodySweeps::grade(std::span<const Vec3d> p) const {
  calc_motions(p, graded_);
  Grader grader;
  for (int i = 0; i < size(); ++i) {
    const Block& block = problem_->blocks[i];
    const double normal = block.law == Law::kSpin ? p[block.normal][0] : 0.0;
    grader.add(block, normal, problem_->q[i], p[i], calc_velocity(i, graded_));
  }
  return grader.finish();
}

void make_explicit(const BodyProblem& problem, ContactProblem& result) {
  const int n = problem.num_blocks();
  result.blocks = problem.blocks;
  result.q = problem.q;
  BlockMatrix& W = result.W;
  W.row_start.resize(n + 1), W.diagonal.resize(n);
  W.column.resize(static_cast<std::size_t>(n) * n), W.block.resize(static_cast<std::size_t>(n) * n);
  // W_ij: what a unit impulse of j does to the nodes of i
  const auto is_one_tree = [&](int k, int j) {
    return k >= 0 && j >= 0 && problem.nodes[k].first == problem.nodes[j].first;
  };
  for (int i = 0; i < n; ++i) {
    const BodyProblem::Rows& of_i = problem.rows[i];
    W.row_start[i] = i * n, W.diagonal[i] = i * n + i;
    for (int j = 0; j < n; ++j) {
      const BodyProblem::Rows& of_j = problem.rows[j];
      Mat3d& block = W.block[static_cast<std::size_t>(i) * n + j];
      W.column[static_cast<std::size_t>(i) * n + j] = j;
      block = {};
      const auto add = [&](int k, const Force<double>* f_k, int node, const Force<double>* f_node,
                           double sign) {
        if (!is_one_tree(k, node)) return;
        for (int c = 0; c < 3; ++c)
          block.c[c] =
              madd(sign, read(f_k, find_response(problem, k, node) * f_node[c]), block.c[c]);
      };
      add(of_i.a, of_i.f_a, of_j.a, of_j.f_a, 1.0);
      add(of_i.a, of_i.f_a, of_j.b, of_j.f_b, -1.0);
      add(of_i.b, of_i.f_b, of_j.a, of_j.f_a, -1.0);
      add(of_i.b, of_i.f_b, of_j.b, of_j.f_b, 1.0);
    }
  }
  W.row_start[n] = n * n;
}

const ContactProblem* BodySweeps::explicit_problem() const {
  if (size() > kMostExplicit) return nullptr;
  if (!has_explicit_) make_explicit(*problem_, explicit_);
  has_explicit_ = true;
  return &explicit_;
}

}  // namespace stance::solver
