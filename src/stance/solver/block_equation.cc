#include "stance/solver/block_equation.h"

#include <algorithm>
#include <cmath>

namespace stance::solver {
namespace {

constexpr double kTiny = 1e-150;  // keeps roots away from zero

// x y = (x . y, x_0 y_bar + y_0 x_bar): multiplication by x as a matrix.
Mat3d make_arrow(const Vec3d& x) { return {x, Vec3d(x[1], x[0], 0.0), Vec3d(x[2], 0.0, x[0])}; }

// The inverse of such a matrix, for x inside the cone.
Mat3d invert_arrow(const Vec3d& x) {
  const double bar2 = x[1] * x[1] + x[2] * x[2], det = std::max(x[0] * x[0] - bar2, kTiny);
  const double a = 1.0 / det, b = 1.0 / x[0];
  // [x0, -bar^T; -bar, (det / x0) 1 + bar bar^T / x0] / det
  const double c = a * b;
  return {a * Vec3d(x[0], -x[1], -x[2]), Vec3d(-a * x[1], b + c * x[1] * x[1], c * x[1] * x[2]),
          Vec3d(-a * x[2], c * x[1] * x[2], b + c * x[2] * x[2])};
}

// Fischer and Burmeister's function of two vectors and the second-order cone, and its slopes
// 1 - L_z^-1 L_x and 1 - L_z^-1 L_y, z = (x^2 + y^2)^1/2 (Fukushima, Luo and Tseng 2002).
Vec3d calc_fischer(double tau, const Vec3d& x, const Vec3d& y, Mat3d& by_x, Mat3d& by_y) {
  const double w0 = dot(x, x) + dot(y, y) + 2.0 * tau * tau;
  const double w1 = 2.0 * (x[0] * x[1] + y[0] * y[1]), w2 = 2.0 * (x[0] * x[2] + y[0] * y[2]);
  const double bar = std::sqrt(w1 * w1 + w2 * w2);
  // keep z inside the cone: a solution on the boundary would leave it
  const double least = 1e-24 * w0 + kTiny;
  const double low = std::sqrt(std::max(w0 - bar, least)), high = std::sqrt(w0 + bar + least);
  const double along = bar > 0.0 ? 0.5 * (high - low) / bar : 0.0;
  const Vec3d z(0.5 * (high + low), along * w1, along * w2);
  const Mat3d inverse = invert_arrow(z);
  by_x = Mat3d::identity() - inverse * make_arrow(x);
  by_y = Mat3d::identity() - inverse * make_arrow(y);
  return x + y - z;
}

void set_row(BlockEquation& e, int r, double F, double by_u, double by_p) {
  e.F.set(r, F);
  e.by_u.c[r].set(r, by_u);
  e.by_p.c[r].set(r, by_p);
}

// |rows 1 and 2| <= radius, opposite to u at the bound: p - P(p - u / rho) times rho.
void set_disc(double radius, double rho, const Vec3d& p, const Vec3d& u, BlockEquation& e) {
  const double x1 = rho * p[1] - u[1], x2 = rho * p[2] - u[2];
  const double length = std::sqrt(x1 * x1 + x2 * x2), bound = rho * radius;
  if (length <= bound) {
    set_row(e, 1, u[1], 1.0, 0.0), set_row(e, 2, u[2], 1.0, 0.0);
    return;
  }
  const double e1 = x1 / length, e2 = x2 / length, k = bound / length;
  const double g11 = k * (1.0 - e1 * e1), g12 = -k * e1 * e2, g22 = k * (1.0 - e2 * e2);
  e.F.set(1, rho * p[1] - bound * e1), e.F.set(2, rho * p[2] - bound * e2);
  e.by_u.c[1] = Vec3d(0.0, g11, g12), e.by_u.c[2] = Vec3d(0.0, g12, g22);
  e.by_p.c[1] = rho * Vec3d(0.0, 1.0 - g11, -g12), e.by_p.c[2] = rho * Vec3d(0.0, -g12, 1.0 - g22);
}

// |row 0| <= bound, likewise.
void set_interval(double tau, double bound, double rho, const Vec3d& p, const Vec3d& u,
                  BlockEquation& e) {
  const double x = rho * p[0] - u[0];
  if (tau > 0.0) {
    const double above = x + rho * bound, below = x - rho * bound, t = 4.0 * tau * tau;
    const double a = std::sqrt(above * above + t), b = std::sqrt(below * below + t);
    const double slope = 0.5 * (above / a - below / b);
    set_row(e, 0, rho * p[0] - 0.5 * (a - b), slope, rho * (1.0 - slope));
    return;
  }
  if (std::abs(x) <= rho * bound)
    set_row(e, 0, u[0], 1.0, 0.0);
  else
    set_row(e, 0, rho * (p[0] - std::copysign(bound, x)), 0.0, rho);
}

// 0 <= row 0, u >= 0, complementary.
void set_one_sided(double tau, double rho, const Vec3d& p, const Vec3d& u, BlockEquation& e) {
  const double x = rho * p[0], z = std::sqrt(x * x + u[0] * u[0] + 2.0 * tau * tau + kTiny);
  set_row(e, 0, x + u[0] - z, 1.0 - u[0] / z, rho * (1.0 - x / z));
}

// With x = p - u / rho: p = 0 when x_N <= 0, else u_N = 0 and p_T = x_T clipped to mu x_N.
void set_alart_curnier(double mu, double rho_n, double rho_t, const Vec3d& p, const Vec3d& u,
                       BlockEquation& e) {
  const double x_n = p[0] - u[0] / rho_n;
  if (x_n <= 0.0) {
    set_row(e, 0, rho_n * p[0], 0.0, rho_n);
    set_row(e, 1, rho_t * p[1], 0.0, rho_t), set_row(e, 2, rho_t * p[2], 0.0, rho_t);
    return;
  }
  set_row(e, 0, u[0], 1.0, 0.0);
  set_disc(mu * x_n, rho_t, p, u, e);
  const double x1 = rho_t * p[1] - u[1], x2 = rho_t * p[2] - u[2];
  const double length = std::sqrt(x1 * x1 + x2 * x2);
  if (length <= rho_t * mu * x_n) return;
  // the radius grows with x_N
  const double slope = mu * rho_t / length;
  e.by_p.c[0] += Vec3d(0.0, -slope * x1, -slope * x2);
  e.by_u.c[0] += (1.0 / rho_n) * Vec3d(0.0, slope * x1, slope * x2);
}

}  // namespace

BlockEquation calc_equation(EquationKind kind, const Block& block, double normal, double rho_n,
                            double rho_t, const Vec3d& p, const Vec3d& u, double tau) {
  BlockEquation e;
  switch (block.law) {
    case Law::kContact: {
      if (block.mu == 0.0) {
        set_one_sided(tau, rho_n, p, u, e);
        set_row(e, 1, rho_t * p[1], 0.0, rho_t), set_row(e, 2, rho_t * p[2], 0.0, rho_t);
        return e;
      }
      if (kind == EquationKind::kAlartCurnier) {
        set_alart_curnier(block.mu, rho_n, rho_t, p, u, e);
        return e;
      }
      const double mu = block.mu, slip = std::sqrt(u[1] * u[1] + u[2] * u[2] + tau * tau);
      const Vec3d x(rho_n * mu * p[0], rho_n * p[1], rho_n * p[2]);
      const Vec3d y(u[0] + mu * (slip - tau), mu * u[1], mu * u[2]);
      Mat3d by_x, by_y;
      e.F = calc_fischer(tau, x, y, by_x, by_y);
      e.by_p = {mu * rho_n * by_x.c[0], rho_n * by_x.c[1], rho_n * by_x.c[2]};
      const double d1 = slip > 0.0 ? mu * u[1] / slip : 0.0,
                   d2 = slip > 0.0 ? mu * u[2] / slip : 0.0;
      e.by_u = {by_y.c[0], d1 * by_y.c[0] + mu * by_y.c[1], d2 * by_y.c[0] + mu * by_y.c[2]};
      return e;
    }
    case Law::kSpin:
      set_interval(tau, block.mu * std::max(normal, 0.0), rho_n, p, u, e);
      set_disc(block.mu_rolling * std::max(normal, 0.0), rho_t, p, u, e);
      return e;
    case Law::kBilateral:
      for (int r = 0; r < 3; ++r)
        r < block.rows ? set_row(e, r, u[r], 1.0, 0.0) : set_row(e, r, rho_t * p[r], 0.0, rho_t);
      return e;
    case Law::kUnilateral:
      set_one_sided(tau, rho_n, p, u, e);
      set_row(e, 1, rho_t * p[1], 0.0, rho_t), set_row(e, 2, rho_t * p[2], 0.0, rho_t);
      return e;
    case Law::kBox:
      set_interval(tau, block.bound, rho_n, p, u, e);
      set_row(e, 1, rho_t * p[1], 0.0, rho_t), set_row(e, 2, rho_t * p[2], 0.0, rho_t);
      return e;
  }
  return e;
}

}  // namespace stance::solver
