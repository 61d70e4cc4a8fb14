#pragma once

// A semismooth Newton method on all blocks at once, for what Gauss-Seidel cannot finish.
//
// The laws as equations F(p, u) = 0 (block_equation.h) in one of two forms. With Fischer and
// Burmeister's, steps are shortened until half the square of F falls: it finds its way from afar,
// but gets caught where sweeps have driven impulses onto the edges of their cones. With Alart and
// Curnier's, the natural-map residual decides, and a step that no length makes better is taken at
// the length that harms least: it finds its way near a solution, where contacts change their
// minds. W is singular where contacts are redundant, so a little is added to its diagonal (of the
// linear system only, the residual is exact).

#include <memory>

#include "stance/solver/block_equation.h"
#include "stance/solver/contact_problem.h"

namespace stance::solver {

struct NewtonOptions {
  EquationKind kind = EquationKind::kFischerBurmeister;
  double alpha = 1e-9;  // added to the diagonal of W, of a block's own part
};

class Newton {
 public:
  Newton();
  ~Newton();

  // Prepares for a problem. Problems of up to kSmall blocks ask for no memory after the first.
  void start(const ContactProblem& problem);
  static constexpr int kSmall = 64;

  // Whether its linear systems are factored as dense ones.
  static bool is_dense(int num_blocks, double matrix_blocks);

  // From p on, at most this many steps or until the natural-map residual is below `aim`, with less
  // patience once it is below `tolerance`; leaves the best impulses met, which need not be in the
  // cones, and returns how many steps it took. `should_stop` as in SolveOptions.
  int run(const NewtonOptions& how, const ContactProblem& problem, int most_steps, double tolerance,
          double aim, bool (*should_stop)(void*), void* stop_argument, std::span<Vec3d> p,
          double& residual);

 private:
  // Equation of one block: F(p, u) = 0, dF = A du + B dp.
  struct Row {
    double rho_n = 0.0, rho_t = 0.0;  // an impulse's worth in velocity: its own part of W
    Mat3d A, B;
    Vec3d F;
  };
  struct LinearSolver;

  double calc_merit(EquationKind kind, const ContactProblem& problem, std::span<const Vec3d> p,
                    bool with_slopes);
  double search(EquationKind kind, const ContactProblem& problem, double merit, std::span<Vec3d> p);
  bool solve_direction(const ContactProblem& problem, double alpha);

  std::vector<Row> rows_;
  std::vector<int> first_;  // by block: its first row in the linear system (n + 1)
  std::vector<Vec3d> u_, direction_, trial_, least_, best_;
  std::unique_ptr<LinearSolver> linear_;
};

}  // namespace stance::solver
