#pragma once

// One block on its own: given u = W p + b with the other impulses held, the p that obeys its law.
//
// A contact that neither opens nor sticks slides: u_N = 0 and u_T = -lambda p_T, lambda > 0. With
// p_N eliminated, u_T = S p_T + s, this leaves p_T(lambda) = -(S + lambda)^-1 s and one equation,
// |p_T| = mu p_N, in lambda. |p_T| - mu p_N is positive at 0 (the contact would stick otherwise)
// and negative for large lambda, so there is always a root between; Newton's method on
// mu p_N / |p_T| - 1, nearly linear in lambda, finds it in two or three steps, guarded by
// bisection. Alart and Curnier's Newton method on all three rows has no such bracket. The
// same equation with a fixed radius serves rolling friction.

#include <algorithm>
#include <cmath>
#include <limits>

#include "stance/solver/contact_problem.h"

namespace stance::solver {

// What stays of a block's own part of W while impulses change.
struct LocalFactor {
  double inverse_nn = 0.0;                            // 1 / W_NN, 0 where nothing can be pushed
  double n1 = 0.0, n2 = 0.0;                          // -W_NT / W_NN
  double t1 = 0.0, t2 = 0.0;                          // W_TN / W_NN
  double s11 = 0.0, s12 = 0.0, s21 = 0.0, s22 = 0.0;  // S = W_TT - W_TN W_NT / W_NN
  double inverse_det = 0.0;                           // of S
};

// `noise` is what W may be off by, where the block's own size does not tell: entries below it count
// as zero.
LocalFactor make_local_factor(const Block& block, const Mat3d& W, double noise = 0.0);

// p_T with |p_T| = mu p_N, p_N = n0 + n . p_T, and S p_T + s = -lambda p_T, lambda > 0. The search
// starts at `lambda` and leaves there what it found; it ends when the radius is met to `precision`.
// Returns (p_N, p_T). All impulses are kept times det(S + lambda): one root and one quotient a
// step.
inline constexpr double kExact = 1e-13;
inline Vec3d slide(const LocalFactor& f, double mu, double n0, double s1, double s2, double& lambda,
                   double precision = kExact) {
  constexpr int kMaxSteps = 60;
  double low = 0.0, high = std::numeric_limits<double>::infinity();
  double x = lambda > 0.0 && lambda < 1e300 ? lambda : 0.0;
  double det = 0.0, p1 = 0.0, p2 = 0.0, pn = 0.0, length = 0.0;
  const double cross = f.s12 * f.s21, by_s = f.n1 * s1 + f.n2 * s2;
  for (int k = 0; k < kMaxSteps; ++k) {
    const double a = f.s11 + x, d = f.s22 + x;
    det = a * d - cross;
    p1 = f.s12 * s2 - d * s1;
    p2 = f.s21 * s1 - a * s2;
    pn = n0 * det + (f.n1 * p1 + f.n2 * p2);
    const double length2 = p1 * p1 + p2 * p2;
    length = std::sqrt(length2);
    const double g = mu * pn - length;
    if (std::abs(g) < precision * length) break;
    (g > 0.0 ? high : low) = x;  // not a number counts as too low: S is singular
    // slopes in lambda: of det a + d, of p_T -s
    const double pn_slope = n0 * (a + d) - by_s, along = -(p1 * s1 + p2 * s2);
    double next = x - g * length2 / (mu * (pn_slope * length2 - pn * along));
    if (!(next > low && next < high)) {
      const double trace = f.s11 + f.s22;
      if (high < std::numeric_limits<double>::infinity())
        next = low > 0.0 ? std::sqrt(low) * std::sqrt(high) : 0.5 * high;
      else
        next = 4.0 * (x > 0.0 ? x : trace > 0.0 ? trace : 1.0);
    }
    if (next == x) break;
    x = next;
  }
  const double inverse = 1.0 / det;
  if (!(length * inverse < std::numeric_limits<double>::infinity()))
    return {std::max(n0, 0.0), 0.0, 0.0};
  lambda = x;
  // in the cone to the last bit
  pn = std::max(pn * inverse, 0.0), p1 *= inverse, p2 *= inverse;
  length = std::sqrt(p1 * p1 + p2 * p2);
  const double scale = length > mu * pn ? mu * pn / length : 1.0;
  return {pn, scale * p1, scale * p2};
}

// p with u = 0 in all rows: what a bilateral block needs and a sticking contact would.
inline Vec3d hold(const LocalFactor& f, const Vec3d& b) {
  const double s1 = b[1] - f.t1 * b[0], s2 = b[2] - f.t2 * b[0];
  const double p1 = (f.s12 * s2 - f.s22 * s1) * f.inverse_det;
  const double p2 = (f.s21 * s1 - f.s11 * s2) * f.inverse_det;
  return {f.n1 * p1 + f.n2 * p2 - b[0] * f.inverse_nn, p1, p2};
}

// A point contact; `lambda` remembers how it slid in the last call.
inline Vec3d solve_contact(const LocalFactor& f, double mu, const Vec3d& b, double& lambda,
                           double precision = kExact) {
  const double n0 = -b[0] * f.inverse_nn;
  if (!(n0 > 0.0)) return {};  // it opens, or cannot be pushed at all
  const Vec3d held = hold(f, b);
  if (held[1] * held[1] + held[2] * held[2] <= mu * mu * held[0] * held[0] && held[0] >= 0.0)
    return held;
  const double s1 = b[1] - f.t1 * b[0], s2 = b[2] - f.t2 * b[0];
  if (mu == 0.0 || (s1 == 0.0 && s2 == 0.0)) return {n0, 0.0, 0.0};
  return slide(f, mu, n0, s1, s2, lambda, precision);
}

// Spin and roll under the normal impulse `normal`: row 0 first, then rows 1 and 2.
Vec3d solve_spin(const LocalFactor& f, const Block& block, const Mat3d& W, double normal,
                 const Vec3d& b, const Vec3d& p_old, double& lambda);

inline Vec3d solve_block(const LocalFactor& f, const Block& block, const Mat3d& W, double normal,
                         const Vec3d& b, const Vec3d& p_old, double& lambda,
                         double precision = kExact) {
  switch (block.law) {
    case Law::kContact: return solve_contact(f, block.mu, b, lambda, precision);
    case Law::kSpin: return solve_spin(f, block, W, normal, b, p_old, lambda);
    case Law::kBilateral: return hold(f, b);
    case Law::kUnilateral: return {std::max(-b[0] * f.inverse_nn, 0.0), 0.0, 0.0};
    case Law::kBox: return {std::clamp(-b[0] * f.inverse_nn, -block.bound, block.bound), 0.0, 0.0};
  }
  return {};
}

}  // namespace stance::solver
