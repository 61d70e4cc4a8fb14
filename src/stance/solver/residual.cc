#include "stance/solver/residual.h"

#include <algorithm>
#include <cmath>

namespace stance::solver {
namespace {

// Scales (y, z) of a to at most `radius`.
Vec3d clip_disc(const Vec3d& a, double first, double radius) {
  const double length = std::sqrt(a[1] * a[1] + a[2] * a[2]);
  const double scale = length > radius ? radius / length : 1.0;
  return {first, scale * a[1], scale * a[2]};
}

// How fast a gap closes, or what the law holds still moves.
double calc_gap_velocity(const Block& block, const Vec3d& p, const Vec3d& u) {
  switch (block.law) {
    case Law::kContact: {
      const double x1 = p[1] - u[1], x2 = p[2] - u[2], reach = block.mu * (p[0] - u[0]);
      const bool sticks = reach > 0.0 && x1 * x1 + x2 * x2 < reach * reach;
      return sticks ? norm(u) : std::max(-u[0], 0.0);
    }
    case Law::kUnilateral: return std::max(-u[0], 0.0);
    case Law::kBilateral: return norm(u);
    case Law::kSpin:
    case Law::kBox: break;
  }
  return 0.0;
}

// That as a part of what it may be held against: no row's speed excuses another row's error.
double scale_gap(double gap_velocity, const Vec3d& q) {
  if (gap_velocity == 0.0) return 0.0;
  return gap_velocity / std::sqrt(std::max(kGapScale * kGapScale, dot(q, q)));
}

// A velocity of a row as it counts in the scale of the natural map; see Residual::relative.
Vec3d count_speed(bool opens, const Vec3d& v) {
  if (!opens) return v;
  const double square = dot(v, v);
  return square > kGapScale * kGapScale ? kGapScale / std::sqrt(square) * v : v;
}

bool does_open(const Block& block, const Vec3d& p, const Vec3d& u) {
  return (block.law == Law::kContact || block.law == Law::kUnilateral) && p[0] < u[0];
}

// Of the natural map and of single gaps, whichever is worse. `scale`: of the former; `gap`: of the
// worst of the latter, scaled.
double calc_relative(double absolute, double scale, double gap) {
  return std::max(scale > 0.0 ? absolute / scale : absolute, gap);
}

// row i of (W + C) p + q
Vec3d calc_velocity(const ContactProblem& problem, int i, std::span<const Vec3d> p) {
  const Vec3d u = problem.q[i] + problem.W.multiply_row(i, p);
  return problem.C.is_empty() ? u : u + problem.C.multiply_row(i, p);
}

}  // namespace

Vec3d project_impulse(const Block& block, double normal, const Vec3d& p) {
  switch (block.law) {
    case Law::kContact: return project_cone(block.mu, p);
    case Law::kSpin: {
      const double torsion = block.mu * std::max(normal, 0.0);
      return clip_disc(p, std::clamp(p[0], -torsion, torsion),
                       block.mu_rolling * std::max(normal, 0.0));
    }
    case Law::kBilateral: return p;
    case Law::kUnilateral: return {std::max(p[0], 0.0), 0.0, 0.0};
    case Law::kBox: return {std::clamp(p[0], -block.bound, block.bound), 0.0, 0.0};
  }
  return p;
}

void project_impulses(std::span<const Block> blocks, std::span<Vec3d> p) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    if (block.law == Law::kContact)
      p[i] = project_cone(block.mu, p[i]);
    else
      p[i] = project_impulse(block, find_load(block, p), p[i]);
  }
}

void calc_velocities(const ContactProblem& problem, std::span<const Vec3d> p, std::span<Vec3d> u) {
  for (int i = 0; i < problem.num_blocks(); ++i) u[i] = calc_velocity(problem, i, p);
}

double calc_relative_residual(std::span<const Block> blocks, std::span<const Vec3d> q,
                              std::span<const Vec3d> p, std::span<const Vec3d> u) {
  Vec3d error2, q2, p2, u2;  // squares, lane by lane
  double gap = 0.0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    const double normal = find_load(block, p);
    const Vec3d error = calc_natural_error(block, normal, p[i], u[i]);
    const bool opens = does_open(block, p[i], u[i]);
    const Vec3d q_i = count_speed(opens, q[i]), u_i = count_speed(opens, u[i]);
    error2.e = kernel::fma4(error.e, error.e, error2.e);
    q2.e = kernel::fma4(q_i.e, q_i.e, q2.e);
    p2.e = kernel::fma4(p[i].e, p[i].e, p2.e);
    u2.e = kernel::fma4(u_i.e, u_i.e, u2.e);
    gap = std::max(gap, scale_gap(calc_gap_velocity(block, p[i], u[i]), q[i]));
  }
  const double scale2 = std::max({kernel::sum4(q2.e), kernel::sum4(p2.e), kernel::sum4(u2.e)});
  return calc_relative(std::sqrt(kernel::sum4(error2.e)), std::sqrt(scale2), gap);
}

void Grader::add(const Block& block, double normal, const Vec3d& q, const Vec3d& p,
                 const Vec3d& u) {
  Residual& r = result_;
  const auto raise = [](double& worst, double value) { worst = std::max(worst, value); };
  bool is_inside = false;
  switch (block.law) {
    case Law::kContact: {
      const double slip = std::sqrt(u[1] * u[1] + u[2] * u[2]), push = block.mu * slip;
      raise(r.penetration_speed, -u[0]);
      raise(r.complementarity, std::abs(p[0] * u[0]));
      raise(r.dissipation, std::abs(push * p[0] + p[1] * u[1] + p[2] * u[2]));
      const double reach = block.mu * p[0];
      is_inside = p[0] >= 0.0 && p[1] * p[1] + p[2] * p[2] <= reach * reach;
      break;
    }
    case Law::kSpin: {
      const double load = std::max(normal, 0.0), roll = std::sqrt(u[1] * u[1] + u[2] * u[2]);
      raise(r.dissipation, std::abs(block.mu * load * std::abs(u[0]) + p[0] * u[0]));
      raise(r.dissipation, std::abs(block.mu_rolling * load * roll + p[1] * u[1] + p[2] * u[2]));
      break;
    }
    case Law::kBilateral: raise(r.complementarity, 0.5 * std::abs(dot(p, u))); break;
    case Law::kUnilateral:
      raise(r.penetration_speed, -u[0]);
      raise(r.complementarity, std::abs(p[0] * u[0]));
      break;
    case Law::kBox:
      raise(r.dissipation, std::abs(block.bound * std::abs(u[0]) + p[0] * u[0]));
      break;
  }
  if (!is_inside) raise(r.cone_violation, norm(p - project_impulse(block, normal, p)));
  const Vec3d error = calc_natural_error(block, normal, p, u);
  const double share = dot(error, error);
  const double gap_velocity = calc_gap_velocity(block, p, u);
  raise(r.gap_velocity, gap_velocity), raise(gap_, scale_gap(gap_velocity, q));
  raise(r.impulse_error, std::sqrt(share));
  if (share > worst_ || std::isnan(share)) worst_ = share, r.worst_block = count_;
  ++count_;
  sum_ += share;
  const bool opens = does_open(block, p, u);
  const Vec3d counted_q = count_speed(opens, q), counted_u = count_speed(opens, u);
  q2_.e = kernel::fma4(counted_q.e, counted_q.e, q2_.e);
  p2_.e = kernel::fma4(p.e, p.e, p2_.e);
  u2_.e = kernel::fma4(counted_u.e, counted_u.e, u2_.e);
}

Residual Grader::finish() {
  result_.absolute = std::sqrt(sum_);
  const double scale2 = std::max({kernel::sum4(q2_.e), kernel::sum4(p2_.e), kernel::sum4(u2_.e)});
  result_.relative = calc_relative(result_.absolute, std::sqrt(scale2), gap_);
  return result_;
}

Residual calc_residual(const ContactProblem& problem, std::span<const Vec3d> p) {
  Grader grader;
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Block& block = problem.blocks[i];
    const double normal = find_load(block, p);
    grader.add(block, normal, problem.q[i], p[i], calc_velocity(problem, i, p));
  }
  return grader.finish();
}

}  // namespace stance::solver
