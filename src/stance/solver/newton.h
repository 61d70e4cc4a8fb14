#pragma once

// A semismooth Newton method on all blocks at once, for what Gauss-Seidel cannot finish.
//
// Alart and Curnier's equations: with x = p - rho u, an open contact has p = 0, a closed one
// u_N = 0 and either u_T = 0 or p_T = mu x_N x_T / |x_T|. Linearised, (A W + B) dp = -F with
// block-diagonal A and B; open contacts drop out. W is singular where contacts are redundant, so
// alpha / rho is added to its diagonal (of the linear system only, the residual is exact). The way
// to the solution often leads over a hill, where contacts change their minds: a step that no
// length makes better is taken at the length that harms least, and the best point is remembered.

#include <memory>

#include "stance/solver/contact_problem.h"

namespace stance::solver {

class Newton {
 public:
  Newton();
  ~Newton();

  void start(const ContactProblem& problem);

  // Whether its linear systems are factored as dense ones.
  static bool is_dense(const ContactProblem& problem);

  // From p on, at most this many steps or until the natural-map residual is well below `tolerance`;
  // leaves the best impulses met, which need not be in the cones, and returns how many steps it
  // took. `should_stop` as in SolveOptions.
  int run(const ContactProblem& problem, int most_steps, double tolerance,
          bool (*should_stop)(void*), void* stop_argument, std::span<Vec3d> p, double& residual);

 private:
  // Linear equation of one block in du and dp: A du + B dp = -F; none for an open contact.
  struct Row {
    int slot = -1;  // number among the blocks that take part
    double rho_n = 0.0, rho_t = 0.0;
    Mat3d A, B;
    Vec3d F;
  };
  struct LinearSolver;

  void linearise(const Block& block, double normal, const Vec3d& p, const Vec3d& u, Row& row) const;
  bool solve_direction(const ContactProblem& problem, std::span<const Vec3d> p);
  double search(const ContactProblem& problem, bool inside, std::span<Vec3d> p, double residual);

  std::vector<Row> rows_;
  std::vector<Vec3d> u_, direction_, trial_, nearest_, best_;
  std::unique_ptr<LinearSolver> linear_;
};

}  // namespace stance::solver
