#pragma once

// Composite rigid bodies: the joint-space mass matrix M, and its factor.
// Featherstone (2008), sections 6.2 and 6.5, in world axes at O.

#include <span>
#include <vector>

#include <Eigen/Core>

#include "stance/dynamics/inertia.h"
#include "stance/dynamics/kinematics.h"

namespace stance::dynamics {

template <class T>
struct MassMatrix {
  explicit MassMatrix(const Model& model);

  std::vector<RigidInertia<T>> Ic;                     // composite inertia about O (nbody)
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> M;  // nv x nv, symmetric, rotors included
};

// Fills M. Entries between branches that do not support each other are zero and stay untouched
// after construction.
template <class T>
void update_mass_matrix(const Model& model, const Kinematics<T>& kin, const Inertias<T>& inertias,
                        MassMatrix<T>& mass);

// M = L^T D L with the sparsity of the tree: L unit lower triangular, non-zero only between a
// coordinate and those that support it.
struct MassFactor {
  explicit MassFactor(const Model& model) : factor(model.nv, model.nv), inverse_root(model.nv) {}

  Eigen::MatrixXd factor;            // L^T above the diagonal, D on it
  std::vector<double> inverse_root;  // D^-1/2
};

// Factorises M + diag(diagonal); `diagonal` is empty or nv long.
void update_mass_factor(const Model& model, const Eigen::MatrixXd& M,
                        std::span<const double> diagonal, MassFactor& mass);

// x <- M^-1 x.
void solve_mass(const Model& model, const MassFactor& mass, std::span<double> x);

}  // namespace stance::dynamics
