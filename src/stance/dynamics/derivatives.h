#pragma once

// Derivatives of inverse and forward dynamics, analytic, O(n depth).
// After Carpentier and Mansard (2018) and Singh, Russell, Wensing (2022), rederived for axes that
// are fixed in the parent; docs/algorithms.md has the formulas.
//
// A derivative "by q" is along v-coordinates: column k is the change for q (+) epsilon e_k.

#include <span>
#include <vector>

#include <Eigen/Core>

#include "stance/dynamics/crba.h"
#include "stance/dynamics/rnea.h"

namespace stance::dynamics {

struct DerivativesWork {
  explicit DerivativesWork(const Model& model);

  Kinematics<double> kin;
  Inertias<double> inertias;
  Velocities<double> vel;
  NewtonEuler<double> newton_euler;
  std::vector<double> tau;

  // How a coordinate k enters the velocities and accelerations of every body j that it carries.
  // With S_k x (.) the change of what is simply carried along:
  //   dV_j/dq_k = P + S_k x V_j,  dA_j/dq_k = Q + S_k x A_j + P x V_j,  dA_j/dv_k = G + S_k x V_j
  struct Influence {
    Motion<double> P, Q, G;
  };

  std::vector<RigidInertia<double>> Ic;  // composite inertias (nbody)
  std::vector<Mat6<double>> Bc;          // composite velocity products, motions to forces (nbody)
  std::vector<Influence> influence;      // (nv)
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
                                       DerivativesWork& work, Eigen::Ref<Eigen::MatrixXd> dvdot_dq,
                                       Eigen::Ref<Eigen::MatrixXd> dvdot_dv,
                                       Eigen::Ref<Eigen::MatrixXd> dvdot_dtau);

}  // namespace stance::dynamics
