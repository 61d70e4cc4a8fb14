#pragma once

// Penalty laws in the step: contact forces from gaps and velocities at its start, as impulses h f.

#include <span>

#include "stance/contact/contact_system.h"
#include "stance/contact/penalty_fbl.h"

namespace stance::contact {

struct PenaltyScratch {
  std::vector<Vec3d> u_before;   // (N, T1, T2) at the start of the step, of all points
  std::vector<Vec3d> change;     // of velocity that the points of the group at hand want
  std::vector<Vec3d> q;          // free velocities of its problem
  solver::ContactProblem dense;  // its problem with W
  MinimumNorm minimum_norm;
};

// Stands where `solve` stands for the other laws: impulses of the points that `assemble` left, by
// options.law, their sum of every body in scratch.impulses. `before` are the bodies' velocities at
// the start of the step. The report grades them against the exact law, as any other answer; only
// penalty_fbl with consistent saturation has something that may fail to converge.
ContactReport push(const model::Model& model, const dynamics::Kinematics<double>& kin,
                   std::span<const Motion<double>> before, const ContactOptions& options, double h,
                   const WarmStart& warm, ContactScratch& scratch, PenaltyScratch& penalty);

}  // namespace stance::contact
