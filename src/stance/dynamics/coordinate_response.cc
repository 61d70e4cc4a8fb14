#include "stance/dynamics/coordinate_response.h"

#include <algorithm>

#include "stance/kernel/simd.h"

namespace stance::dynamics {

using kernel::Double4;
using kernel::fma4;
using kernel::fnma4;
using kernel::load4;
using kernel::splat;
using kernel::store4;

CoordinateResponse::CoordinateResponse(const Model& model)
    : trees_(model.ntree), place_(model.nbody), dof_place_(model.nv), number_of_(model.nv, -1) {
  std::vector<int> dofs(model.ntree);
  for (int i = 1; i < model.nbody; ++i) {
    Tree& tree = trees_[model.tree[i]];
    place_[i] = static_cast<int>(tree.bodies.size());
    tree.bodies.push_back(i);
    for (int k = model.v_start[i], end = k + model.joint_nv(i); k < end; ++k)
      dof_place_[k] = dofs[model.tree[i]]++;
  }
  in_use_.reserve(model.ntree);
}

void CoordinateResponse::set(const Model& model, std::span<const int> coordinates) {
  for (const int t : in_use_) {
    for (const int k : trees_[t].coordinates) number_of_[k] = -1;
    trees_[t].coordinates.clear(), trees_[t].stride = 0;
  }
  in_use_.clear();
  for (const int k : coordinates) {
    const int t = model.tree[model.dof_body[k]];
    if (trees_[t].coordinates.empty()) in_use_.push_back(t);
    trees_[t].coordinates.push_back(k);
  }
  for (const int t : in_use_) {
    Tree& tree = trees_[t];
    std::sort(tree.coordinates.begin(), tree.coordinates.end());
    const std::size_t count = tree.coordinates.size();
    for (std::size_t c = 0; c < count; ++c) number_of_[tree.coordinates[c]] = static_cast<int>(c);
    tree.stride = static_cast<int>((count + 3) / 4 * 4);
    const int last = tree.bodies.back();
    const std::size_t dofs = dof_place_[model.v_start[last] + model.joint_nv(last) - 1] + 1;
    tree.vdot.resize(count * tree.stride);
    tree.A.resize(6 * tree.bodies.size() * tree.stride);
    tree.u.resize(dofs * tree.stride);
  }
}

void CoordinateResponse::update(const Model& model, const Kinematics<double>& kin,
                                const Articulated<double>& art) {
  for (const int t : in_use_) update(model, kin, art, trees_[t]);
}

void CoordinateResponse::update(const Model& model, const Kinematics<double>& kin,
                                const Articulated<double>& art, Tree& tree) {
  const int stride = tree.stride;
  const auto u_at = [&](int k) {
    return tree.u.data() + static_cast<std::ptrdiff_t>(dof_place_[k]) * stride;
  };
  const auto A_at = [&](int body) {
    return tree.A.data() + static_cast<std::ptrdiff_t>(6 * place_[body]) * stride;
  };
  std::fill(tree.u.begin(), tree.u.end(), 0.0);
  const int root = tree.bodies.front();
  double* at_root = A_at(root);
  std::fill_n(at_root, 6 * stride, 0.0);

  // column by column, from the coordinate to the root: u = tau - S^T F, F_P = F + U D^-1 u
  for (std::size_t c = 0; c < tree.coordinates.size(); ++c) {
    const int own = tree.coordinates[c];
    Force<double> F;
    int i = model.dof_body[own];
    for (; i != 0 && !is_free_root(model, i); i = model.parent[i]) {
      for (int first = model.v_start[i], k = first + model.joint_nv(i) - 1; k >= first; --k) {
        const double tau = k == own ? 1.0 : 0.0;
        const double u = (tau - dot(kin.S[k], F)) * art.D_inverse[k];
        u_at(k)[c] = u;
        F = madd(u, art.U[k], F);
      }
    }
    if (i == 0) continue;
    if (i == model.dof_body[own]) F = nmadd(1.0, Force<double>{kin.S[own].ang, kin.S[own].lin}, F);
    const Motion<double> A = art.root_inverse[model.tree[i]] * Force<double>{-F.ang, -F.lin};
    for (int r = 0; r < 6; ++r) at_root[r * stride + c] = A[r];
  }

  // all columns at once, from the root: vdot = D^-1 (u - U^T A), A += S vdot
  for (const int b : tree.bodies) {
    double* A = A_at(b);
    if (is_free_root(model, b)) {
      for (int k = model.v_start[b], end = k + 6; k < end; ++k) {
        if (number_of_[k] < 0) continue;
        for (int c = 0; c < stride; ++c) {
          double sum = 0.0;
          for (int r = 0; r < 6; ++r)
            sum += (r < 3 ? kin.S[k].ang[r] : kin.S[k].lin[r - 3]) * A[r * stride + c];
          tree.vdot[static_cast<std::ptrdiff_t>(number_of_[k]) * stride + c] = sum;
        }
      }
      continue;
    }
    const double* from = model.parent[b] == 0 ? nullptr : A_at(model.parent[b]);
    for (int c = 0; c < stride; c += 4) {
      Double4 a[6] = {};
      if (from)
        for (int r = 0; r < 6; ++r) a[r] = load4(from + r * stride + c);
      for (int k = model.v_start[b], end = k + model.joint_nv(b); k < end; ++k) {
        const Force<double>& U = art.U[k];
        const Motion<double>& S = kin.S[k];
        Double4 sum = a[0] * splat(U.ang[0]);
        for (int r = 1; r < 6; ++r) sum = fma4(a[r], splat(U[r]), sum);
        const Double4 vdot = fnma4(splat(art.D_inverse[k]), sum, load4(u_at(k) + c));
        for (int r = 0; r < 6; ++r) a[r] = fma4(vdot, splat(S[r]), a[r]);
        if (number_of_[k] >= 0)
          store4(tree.vdot.data() + static_cast<std::ptrdiff_t>(number_of_[k]) * stride + c, vdot);
      }
      for (int r = 0; r < 6; ++r) store4(A + r * stride + c, a[r]);
    }
  }
}

const double* CoordinateResponse::body_response(const Model& model, int body) const {
  const Tree& tree = trees_[model.tree[body]];
  return tree.A.data() + static_cast<std::ptrdiff_t>(6 * place_[body]) * tree.stride;
}

}  // namespace stance::dynamics
