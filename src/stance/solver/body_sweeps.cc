#include "stance/solver/body_sweeps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stance::solver {
namespace {

constexpr double kNoise = 1e-14;  // of a response times its wrenches: rounding

double calc_trace(const Mat6<double>& omega) {
  double sum = 0.0;
  for (int k = 0; k < 6; ++k) sum += omega(k, k);
  return sum;
}

double calc_square(const Force<double>* f) {
  kernel::Double4 sum{};
  for (int k = 0; k < 3; ++k)
    sum = kernel::fma4(f[k].ang.e, f[k].ang.e, kernel::fma4(f[k].lin.e, f[k].lin.e, sum));
  return kernel::sum4(sum);
}

// Response of node k to a force on node j of the same tree.
const Mat6<double>& find_response(const BodyProblem& problem, int k, int j) {
  const BodyProblem::Node& node = problem.nodes[j];
  return problem.response[node.responses + k - node.first];
}

SweepReport make_report(const ContactLanes::Sums& sums) {
  return {std::sqrt(kernel::sum4(sums.change2)), std::sqrt(kernel::sum4(sums.impulse2)),
          std::sqrt(kernel::sum4(sums.velocity2))};
}

}  // namespace

void BodySweeps::start_body_block(const BodyProblem::Rows& rows, const Block& block,
                                  Local& local) const {
  const BodyProblem& problem = *problem_;
  const bool has_a = rows.a >= 0, has_b = rows.b >= 0;
  const bool is_one_tree =
      has_a && has_b && problem.nodes[rows.a].first == problem.nodes[rows.b].first;
  const auto is_single = [&](int node) {
    return node < 0 || (problem.nodes[node].end - problem.nodes[node].first == 1 &&
                        problem.nodes[node].set < 0);
  };
  local.alone = !is_one_tree && is_single(rows.a) && is_single(rows.b);
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
  local.factor = make_local_factor(block, local.W, kNoise * size);
}

void BodySweeps::start_coordinate_block(const BodyProblem::Rows& rows, const Block& block,
                                        Local& local) const {
  const auto response = [&](int i, int j, int set_number) {
    const BodyProblem::CoordinateSet& set = problem_->sets[set_number];
    return set.response[static_cast<std::ptrdiff_t>(i - set.first) * set.stride + j - set.first];
  };
  double W = rows.c1 * rows.c1 * response(rows.k1, rows.k1, rows.set1), size = W;
  if (rows.k2 >= 0) {
    const double own = rows.c2 * rows.c2 * response(rows.k2, rows.k2, rows.set2);
    W += own, size += own;
    if (rows.set1 == rows.set2)
      W += 2.0 * rows.c1 * rows.c2 * response(rows.k1, rows.k2, rows.set1);
  }
  local.W.c[0].set(0, local.W(0, 0) + W);
  local.factor = make_local_factor(block, local.W, kNoise * size);
}

void BodySweeps::start(const BodyProblem& problem) {
  problem_ = &problem;
  newton_ = nullptr;
  is_prepared_ = is_behind_ = false;
  lanes_.clear();
  motions_.deflection.clear();
  if (held_.size() < problem.blocks.size())
    for (std::vector<Vec3d>* work : {&held_, &left_, &found_, &tried_, &response_})
      work->resize(problem.blocks.size());
  Vec3d sum;
  for (const Vec3d& q : problem.q) sum.e = kernel::fma4(q.e, q.e, sum.e);
  free_speed_ = std::sqrt(kernel::sum4(sum.e));
}

double BodySweeps::sweep_cost() const {
  constexpr double kLane = 45.0, kBlock = 45.0, kNode = 8.0, kFourCoordinates = 3.0;
  const auto cost = [&](int node) {
    if (node < 0) return 0.0;
    const BodyProblem::Node& at = problem_->nodes[node];
    const int stride = at.set < 0 ? 0 : problem_->sets[at.set].stride;
    return kNode * (at.end - at.first) + kFourCoordinates * stride / 4;
  };
  double sum = kLane * lanes_.count();
  for (int i = 0; i < size(); ++i) {
    const BodyProblem::Rows& rows = problem_->rows[i];
    if (!lanes_.has(i)) sum += kBlock + cost(rows.a) + cost(rows.b);
  }
  return sum;
}

void BodySweeps::prepare() {
  const BodyProblem& problem = *problem_;
  locals_.resize(std::max(locals_.size(), problem.blocks.size()));
  lanes_.start(problem);
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const BodyProblem::Rows& rows = problem.rows[i];
    Local& local = locals_[i];
    local.W = problem.C.is_empty() ? Mat3d() : problem.C.own_part(i);
    local.lambda = 0.0, local.alone = false;
    if (lanes_.has(i))
      local.factor = lanes_.factor(i);
    else if (rows.k1 >= 0)
      start_coordinate_block(rows, problem.blocks[i], local);
    else
      start_body_block(rows, problem.blocks[i], local);
  }
  if (!lanes_.is_empty()) lanes_.take(motions_.V);
  is_prepared_ = true;
}

void BodySweeps::place(std::span<const Vec3d> p) {
  is_behind_ = lanes_.has_all();
  if (is_behind_) return lanes_.place(p);
  calc_motions(*problem_, p, motions_);
  if (!lanes_.is_empty()) lanes_.take(motions_.V);
}

void BodySweeps::project_and_place(std::span<Vec3d> p) {
  is_behind_ = lanes_.has_all();
  if (is_behind_) return lanes_.project_and_place(p);
  project(p), place(p);
}

StartGrade BodySweeps::grade_start(std::span<const Vec3d> p, double near, double settled,
                                   Residual& residual) const {
  Grader grader;
  Vec3d impulse2;
  for (const Vec3d& p_i : p) impulse2.e = kernel::fma4(p_i.e, p_i.e, impulse2.e);
  const double scale = std::max(free_speed_, std::sqrt(kernel::sum4(impulse2.e)));
  const double most = near * scale;
  for (int i = 0; i < size(); ++i) {
    const Block& block = problem_->blocks[i];
    const double normal = find_load(block, p);
    grader.add(block, normal, problem_->q[i], p[i], calc_velocity(*problem_, i, motions()));
    if (!(grader.worst() <= most * most)) return StartGrade::kFar;
  }
  residual = grader.finish();
  if (residual.relative < settled) return StartGrade::kSettled;
  return residual.relative < near ? StartGrade::kNear : StartGrade::kFar;
}

SweepReport BodySweeps::sweep(std::span<Vec3d> p, double relaxation, double precision) {
  if (!is_prepared_) prepare();
  const BodyProblem& problem = *problem_;
  const bool is_soft = !problem.C.is_empty();
  // lane by lane, summed at the end
  ContactLanes::Sums sums;
  if (!lanes_.is_empty()) {
    lanes_.sweep(p, relaxation, precision, sums);
    is_behind_ = true;
    if (lanes_.has_all()) return make_report(sums);
    (void)motions();
  }
  for (int i = 0; i < problem.num_blocks(); ++i) {
    if (lanes_.has(i)) continue;
    const Block& block = problem.blocks[i];
    const BodyProblem::Rows& rows = problem.rows[i];
    Local& local = locals_[i];
    const Vec3d u = calc_velocity(*problem_, i, motions_);
    if (block.law == Law::kContact && p[i][0] == 0.0 && u[0] >= 0.0) {
      // open, and stays so: many points of a heap are only near
      sums.velocity2 = kernel::fma4(u.e, u.e, sums.velocity2);
      continue;
    }
    const Vec3d b = u - local.W * p[i];
    const double normal = find_load(block, p);
    Vec3d p_new =
        solve_block(local.factor, block, local.W, normal, b, p[i], local.lambda, precision);
    const Vec3d change = local.W * (p_new - p[i]), u_new = u + change;
    sums.change2 = kernel::fma4(change.e, change.e, sums.change2);
    sums.velocity2 = kernel::fma4(u_new.e, u_new.e, sums.velocity2);
    if (relaxation != 1.0) p_new = madd(relaxation, p_new - p[i], p[i]);
    sums.impulse2 = kernel::fma4(p_new.e, p_new.e, sums.impulse2);
    const Vec3d dp = p_new - p[i];
    p[i] = p_new;
    if (is_soft) problem.C.act(i, dp, motions_.deflection);
    if (!local.alone) {
      push(problem, rows, dp, motions_);
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      if (rows.a >= 0) motions_.V[rows.a] = madd(dp[k], local.by_a[k], motions_.V[rows.a]);
      if (rows.b >= 0) motions_.V[rows.b] = nmadd(dp[k], local.by_b[k], motions_.V[rows.b]);
    }
  }
  if (!lanes_.is_empty() && !lanes_.has_all()) lanes_.take(motions_.V);
  return make_report(sums);
}

// Of a robot's rows about so many are in a step's system: some joints slip, some points are open.
double BodySweeps::newton_cost() const {
  constexpr double kHeld = 0.7;
  const int rows = DenseNewton::count_rows(problem_->blocks);
  if (rows > DenseNewton::kMostRows || BodyNewton::can_serve(*problem_))
    return std::numeric_limits<double>::infinity();
  return DenseNewton::estimate_cost(size(), static_cast<int>(kHeld * rows));
}

NewtonProblem* BodySweeps::newton_problem() {
  if (newton_) return newton_;
  const int rows = DenseNewton::count_rows(problem_->blocks);
  const bool are_few = rows <= DenseNewton::kMostRows;
  if (BodyNewton::can_serve(*problem_)) {
    body_newton_.start(*problem_);
    if (!are_few || body_newton_.step_cost() < DenseNewton::estimate_cost(size(), rows))
      return newton_ = &body_newton_;
  }
  if (!are_few) return nullptr;
  dense_newton_.start(*problem_, graded_);
  return newton_ = &dense_newton_;
}

}  // namespace stance::solver
