#pragma once

// A semismooth Newton method on all blocks at once, for what Gauss-Seidel cannot finish.
//
// The laws as equations F(p, u) = 0 (block_equation.h) in one of two forms. W is singular where
// contacts are redundant, so a little, alpha, is added to its diagonal (of the linear system only,
// the residual is exact).
//
// With Fischer and Burmeister's, steps are shortened until half the square of F falls: it finds its
// way from afar, but gets caught where sweeps have driven impulses onto the edges of their cones.
//
// With Alart and Curnier's, alpha is steered as Levenberg and Marquardt do: less after every full
// step, much more when a step makes the natural-map residual worse by more than a factor. What asks
// for it are redundant contacts that cannot all hold, since some surfaces are a micrometre off or
// tilted by a microradian: impulses have to wander, far and at almost the same residual, along what
// moves nothing until some contact opens or slides. Alpha is how short their strides are.
//
// Where that takes too long, a path leads around it: smoothed by tau, Fischer and Burmeister's
// equations say x o y = tau^2 e instead of x o y = 0 (x the impulse and y the velocity in the
// cone's algebra), their slopes are regular however redundant the contacts are, and as tau falls
// the impulses move along one smooth way into the midst of all answers instead of from corner to
// corner (Chen, Sun and Sun 2003; the central path of interior points, without staying inside).

#include "stance/solver/block_equation.h"
#include "stance/solver/contact_problem.h"

namespace stance::solver {

struct NewtonOptions {
  EquationKind kind = EquationKind::kFischerBurmeister;
  double alpha = 1e-9;     // added to the diagonal of W, of a block's own part; at first
  double harmless = 1.3;   // a step of Alart and Curnier's may make the residual worse by so much
  double smoothing = 0.0;  // tau at first, a part of ||q||: where positive, a path is followed, and
                           // Alart and Curnier's equations finish at its end
};

// Equation of one block at some impulses: F(p, u) = 0, dF = A du + B dp.
struct NewtonRow {
  double rho_n = 0.0, rho_t = 0.0;  // an impulse's worth in velocity: its own part of W
  Mat3d A, B;
  Vec3d F;
};

// What the method needs of a problem, however its W is kept.
class NewtonProblem {
 public:
  virtual ~NewtonProblem() = default;

  virtual std::span<const Block> blocks() const = 0;
  virtual std::span<const Vec3d> free_velocities() const = 0;  // q
  virtual Vec3d own_part(int i) const = 0;  // diagonal of a block's own part of W
  virtual void calc_velocities(std::span<const Vec3d> p, std::span<Vec3d> u) = 0;

  // (A (W + alpha rho) + B) dp = -F; false when that has no solution.
  virtual bool solve(std::span<const NewtonRow> rows, double alpha, std::span<Vec3d> dp) = 0;

  virtual double step_cost() const = 0;  // about, ns
};

class Newton {
 public:
  // Prepares for a problem; memory is kept.
  void start(const NewtonProblem& problem);

  // From p on, at most this many steps or until the natural-map residual is below `aim`, with less
  // patience once it is below `tolerance`; leaves the best impulses met, which need not be in the
  // cones, and returns how many steps it took. `should_stop` as in SolveOptions.
  int run(const NewtonOptions& how, NewtonProblem& problem, int most_steps, double tolerance,
          double aim, bool (*should_stop)(void*), void* stop_argument, std::span<Vec3d> p);

 private:
  double calc_equations(EquationKind kind, double tau, const NewtonProblem& problem,
                        std::span<const Vec3d> p, std::span<const Vec3d> u);
  int follow_path(double tau, NewtonProblem& problem, int most_steps, double tolerance,
                  std::span<Vec3d> p);
  double search(NewtonProblem& problem, double merit, std::span<Vec3d> p);
  double stride(NewtonProblem& problem, double merit, double harmless, std::span<Vec3d> p,
                double& alpha);
  void try_length(NewtonProblem& problem, double length, std::span<const Vec3d> p);

  double free_speed_ = 0.0;  // ||q||
  std::vector<NewtonRow> rows_;
  std::vector<Vec3d> u_;  // at p
  std::vector<Vec3d> direction_, trial_, trial_u_, least_, least_u_, best_;
};

}  // namespace stance::solver
