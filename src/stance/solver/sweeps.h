#pragma once

// What the solver needs of a problem, however its W is kept: one virtual call a sweep.

#include <limits>

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

// What impulses to start from are worth.
enum class StartGrade : std::uint8_t {
  kFar,      // they break some law
  kNear,     // they obey all laws to the tolerance: things are about to rest
  kSettled,  // so well that they are the answer
};

class Sweeps {
 public:
  virtual ~Sweeps() = default;

  virtual int size() const = 0;           // blocks
  virtual double free_speed() const = 0;  // ||q||_2

  virtual double sweep_cost() const = 0;  // about, ns

  // Takes over impulses that did not come from the last sweep.
  virtual void place(std::span<const Vec3d> p) = 0;

  // How well the impulses last placed obey the laws, as parts of the scale; `residual` is theirs
  // unless they are far. Asked before the first sweep, of impulses that the last step left behind;
  // may say so without looking at all blocks when they are far.
  virtual StartGrade grade_start(std::span<const Vec3d> p, double near, double settled,
                                 Residual& residual) const {
    (void)p, (void)near, (void)settled, (void)residual;
    return StartGrade::kFar;
  }

  // Takes away what still moves though its law holds it, down to the part `aim` of the scale. For
  // impulses last placed that obey the laws to the part `near`; leaves p admissible. Returns the
  // steps that it took, each cheaper than a sweep; none and p as it was where something slides.
  virtual int hold_still(std::span<Vec3d> p, double near, double aim) {
    (void)p, (void)near, (void)aim;
    return 0;
  }

  // One pass over all blocks: each takes the impulse that its law asks for while the others are
  // held, to `precision`, or goes `relaxation` of the way, 0 < relaxation <= 1. Leaves p
  // admissible.
  virtual SweepReport sweep(std::span<Vec3d> p, double relaxation, double precision) = 0;

  // The nearest admissible impulses.
  virtual void project(std::span<Vec3d> p) const = 0;

  // The same, and takes them over.
  virtual void project_and_place(std::span<Vec3d> p) { project(p), place(p); }

  // Grades p from scratch; see residual.h.
  virtual Residual grade(std::span<const Vec3d> p) const = 0;

  // About what a step of Newton's method costs, ns, as far as that can be said without making its
  // problem; infinite where it cannot.
  virtual double newton_cost() const { return std::numeric_limits<double>::infinity(); }

  // The problem as Newton's method sees it; null when a step would cost too much. The first call
  // may have to make it.
  virtual NewtonProblem* newton_problem() = 0;
};

}  // namespace stance::solver
