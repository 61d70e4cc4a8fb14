#include "stance/dynamics/delassus.h"
#include "stance/kernel/mirror.h"

namespace stance::dynamics {

// J M^-1 J^T by M = L^T D L. Everything stays on the paths from the points to the roots: the three
// columns of a point live in the lanes of one vector per coordinate.
void update_lambda_direct(const Model& model, const Kinematics<double>& kin,
                          const Inertias<double>& inertias, std::span<const double> diagonal,
                          const ContactSet& contacts, DirectDelassus& work, Delassus<double>& out) {
  update_mass_matrix(model, kin, inertias, work.mass);
  update_mass_factor(model, work.mass.M, diagonal, work.factor);

  const auto points = contacts.points();
  const int m = contacts.num_points(), nv = model.nv;
  const auto tip_of = [&](int p) {
    return model.v_start[points[p].body] + model.joint_nv(points[p].body) - 1;
  };
  const std::size_t size = std::size_t(m) * nv;
  if (work.columns.size() < size) work.columns.resize(size);

  // y = D^-1/2 L^-T J^T along each path
  for (int p = 0; p < m; ++p) {
    Vec3d* y = work.columns.data() + std::ptrdiff_t(p) * nv;
    for (int k = tip_of(p); k >= 0; k = model.dof_parent[k])
      y[k] = kin.S[k].lin + cross(kin.S[k].ang, out.p_OC[p]);
    for (int k = tip_of(p); k >= 0; k = model.dof_parent[k]) {
      const double* L = work.factor.factor.data() + std::ptrdiff_t(k) * nv;
      for (int i = model.dof_parent[k]; i >= 0; i = model.dof_parent[i])
        y[i] = nmadd(L[i], y[k], y[i]);
      y[k] = work.factor.inverse_root[k] * y[k];
    }
  }

  // blocks y_k^T y_l: sums over the coordinates that both paths share
  const int ld = 3 * m;
  for (int l = 0; l < m; ++l) {
    const Vec3d* y_l = work.columns.data() + std::ptrdiff_t(l) * nv;
    for (int k = 0; k <= l; ++k) {
      const Vec3d* y_k = work.columns.data() + std::ptrdiff_t(k) * nv;
      int a = tip_of(k), b = tip_of(l);
      while (a != b && a >= 0 && b >= 0) (a > b ? a : b) = model.dof_parent[a > b ? a : b];
      Vec3d u[3];
      for (int d = a == b ? a : -1; d >= 0; d = model.dof_parent[d])
        for (int c = 0; c < 3; ++c) u[c] = madd(y_l[d][c], y_k[d], u[c]);
      double* to = out.lambda_entries.data() + std::ptrdiff_t(3) * l * ld + 3 * k;
      for (int c = 0; c < 3; ++c) kernel::store_first(to + c * ld, u[c].e, 3);
    }
  }
  kernel::mirror_upper(out.lambda_entries.data(), ld, 0, ld);
}

}  // namespace stance::dynamics
