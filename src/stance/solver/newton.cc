#include "stance/solver/newton.h"

#include <algorithm>
#include <cmath>

#include "stance/solver/residual.h"

namespace stance::solver {
namespace {

constexpr std::size_t kFew = 64;  // blocks that there is always room for

// Fischer and Burmeister's form
constexpr double kShortestStep = 1e-3;
constexpr double kEnough = 2e-4;  // how much of a step's length must be gained
constexpr int kPatience = 8;      // steps without a new best point,
constexpr int kPolish = 2;        // and once the tolerance is reached

// Alart and Curnier's
constexpr double kShortestStride = 0.05;
constexpr double kLess = 0.1, kMore = 30.0, kLeastAlpha = 1e-8, kMostAlpha = 0.1;
constexpr int kLongPatience = 60;  // impulses wander at the same residual

// The smoothed form
constexpr double kDown = 0.5;      // tau after a step that came near the path
constexpr double kNarrow = 1e-13;  // alpha: slopes are regular, this is for rounding
constexpr double kClimb = 2.0;     // a step may leave so much more of F; 1 gets caught more often
constexpr double kShortestOnPath = 1.0 / 256.0;
constexpr int kPathPatience = 8;  // steps at one tau
constexpr double kFar = 0.1;      // of the tolerance: how far it is followed
constexpr double kNoPart = 1e-3;  // a velocity that counts for so little beside the impulse is left
                                  // out: a third less to solve, for a direction so much off

double calc_square(const Mat3d& m) {
  return dot(m.c[0], m.c[0]) + dot(m.c[1], m.c[1]) + dot(m.c[2], m.c[2]);
}

// Equations that are about their impulse alone, or nearly, are solved on the spot.
void drop_small_parts(std::span<NewtonRow> rows) {
  for (NewtonRow& row : rows) {
    const double least = kNoPart / row.rho_n;
    if (calc_square(row.A) <= least * least * calc_square(row.B)) row.A = Mat3d();
  }
}

}  // namespace

void Newton::start(const NewtonProblem& problem) {
  const int n = static_cast<int>(problem.blocks().size());
  rows_.reserve(kFew), rows_.resize(n);
  for (auto* a : {&u_, &direction_, &trial_, &trial_u_, &least_, &least_u_, &best_})
    a->reserve(kFew), a->resize(n);
  for (int i = 0; i < n; ++i) {
    const Vec3d W = problem.own_part(i);
    const double tangential = 0.5 * (W[1] + W[2]);
    rows_[i].rho_n = W[0] > 0.0 ? W[0] : 1.0;
    rows_[i].rho_t = tangential > 0.0 ? tangential : rows_[i].rho_n;
  }
  double sum = 0.0;
  for (const Vec3d& q : problem.free_velocities()) sum += dot(q, q);
  free_speed_ = std::sqrt(sum);
}

// Equations and slopes into rows_; returns half the sum of squares of all equations.
double Newton::calc_equations(EquationKind kind, double tau, const NewtonProblem& problem,
                              std::span<const Vec3d> p, std::span<const Vec3d> u) {
  const std::span<const Block> blocks = problem.blocks();
  double sum = 0.0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    NewtonRow& row = rows_[i];
    const BlockEquation e =
        calc_equation(kind, block, find_load(block, p), row.rho_n, row.rho_t, p[i], u[i], tau);
    sum += dot(e.F, e.F);
    row.A = e.by_u, row.B = e.by_p, row.F = e.F;
  }
  return 0.5 * sum;
}

void Newton::try_length(NewtonProblem& problem, double length, std::span<const Vec3d> p) {
  for (std::size_t i = 0; i < p.size(); ++i) trial_[i] = madd(length, direction_[i], p[i]);
  problem.calc_velocities(trial_, trial_u_);
}

// Moves p along the direction and returns half the square of F there: the first length that gains
// enough, halving, or the one that harms least.
double Newton::search(NewtonProblem& problem, double merit, std::span<Vec3d> p) {
  double least = INFINITY;
  for (double length = 1.0; length > kShortestStep; length *= 0.5) {
    try_length(problem, length, p);
    const double reached =
        calc_equations(EquationKind::kFischerBurmeister, 0.0, problem, trial_, trial_u_);
    if (reached < least) {
      least = reached;
      least_.swap(trial_), least_u_.swap(trial_u_);
    }
    if (least < (1.0 - kEnough * length) * merit) break;
  }
  if (least < INFINITY) {
    std::copy(least_.begin(), least_.end(), p.begin());
    u_.swap(least_u_);
  }
  return least;
}

// Moves p along the direction if that does no great harm, and says how the next should be found.
// Returns the natural-map residual.
double Newton::stride(NewtonProblem& problem, double merit, double harmless, std::span<Vec3d> p,
                      double& alpha) {
  for (double length = 1.0; length > kShortestStride; length *= 0.5) {
    try_length(problem, length, p);
    const double reached =
        calc_relative_residual(problem.blocks(), problem.free_velocities(), trial_, trial_u_);
    if (!(reached < harmless * merit)) continue;
    std::copy(trial_.begin(), trial_.end(), p.begin());
    u_.swap(trial_u_);
    alpha =
        length == 1.0 ? std::max(kLess * alpha, kLeastAlpha) : std::min(2.0 * alpha, kMostAlpha);
    return reached;
  }
  if (alpha >= kMostAlpha) return INFINITY;
  alpha = std::min(kMore * alpha, kMostAlpha);
  return merit;
}

// From p, whose velocities are u_, along the path until the natural-map residual is below the
// tolerance, or no further. Returns how many steps it took.
int Newton::follow_path(double tau, NewtonProblem& problem, int most_steps, double tolerance,
                        std::span<Vec3d> p) {
  constexpr EquationKind kKind = EquationKind::kFischerBurmeister;
  const double near = std::sqrt(static_cast<double>(p.size()));
  int steps = 0;
  for (int patience = kPathPatience; patience > 0 && steps < most_steps; --patience) {
    ++steps;
    const double error = std::sqrt(2.0 * calc_equations(kKind, tau, problem, p, u_));
    drop_small_parts(rows_);
    if (!problem.solve(rows_, kNarrow, direction_)) break;
    double length = 1.0, reached = INFINITY;
    for (; length >= kShortestOnPath; length *= 0.5) {
      try_length(problem, length, p);
      reached = std::sqrt(2.0 * calc_equations(kKind, tau, problem, trial_, trial_u_));
      if (reached < kClimb * error) break;
    }
    if (!(reached < kClimb * error)) break;
    std::copy(trial_.begin(), trial_.end(), p.begin());
    u_.swap(trial_u_);
    const double residual =
        calc_relative_residual(problem.blocks(), problem.free_velocities(), p, u_);
    if (residual < kFar * tolerance) break;
    if (reached > near * tau) continue;
    tau *= length == 1.0 ? kDown : std::sqrt(kDown);
    patience = kPathPatience + 1;
  }
  return steps;
}

int Newton::run(const NewtonOptions& how, NewtonProblem& problem, int most_steps, double tolerance,
                double aim, bool (*should_stop)(void*), void* stop_argument, std::span<Vec3d> p) {
  const bool is_fischer = how.kind == EquationKind::kFischerBurmeister;
  problem.calc_velocities(p, u_);
  int steps = 0;
  if (how.smoothing > 0.0)
    steps = follow_path(how.smoothing * free_speed_, problem, most_steps, tolerance, p);
  std::copy(p.begin(), p.end(), best_.begin());
  double residual = calc_relative_residual(problem.blocks(), problem.free_velocities(), p, u_);
  double best = residual, best_merit = INFINITY, alpha = how.alpha;
  for (int patience = is_fischer ? kPatience : kLongPatience;
       patience > 0 && steps < most_steps && best >= aim; --patience) {
    if (should_stop && should_stop(stop_argument)) break;
    ++steps;
    const double merit = calc_equations(how.kind, 0.0, problem, p, u_);
    if (!problem.solve(rows_, alpha, direction_)) {
      if (is_fischer || alpha >= kMostAlpha) break;
      alpha = std::min(kMore * alpha, kMostAlpha);
      continue;
    }
    const double reached =
        is_fischer ? search(problem, merit, p) : stride(problem, residual, how.harmless, p, alpha);
    if (!(reached < INFINITY)) break;
    residual = is_fischer
                   ? calc_relative_residual(problem.blocks(), problem.free_velocities(), p, u_)
                   : reached;
    if (residual < 0.9 * best || reached < 0.9 * best_merit)
      patience = (residual < tolerance ? kPolish : is_fischer ? kPatience : kLongPatience) + 1;
    best_merit = std::min(best_merit, reached);
    if (residual < best) {
      best = residual;
      std::copy(p.begin(), p.end(), best_.begin());
    }
  }
  std::copy(best_.begin(), best_.end(), p.begin());
  return steps;
}

}  // namespace stance::solver
