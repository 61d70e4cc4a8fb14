#pragma once

// Grades an answer from scratch: no solver grades itself.

#include <cmath>

#include "stance/solver/contact_problem.h"

namespace stance::solver {

// m/s. One scale for all rows excuses too much: beside impulses of 1e5 N s, a tolerance of 1e-8
// lets gaps close at 1e-3 m/s, and a light box under a heavy one is squeezed out, a little each
// step. So velocities that a law forbids are held against this as well; it binds where impulses
// exceed about 1 N s. With it, one box of 1e7 kg on another or on four of 1 kg stands, without it
// both collapse within a second. Scales row by row, W_ii |p_i|, were left aside: they are as large
// where something is squeezed.
inline constexpr double kGapScale = 1.0;

struct Residual {
  // Natural map ||p - P_K(p - (u + mu |u_T| n))||_2 with P_K the projection on the admissible
  // impulses, u = (W + C) p + q recomputed; divided by max(||q||, ||p||, ||u||) as Siconos does,
  // except that q and u of a row that opens count for kGapScale at most: how fast something flies
  // apart says nothing about how well others are held. At least the gap velocity of any row as a
  // part of kGapScale, or of its own q where that is more.
  double relative = 0.0;
  double absolute = 0.0;

  // The same answer in physical terms, worst over the blocks.
  double penetration_speed = 0.0;  // m/s: how fast a contact still closes
  double cone_violation = 0.0;     // N s: how far an impulse is outside its cone
  double complementarity = 0.0;    // J: |p_N u_N|, |p u| of scalar laws, |p . u| / 2 of bilaterals
  double dissipation = 0.0;        // J: mu p_N |u_T| + p_T . u_T, friction short of its maximum
  // The same of single rows: one scale for all hides a gap that closes behind a large impulse.
  double gap_velocity = 0.0;  // m/s: how fast a gap still closes, or what its law holds still moves
  double impulse_error = 0.0;  // N s: the largest part of `absolute` of any block
  int worst_block = -1;        // the largest share in `absolute`
};

// P_K on Coulomb's cone |x_T| <= mu x_N.
inline Vec3d project_cone(double mu, const Vec3d& x) {
  const double t = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  if (mu * t <= -x[0]) return {};
  if (t <= mu * x[0]) return x;
  const double n = (mu * t + x[0]) / (mu * mu + 1.0), scale = mu * n / t;
  return {n, scale * x[1], scale * x[2]};
}

// The nearest admissible impulse: inside the cone for contacts, between the bounds elsewhere.
// `normal` is the normal impulse that a kSpin block goes by.
Vec3d project_impulse(const Block& block, double normal, const Vec3d& p);
void project_impulses(std::span<const Block> blocks, std::span<Vec3d> p);

// What the natural map gives for one block: p - P_K(p - (u + mu |u_T| n)).
inline Vec3d calc_natural_error(const Block& block, double normal, const Vec3d& p, const Vec3d& u) {
  if (block.law != Law::kContact) return p - project_impulse(block, normal, p - u);
  const double slip = std::sqrt(u[1] * u[1] + u[2] * u[2]);
  const Vec3d step(u[0] + block.mu * slip, u[1], u[2]), x = p - step;
  const double t = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  if (block.mu * t <= -x[0]) return p;
  if (t <= block.mu * x[0]) return step;  // nothing to project, and nothing lost by p - x
  return p - project_cone(block.mu, x);
}

// Residual::relative of impulses whose velocities are known.
double calc_relative_residual(std::span<const Block> blocks, std::span<const Vec3d> q,
                              std::span<const Vec3d> p, std::span<const Vec3d> u);

Residual calc_residual(const ContactProblem& problem, std::span<const Vec3d> p);

// The same from velocities u that someone else has recomputed from p, free ones being q.
class Grader {
 public:
  void add(const Block& block, double normal, const Vec3d& q, const Vec3d& p, const Vec3d& u);
  Residual finish();

  // The largest square of an error so far.
  double worst() const { return worst_; }

 private:
  Residual result_;
  int count_ = 0;
  double sum_ = 0.0, worst_ = -1.0;
  double gap_ = 0.0;    // the worst gap velocity as a part of its row's scale
  Vec3d q2_, p2_, u2_;  // squares, lane by lane
};

// u = (W + C) p + q
void calc_velocities(const ContactProblem& problem, std::span<const Vec3d> p, std::span<Vec3d> u);

}  // namespace stance::solver
