#pragma once

// Derivatives of inverse and forward dynamics, exact by dual numbers: four directions per pass
// of the very algorithms of rnea.h, so there is no second set of formulas to keep in step.
//
// A derivative "by q" is along v-coordinates: column k is the change for q (+) epsilon e_k.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "stance/dynamics/crba.h"
#include "stance/dynamics/rnea.h"
#include "stance/kernel/dual.h"

namespace stance::dynamics {

struct DerivativesWork {
  explicit DerivativesWork(const Model& model);

  Kinematics<kernel::Dual> kin;
  Inertias<kernel::Dual> inertias;
  Velocities<kernel::Dual> vel;
  NewtonEuler<kernel::Dual> newton_euler;
  std::vector<kernel::Dual> q, v, vdot, tau, step;
};

// dtau/dq and dtau/dv (nv x nv each) of tau = M vdot + bias; dtau/dvdot is M itself (crba.h).
void calc_inverse_dynamics_derivatives(const Model& model, const Vec3d& gravity,
                                       std::span<const double> q, std::span<const double> v,
                                       std::span<const double> vdot, DerivativesWork& work,
                                       Eigen::Ref<Eigen::MatrixXd> dtau_dq,
                                       Eigen::Ref<Eigen::MatrixXd> dtau_dv);

// dvdot/dq, dvdot/dv and dvdot/dtau = M^-1 of the forward dynamics at the point where vdot is
// the answer to tau; `factor` is that of M (update_mass_factor).
void calc_forward_dynamics_derivatives(const Model& model, const Vec3d& gravity,
                                       std::span<const double> q, std::span<const double> v,
                                       std::span<const double> vdot, const MassFactor& factor,
                                       DerivativesWork& work,
                                       Eigen::Ref<Eigen::MatrixXd> dvdot_dq,
                                       Eigen::Ref<Eigen::MatrixXd> dvdot_dv,
                                       Eigen::Ref<Eigen::MatrixXd> dvdot_dtau);

}  // namespace stance::dynamics
