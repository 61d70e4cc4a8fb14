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

// P_K on Coulomb's cone |x_T| <= mu x_N.
Vec3d project_cone(double mu, const Vec3d& x) {
  const double t = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  if (mu * t <= -x[0]) return {};
  if (t <= mu * x[0]) return x;
  const double n = (mu * t + x[0]) / (mu * mu + 1.0);
  return {n, mu * n * x[1] / t, mu * n * x[2] / t};
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

void project_impulses(const ContactProblem& problem, std::span<Vec3d> p) {
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Block& block = problem.blocks[i];
    p[i] = project_impulse(block, block.law == Law::kSpin ? p[block.normal][0] : 0.0, p[i]);
  }
}

void calc_velocities(const ContactProblem& problem, std::span<const Vec3d> p, std::span<Vec3d> u) {
  for (int i = 0; i < problem.num_blocks(); ++i) u[i] = problem.q[i] + problem.W.multiply_row(i, p);
}

Residual calc_residual(const ContactProblem& problem, std::span<const Vec3d> p) {
  Residual result;
  double sum = 0.0, worst = -1.0, q2 = 0.0, p2 = 0.0, u2 = 0.0;
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const Block& block = problem.blocks[i];
    const Vec3d u = problem.q[i] + problem.W.multiply_row(i, p);
    const double normal = block.law == Law::kSpin ? p[block.normal][0] : 0.0;
    Vec3d step = u;
    if (block.law == Law::kContact) {
      const double slip = std::sqrt(u[1] * u[1] + u[2] * u[2]);
      step.set(0, u[0] + block.mu * slip);
      result.penetration_speed = std::max(result.penetration_speed, -u[0]);
      result.complementarity = std::max(result.complementarity, std::abs(p[i][0] * u[0]));
      result.dissipation = std::max(result.dissipation, std::abs(block.mu * p[i][0] * slip +
                                                                 p[i][1] * u[1] + p[i][2] * u[2]));
    } else if (block.law == Law::kBilateral) {
      result.complementarity = std::max(result.complementarity, 0.5 * std::abs(dot(p[i], u)));
    } else if (block.law == Law::kUnilateral) {
      result.penetration_speed = std::max(result.penetration_speed, -u[0]);
      result.complementarity = std::max(result.complementarity, std::abs(p[i][0] * u[0]));
    } else {
      const double bound = block.law == Law::kBox ? block.bound : block.mu * std::max(normal, 0.0);
      result.dissipation =
          std::max(result.dissipation, std::abs(bound * std::abs(u[0]) + p[i][0] * u[0]));
    }
    result.cone_violation =
        std::max(result.cone_violation, norm(p[i] - project_impulse(block, normal, p[i])));
    const Vec3d error = p[i] - project_impulse(block, normal, p[i] - step);
    const double share = dot(error, error);
    if (share > worst || std::isnan(share)) worst = share, result.worst_block = i;
    sum += share;
    q2 += dot(problem.q[i], problem.q[i]);
    p2 += dot(p[i], p[i]);
    u2 += dot(u, u);
  }
  result.absolute = std::sqrt(sum);
  const double scale = std::sqrt(std::max({q2, p2, u2}));
  result.relative = scale > 0.0 ? result.absolute / scale : result.absolute;
  return result;
}

}  // namespace stance::solver
