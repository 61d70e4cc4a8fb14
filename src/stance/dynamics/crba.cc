#include "stance/dynamics/crba.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "stance/kernel/expression.h"
#include "stance/kernel/mirror.h"

namespace stance::dynamics {

using kernel::Expression;

template <class T>
MassMatrix<T>::MassMatrix(const Model& model) : Ic(model.nbody), M(model.nv, model.nv) {
  M.setZero();
}

namespace {

// column[j] = S_j^T F for j = low..high.
template <class T>
void fill_run(const Motion<T>* S, const Force<T>& F, int low, int high, T* column) {
  for (int j = high; j >= low; --j) column[j] = dot(S[j], F);
}

// Four products at a time.
void fill_run(const Motion<double>* S, const Force<double>& F, int low, int high, double* column) {
  const auto product = [&](int j) {
    return kernel::fma4(S[j].lin.e, F.lin.e, S[j].ang.e * F.ang.e);
  };
  int j = low;
  for (; j + 3 <= high; j += 4) {
    kernel::store4(column + j,
                   kernel::sum4x4(product(j), product(j + 1), product(j + 2), product(j + 3)));
  }
  if (j > high) return;
  const kernel::Double4 x = kernel::sum4x4(product(j), product(std::min(j + 1, high)),
                                           product(std::min(j + 2, high)), kernel::Double4{});
  kernel::store_first(column + j, x, high - j + 1);
}

// The six rows of a floating base whose axes are the world's: F itself.
template <class T>
void fill_base(const Force<T>& F, T* column) {
  for (int n = 0; n < 6; ++n) column[n] = F[n];
}

void fill_base(const Force<double>& F, double* column) {
  kernel::store4(column, F.ang.e);
  kernel::store_first(column + 3, F.lin.e, 3);
}

// True for a tree on a free joint whose axes are the world's, at O.
bool has_unit_base(const Model& model, int tree) {
  const int root = model.tree_root[tree];
  return model.joint_type[root] == model::JointType::kFree && model.R_PJ_is_identity[root];
}

}  // namespace

template <class T>
void update_mass_matrix(const Model& model, const Kinematics<T>& kin, const Inertias<T>& inertias,
                        MassMatrix<T>& mass) {
  for (int i = 1; i < model.nbody; ++i) mass.Ic[i] = calc_rigid_inertia(model, inertias, i);
  for (int n = model.nbody - 2; n >= 0; --n) {
    const int i = model.sweep[n], tree = model.tree[i];
    const int base = model.v_start[model.tree_root[tree]];
    const int low = has_unit_base(model, tree) ? base + 6 : base;  // rows from here by products
    for (int k = model.v_start[i], end = k + model.joint_nv(i); k < end; ++k) {
      // F = Ic S; M_jk = S_j^T F for k and the coordinates j that support it
      const Force<T> F = mass.Ic[i] * kin.S[k];
      T* column = mass.M.data() + std::ptrdiff_t(k) * model.nv;
      if (low > base) fill_base(F, column + base);
      for (int j = k; j >= low; j = model.dof_parent[model.dof_run[j]])
        fill_run(kin.S.data(), F, std::max(low, model.dof_run[j]), j, column);
      column[k] += T(model.rotor_inertia[k]);
    }
    if (model.parent[i] != 0) mass.Ic[model.parent[i]] += mass.Ic[i];
  }
  // the lower triangle, tree by tree
  for (int t = 0; t < model.ntree; ++t) {
    const int last = t + 1 < model.ntree ? model.v_start[model.tree_root[t + 1]] : model.nv;
    kernel::mirror_upper(mass.M.data(), model.nv, model.v_start[model.tree_root[t]], last);
  }
}

// Featherstone (2008), table 6.3, on the upper triangle.
void update_mass_factor(const Model& model, const Eigen::MatrixXd& M,
                        std::span<const double> diagonal, MassFactor& mass) {
  Eigen::MatrixXd& H = mass.factor;
  H = M;
  for (int k = 0; k < static_cast<int>(diagonal.size()); ++k) H(k, k) += diagonal[k];
  const int nv = model.nv;
  for (int k = nv - 1; k >= 0; --k) {
    double* column_k = H.data() + std::ptrdiff_t(k) * nv;
    const double inverse = 1.0 / column_k[k];
    for (int i = model.dof_parent[k]; i >= 0; i = model.dof_parent[i]) {
      double* column_i = H.data() + std::ptrdiff_t(i) * nv;
      const double a = column_k[i] * inverse;
      for (int j = i; j >= 0; j = model.dof_parent[j])
        column_i[j] = std::fma(-a, column_k[j], column_i[j]);
      column_k[i] = a;
    }
    mass.inverse_root[k] = std::sqrt(inverse);
  }
}

void solve_mass(const Model& model, const MassFactor& mass, std::span<double> x) {
  for (int k = model.nv - 1; k >= 0; --k)
    for (int i = model.dof_parent[k]; i >= 0; i = model.dof_parent[i])
      x[i] -= mass.factor(i, k) * x[k];
  for (int k = 0; k < model.nv; ++k) {
    x[k] /= mass.factor(k, k);
    for (int i = model.dof_parent[k]; i >= 0; i = model.dof_parent[i])
      x[k] -= mass.factor(i, k) * x[i];
  }
}

template struct MassMatrix<double>;
template void update_mass_matrix(const Model&, const Kinematics<double>&, const Inertias<double>&,
                                 MassMatrix<double>&);
template struct MassMatrix<Expression>;
template void update_mass_matrix(const Model&, const Kinematics<Expression>&,
                                 const Inertias<Expression>&, MassMatrix<Expression>&);

}  // namespace stance::dynamics
