#pragma once

// The whole forest as one: centre of mass, momentum about it, energy.
// Orin, Goswami, Lee, "Centroidal dynamics of a humanoid robot" (2013).

#include <vector>

#include <Eigen/Core>

#include "stance/dynamics/inertia.h"
#include "stance/dynamics/kinematics.h"

namespace stance::dynamics {

using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;

struct Centroidal {
  explicit Centroidal(const Model& model) : A_G(6, model.nv), J_com(3, model.nv), Ic(model.nbody) {
    A_G.setZero();
    J_com.setZero();
  }

  double mass = 0.0;       // of all moving bodies, kg
  Vec3d com;               // in the world, m
  Vec3d com_velocity;      // m/s
  Force<double> h_G;       // momentum: angular about the centre of mass, then linear; world axes
  Matrix6X A_G;            // (6 x nv) h_G = A_G v
  Eigen::Matrix3Xd J_com;  // (3 x nv) com_velocity = J_com v
  std::vector<RigidInertia<double>> Ic;  // work: composite inertias about O (nbody)
};

// Refreshes everything above from kinematics and velocities.
void update_centroidal(const Model& model, const Kinematics<double>& kin,
                       const Inertias<double>& inertias, const Velocities<double>& vel,
                       Centroidal& centroidal);

// dA_G/dt v: the rate of the momentum that remains when vdot = 0. A_bias: accelerations of the
// bodies with vdot = 0 (calc_accelerations with an empty vdot).
Force<double> calc_momentum_bias(const Model& model, const Kinematics<double>& kin,
                                 const Inertias<double>& inertias, const Velocities<double>& vel,
                                 const std::vector<Motion<double>>& A_bias, const Vec3d& com);

// J; the potential is zero at the world's origin. Rotors count in the kinetic energy.
double calc_kinetic_energy(const Model& model, const Inertias<double>& inertias,
                           const Velocities<double>& vel, std::span<const double> v);
double calc_potential_energy(const Model& model, const Vec3d& gravity,
                             const Kinematics<double>& kin, const Inertias<double>& inertias);

}  // namespace stance::dynamics
