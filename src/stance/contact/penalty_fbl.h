#pragma once

// Contact by input-output feedback linearisation (Rengifo et al. 2009, equations 17-20;
// docs/papers.md#r5): points that touch get the accelerations that stop them and take their
// penetration back, forces follow from Lambda F = a_d - a_free, and are then cut to what contact
// can do.
//
// In a step of h seconds the desired acceleration is taken at its end, so that any gains are
// stable:
//   v+ = v + h (-kp (p + h v+) - kv min(0, v+)),  p = gap + wanted penetration,
//   u_T+ = u_T - h kv u_T+,
// which is the paper's law as h -> 0. The min() splits by the sign of v - h kp p, which v+ shares.
//
// Cutting forces to their limits once, as the paper does, is right for single points. On a body
// with several a sliding brick's missing friction lacks in the moment balance, and it digs itself
// in: at 1 m/s by more than its own height. So forces are by default cut consistently: those at
// their limits stay there and the others go on to give their points the velocity they want, which
// is the exact law's problem with u - u_wanted for u.

#include <memory>
#include <span>
#include <vector>

#include "stance/contact/contact_options.h"
#include "stance/solver/contact_problem.h"

namespace stance::contact {

// Velocity (N, T1, T2) that a point wants at the end of a step h that it starts with gap and u.
kernel::Vec3d calc_wanted_velocity(const PenaltyOptions& options, double h, double gap,
                                   const kernel::Vec3d& u);

// f_N >= 0, then the tangential part radially onto the disc |f_T| <= mu f_N (19, 20).
kernel::Vec3d saturate(double mu, const kernel::Vec3d& f);

// The Moore-Penrose solution of W p = b: of all p with the least |W p - b| the one with the least
// |p|. W is symmetric, every block of it present; of a larger one the part that b has. Asks for no
// memory up to kFixed blocks once used.
class MinimumNorm {
 public:
  static constexpr int kFixed = 32;

  MinimumNorm();
  ~MinimumNorm();
  MinimumNorm(MinimumNorm&&) noexcept;
  MinimumNorm& operator=(MinimumNorm&&) noexcept;

  void solve(const solver::BlockMatrix& W, std::span<const kernel::Vec3d> b,
             std::span<kernel::Vec3d> p);

 private:
  struct Work;
  std::unique_ptr<Work> work_;  // made when first used; most worlds have another law
};

// How far p is from such a solution, whatever found it: |W (W p - b)|, which is zero at the least
// |W p - b|, over |W| (|W p| + |b|). W may have more blocks, which are passed over. Work: `left`.
double calc_least_squares_error(const solver::BlockMatrix& W, std::span<const kernel::Vec3d> b,
                                std::span<const kernel::Vec3d> p, std::vector<kernel::Vec3d>& left);

}  // namespace stance::contact
