#pragma once

// What the solver needs of a problem, however its W is kept: one virtual call a sweep.

#include "stance/solver/contact_problem.h"
#include "stance/solver/newton.h"
#include "stance/solver/residual.h"

namespace stance::solver {

// What a sweep saw on its way, block by block before each was changed.
struct SweepReport {
  double change = 0.0;    // ||W_ii (p_i new - p_i)||_2: how far u was from what the laws ask, m/s
  double impulse = 0.0;   // ||p||_2
  double velocity = 0.0;  // ||u||_2
};

class Sweeps {
 public:
  virtual ~Sweeps() = default;

  virtual int size() const = 0;           // blocks
  virtual double free_speed() const = 0;  // ||q||_2

  virtual double sweep_cost() const = 0;  // about, ns

  // Takes over impulses that did not come from the last sweep.
  virtual void place(std::span<const Vec3d> p) = 0;

  // Whether the impulses last placed obey all laws to this part of the scale; if so, `residual` is
  // theirs. May say no without looking at all blocks: it is asked before the first sweep, of
  // impulses that the last step of a resting scene left behind.
  virtual bool is_settled(std::span<const Vec3d> p, double tolerance, Residual& residual) const {
    (void)p, (void)tolerance, (void)residual;
    return false;
  }

  // One pass over all blocks: each takes the impulse that its law asks for while the others are
  // held (A12), to `precision`, or goes `relaxation` of the way, 0 < relaxation <= 1. Leaves p
  // admissible.
  virtual SweepReport sweep(std::span<Vec3d> p, double relaxation, double precision) = 0;

  // The nearest admissible impulses.
  virtual void project(std::span<Vec3d> p) const = 0;

  // Grades p from scratch; see residual.h.
  virtual Residual grade(std::span<const Vec3d> p) const = 0;

  // The problem as Newton's method sees it; null when a step would cost too much. The first call
  // may have to make it.
  virtual NewtonProblem* newton_problem() = 0;
};

}  // namespace stance::solver
