#pragma once

// The law of a block as an equation F(p, u) = 0, with its slopes, for Newton's method.

#include "stance/solver/contact_problem.h"

namespace stance::solver {

// Two ways to write a contact's law. Fischer and Burmeister's has a merit, half the square of F,
// that can be searched along; Alart and Curnier's is piecewise linear and at its best near the
// solution. Other laws have one form.
enum class EquationKind { kFischerBurmeister, kAlartCurnier };

struct BlockEquation {
  Vec3d F;
  Mat3d by_u, by_p;  // slopes
};

// `rho_n` and `rho_t` turn impulses into velocities; `normal` is the load of a kSpin block, taken
// as given.
BlockEquation calc_equation(EquationKind kind, const Block& block, double normal, double rho_n,
                            double rho_t, const Vec3d& p, const Vec3d& u, double tau = 0.0);

}  // namespace stance::solver
