// What rests is held still: conjugate gradients on the rows that their laws hold.
//
// Sweeps stop at the tolerance. In a scene at rest the velocity u that is left of step k enters the
// next one, and so does the impulse c that has just been spent on u of step k - 1, since it is part
// of the start. With the start p + c, W p = -h J a without c, the next step starts at
//   u(k+1) = G (2 u(k) - u(k-1)),
// where sweeps shrink a mode of motion to the part g of G. It obeys x^2 = g (2 x - 1), |x| =
// sqrt(g): a mode that sweeps hardly see, the sway of a tower, rings on for thousands of steps.
// When u is exact in two steps one after the other, nothing is left to ring, and the impulses serve
// for many steps to come.
//
// Near the answer the laws are linear: rows of closed contacts that do not slide, of loops and of
// joints that dry friction holds have u = 0, the others keep their impulses. W is symmetric and at
// most singular, and u lies in its range, so conjugate gradients end after as many steps as the
// bodies have different modes.

#include <algorithm>
#include <cmath>

#include "stance/solver/body_sweeps.h"

namespace stance::solver {
namespace {

constexpr int kMostSteps = 256;  // where it has not come to an end by then, sweeps go on

double calc_product(std::span<const Vec3d> a, std::span<const Vec3d> b) {
  Vec3d sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum.e = kernel::fma4(a[i].e, b[i].e, sum.e);
  return kernel::sum4(sum.e);
}

enum class Held { kNot, kFull, kSlides };

// By where the natural step x = p - (u + mu |u_T| n) ends: outside of the cone, inside or on it.
// One that could just as well stick or slide, slower than `slow`, keeps its impulse: what holds the
// others will hold it too.
Held find_held(const Block& block, const Vec3d& p, const Vec3d& u, double slow) {
  const double slip = std::sqrt(u[1] * u[1] + u[2] * u[2]);
  const Vec3d x = p - Vec3d(u[0] + block.mu * slip, u[1], u[2]);
  const double across = x[1] * x[1] + x[2] * x[2], reach = block.mu * x[0];
  if (x[0] <= 0.0 && block.mu * block.mu * across <= x[0] * x[0]) return Held::kNot;
  if (block.mu == 0.0 || (x[0] > 0.0 && across < reach * reach)) return Held::kFull;
  return slip < slow ? Held::kNot : Held::kSlides;
}

}  // namespace

// Finds the rows that are held near p and what moves in them; false when something slides.
bool BodySweeps::find_held_rows(std::span<const Vec3d> p, double slow) {
  for (int i = 0; i < size(); ++i) {
    const Block& block = problem_->blocks[i];
    const Vec3d u = calc_velocity(*problem_, i, motions());
    Vec3d held;
    switch (block.law) {
      case Law::kContact: {
        const Held state = find_held(block, p[i], u, slow);
        if (state == Held::kSlides) return false;
        if (state == Held::kFull) held = block.mu > 0.0 ? Vec3d(1, 1, 1) : Vec3d(1, 0, 0);
        break;
      }
      case Law::kSpin: {
        const double load = std::max(p[block.normal][0], 0.0);
        const double torsion = block.mu * load, rolling = block.mu_rolling * load;
        const Vec3d x = p[i] - u;
        const bool turns = std::abs(x[0]) >= torsion;
        const bool rolls = x[1] * x[1] + x[2] * x[2] >= rolling * rolling;
        if ((turns && torsion > 0.0) || (rolls && rolling > 0.0)) return false;
        held = Vec3d(!turns, !rolls, !rolls);
        break;
      }
      case Law::kBilateral: held = Vec3d(1, 1, 1); break;
      case Law::kUnilateral: held = Vec3d(p[i][0] > u[0], 0, 0); break;
      case Law::kBox: held = Vec3d(std::abs(p[i][0] - u[0]) < block.bound, 0, 0); break;
    }
    held_[i] = held;
    left_[i].e = -held.e * u.e;
  }
  return true;
}

// The impulse of block i alone for a change u of its velocity, in the rows that are held.
Vec3d BodySweeps::precondition(int i, const Vec3d& u) const {
  const LocalFactor& f = locals_[i].factor;
  Vec3d p(f.inverse_nn * u[0], 0.0, 0.0);
  if (problem_->blocks[i].law == Law::kSpin) {
    const double inverse = 1.0 / (f.s11 * f.s22 - f.s12 * f.s21);
    p.set(1, (f.s22 * u[1] - f.s12 * u[2]) * inverse);
    p.set(2, (f.s11 * u[2] - f.s21 * u[1]) * inverse);
    p.e = held_[i][1] != 0.0 ? held_[i].e * p.e : Vec3d(held_[i][0] * p[0], 0.0, 0.0).e;
  } else if (held_[i][1] != 0.0) {
    p = hold(f, -u);
  }
  return p;
}

int BodySweeps::hold_still(std::span<Vec3d> p, double near, double aim) {
  const int n = size();
  const double scale = std::max(free_speed_, std::sqrt(calc_product(p, p)));
  if (!find_held_rows(p, near * scale)) return 0;
  if (!is_prepared_) prepare();
  const std::span<Vec3d> left(left_.data(), n), found(found_.data(), n), tried(tried_.data(), n);
  const std::span<Vec3d> response(response_.data(), n);
  std::fill(found.begin(), found.end(), Vec3d());
  std::fill(tried.begin(), tried.end(), Vec3d());
  const double enough = aim * scale * aim * scale;
  const int modes =
      6 * problem_->num_nodes() + problem_->num_coordinates + (problem_->C.is_empty() ? 0 : 3 * n);
  const int most = std::min(2 * modes, kMostSteps);  // rounding brings some modes back
  double last = INFINITY;                            // left . preconditioned left
  int steps = 0;
  while (steps < most && calc_product(left, left) > enough) {
    for (int i = 0; i < n; ++i) response[i] = precondition(i, left[i]);
    const double now = calc_product(left, response);
    for (int i = 0; i < n; ++i) tried[i] = madd(now / last, tried[i], response[i]);
    last = now;
    calc_motions(*problem_, tried, graded_);
    for (int i = 0; i < n; ++i) {
      Vec3d u = read_rows(problem_->rows[i], graded_);
      if (!graded_.deflection.empty()) u += graded_.deflection[i];
      response[i].e = held_[i].e * u.e;
    }
    const double length = now / calc_product(tried, response);
    if (!(length > 0.0 && length < INFINITY)) break;
    for (int i = 0; i < n; ++i) {
      found[i] = madd(length, tried[i], found[i]);
      left[i] = nmadd(length, response[i], left[i]);
    }
    ++steps;
  }
  if (steps == 0) return 0;
  for (int i = 0; i < n; ++i) p[i] += found[i];
  project(p);
  place(p);
  return steps;
}

}  // namespace stance::solver
