#include "stance/dynamics/coordinate_response.h"

namespace stance::dynamics {

CoordinateResponse::CoordinateResponse(const Model& model)
    : nv_(model.nv),
      nbody_(model.nbody),
      bodies_of_(model.ntree),
      number_of_(model.nv, -1),
      u_(model.nv) {
  for (int i = 1; i < model.nbody; ++i) bodies_of_[model.tree[i]].push_back(i);
  coordinates_.reserve(model.nv);
}

void CoordinateResponse::set(std::span<const int> coordinates) {
  for (const int k : coordinates_) number_of_[k] = -1;
  coordinates_.assign(coordinates.begin(), coordinates.end());
  for (int j = 0; j < size(); ++j) number_of_[coordinates_[j]] = j;
  const std::size_t n = coordinates_.size();
  if (vdot_.size() < n * nv_) vdot_.resize(n * nv_), A_.resize(n * nbody_);
  std::fill_n(vdot_.begin(), n * nv_, 0.0);
}

void CoordinateResponse::update(const Model& model, const Kinematics<double>& kin,
                                const Articulated<double>& art) {
  for (int j = 0; j < size(); ++j) {
    const int tree = model.tree[model.dof_body[coordinates_[j]]];
    double* vdot = vdot_.data() + column(j);
    Motion<double>* A = A_.data() + static_cast<std::size_t>(j) * nbody_;

    // from the coordinate to the root: u = tau - S^T F, F_P = F + U D^-1 u; zero elsewhere
    for (const int i : bodies_of_[tree])
      for (int k = model.v_start[i], end = k + model.joint_nv(i); k < end; ++k) u_[k] = 0.0;
    Force<double> F;
    int i = model.dof_body[coordinates_[j]];
    for (; i != 0 && !is_free_root(model, i); i = model.parent[i]) {
      for (int first = model.v_start[i], k = first + model.joint_nv(i) - 1; k >= first; --k) {
        const double tau = k == coordinates_[j] ? 1.0 : 0.0;
        u_[k] = (tau - dot(kin.S[k], F)) * art.D_inverse[k];
        F = madd(u_[k], art.U[k], F);
      }
    }

    if (const int k = coordinates_[j]; i != 0 && i == model.dof_body[k])
      F = nmadd(1.0, Force<double>{kin.S[k].ang, kin.S[k].lin}, F);

    // from the root to all bodies of the tree: vdot = D^-1 (u - U^T A), A += S vdot
    A[0] = {};
    for (const int b : bodies_of_[tree]) {
      if (is_free_root(model, b)) {
        A[b] = art.root_inverse[tree] * Force<double>{-F.ang, -F.lin};
        for (int k = model.v_start[b], end = k + 6; k < end; ++k)
          vdot[k] = dot(A[b], Force<double>{kin.S[k].ang, kin.S[k].lin});
        continue;
      }
      Motion<double> a = A[model.parent[b]];
      for (int k = model.v_start[b], end = k + model.joint_nv(b); k < end; ++k) {
        vdot[k] = u_[k] - art.D_inverse[k] * dot(a, art.U[k]);
        a = madd(vdot[k], kin.S[k], a);
      }
      A[b] = a;
    }
  }
}

}  // namespace stance::dynamics
