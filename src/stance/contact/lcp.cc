#include "stance/contact/lcp.h"

#include "stance/solver/faceted.h"

namespace stance::contact {

LawStatus solve_lcp(const solver::BodyProblem& problem, int facets, double tolerance,
                    solver::BodySweeps& sweeps, std::span<kernel::Vec3d> p) {
  solver::ContactProblem dense;
  solver::NodeMotions motions;
  make_explicit(problem, motions, dense);
  std::vector<kernel::Vec3d> answer(p.size());
  solver::FacetedOptions options;
  options.facets = facets;
  const solver::FacetedStatus lemke = solve_faceted(dense, options, answer);
  if (lemke.is_solved) std::copy(answer.begin(), answer.end(), p.begin());
  sweeps.project(p);  // rounding may leave an impulse just outside
  sweeps.place(p);

  LawStatus status;
  status.residual = lemke.residual;
  status.solve.is_converged = lemke.is_solved && lemke.residual <= tolerance;
  status.solve.sweeps = lemke.pivots;
  status.solve.residual = sweeps.grade(p);
  return status;
}

}  // namespace stance::contact
