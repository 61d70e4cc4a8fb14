#pragma once

// The contact problem with pyramids for cones, as a linear complementarity problem (A5, S1): the
// formulation of Stewart and Trinkle (1996) and Anitescu and Potra (1997), solved by Lemke's
// method. The papers compare with it, and so do we: its size is contacts times facets plus two, and
// friction of a pyramid depends on the direction.

#include "stance/solver/contact_problem.h"

namespace stance::solver {

struct FacetedOptions {
  int facets = 8;  // of every cone, in the tangent plane from T1 on
  int max_pivots = 100000;
  bool (*should_stop)(void*) = nullptr;
  void* stop_argument = nullptr;
};

struct FacetedStatus {
  bool is_solved = false;
  int pivots = 0;
  int size = 0;           // variables of the complementarity problem
  double residual = 0.0;  // of that problem (calc_lcp_residual)
};

// Impulses that solve the faceted problem; the inscribed pyramid keeps them in the exact cones.
[[nodiscard]] FacetedStatus solve_faceted(const ContactProblem& problem,
                                          const FacetedOptions& options, std::span<Vec3d> p);

}  // namespace stance::solver
