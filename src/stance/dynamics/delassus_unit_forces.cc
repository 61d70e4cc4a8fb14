#include "stance/dynamics/delassus_methods.h"
#include "stance/dynamics/delassus_rows.h"
#include "stance/kernel/counted.h"
#include "stance/kernel/expression.h"

namespace stance::dynamics {

using kernel::Counted;
using kernel::Expression;

namespace {

// Forces on `body`, given as rows, down to the root; leaves g = D^-1 S^T F by coordinate and
// the acceleration of the root body (zero for a fixed base) in `root`.
template <class T, class Row>
void pass_down(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art, int body,
               Row* row, Row* g, Row* root) {
  for (; body != 0; body = model.parent[body]) {
    if (is_free_root(model, body)) {
      multiply(art.root_inverse[model.tree[body]], row, root);
      return;
    }
    for (int k = model.v_start[body] + model.joint_nv(body) - 1; k >= model.v_start[body]; --k) {
      g[k] = art.D_inverse[k] * combine(kin.S[k].ang, kin.S[k].lin, row);
      deflate(art.U[k].ang, art.U[k].lin, g[k], row);
    }
  }
}

// Accelerations of one visited body from its parent's; g as left by pass_down, zero off the path.
template <class T, class Row>
void pass_up(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art, int body,
             const Row* g, Row* row) {
  for (int k = model.v_start[body], end = k + model.joint_nv(body); k < end; ++k) {
    const Row x = nmadd(art.D_inverse[k], combine(art.U[k].ang, art.U[k].lin, row), g[k]);
    inflate(kin.S[k].ang, kin.S[k].lin, x, row);
  }
}

// Runs unit forces on `body` through the visited part of its tree and hands the accelerations
// of every visited body to `use`. Row storage: six rows per body in `rows`, one g per coordinate.
template <class T, class Row, class Use>
void run_unit_forces(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
                     const ContactSet& contacts, int body, Row* force, Row* rows, Row* g, Use use) {
  const int tree = model.tree[body];
  for (int b : contacts.visited()) {
    if (model.tree[b] != tree) continue;
    for (int k = model.v_start[b], end = k + model.joint_nv(b); k < end; ++k) g[k] = Row();
  }
  Row root[6] = {};
  pass_down(model, kin, art, body, force, g, root);
  for (int b : contacts.visited()) {
    if (model.tree[b] != tree) continue;
    Row* row = rows + 6 * b;
    if (is_free_root(model, b)) {
      for (int i = 0; i < 6; ++i) row[i] = root[i];
    } else {
      const Row* above = rows + 6 * model.parent[b];
      for (int i = 0; i < 6; ++i) row[i] = model.parent[b] == 0 ? Row() : above[i];
      pass_up(model, kin, art, b, g, row);
    }
    use(b, row);
  }
}

}  // namespace

// Six unit forces per contacting body: paper H, equation (5).
template <class T>
void omega_six_per_body(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
                        const ContactSet& contacts, Delassus<T>& out) {
  for (int x : contacts.node_of()) {
    const int body = contacts.nodes()[x].body;
    Mat6<T> force;  // identity: six unit forces
    for (int i = 0; i < 3; ++i) {
      force.c[i].ang.set(i, T(1));
      force.c[3 + i].lin.set(i, T(1));
    }
    int next = 0;
    while (contacts.nodes()[next].first != contacts.nodes()[x].first) ++next;
    run_unit_forces(model, kin, art, contacts, body, force.c, out.by_body[0].c, out.g6.data(),
                    [&](int b, const Motion<T>* row) {
                      // upper triangle only; rows of (b, body) are columns of (body, b)
                      const auto& nodes = contacts.nodes();
                      while (next < static_cast<int>(nodes.size()) && nodes[next].body < b) ++next;
                      if (nodes[next].body != b || nodes[next].contact < 0 || next < x) return;
                      for (int i = 0; i < 6; ++i) out.block(x, next).c[i] = row[i];
                    });
  }
}

// Three unit forces per point: Chardonnet et al. (2006).
template <class T>
void lambda_per_point(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
                      const ContactSet& contacts, Delassus<T>& out) {
  const auto points = contacts.points();
  const int m = contacts.num_points();
  for (int l = 0; l < m; ++l) {
    // unit forces at the point: moments r x e_k, so the angular rows are those of skew(r)
    const Vec3<T>& r = out.p_OC[l];
    Vec3<T> force[6] = {{T(0), -r[2], r[1]}, {r[2], T(0), -r[0]}, {-r[1], r[0], T(0)},
                        {T(1), T(0), T(0)},  {T(0), T(1), T(0)},  {T(0), T(0), T(1)}};
    run_unit_forces(model, kin, art, contacts, points[l].body, force, out.rows3.data(),
                    out.g3.data(), [](int, const Vec3<T>*) {});
    for (int k = 0; k <= l; ++k) {
      T* block = out.lambda_entries.data() + 9 * m * l + 3 * k;
      if (model.tree[points[k].body] != model.tree[points[l].body]) {
        for (int c = 0; c < 3; ++c)
          for (int a = 0; a < 3; ++a) block[3 * m * c + a] = T(0);
        continue;
      }
      // rows of the point's acceleration: lin + ang x r
      const Vec3<T>* row = out.rows3.data() + 6 * points[k].body;
      const Vec3<T>& p = out.p_OC[k];
      const Vec3<T> u[3] = {nmadd(p[1], row[2], madd(p[2], row[1], row[3])),
                            nmadd(p[2], row[0], madd(p[0], row[2], row[4])),
                            nmadd(p[0], row[1], madd(p[1], row[0], row[5]))};
      for (int c = 0; c < 3; ++c)
        for (int a = 0; a < 3; ++a) block[3 * m * c + a] = u[a][c];
    }
  }
}

template void omega_six_per_body(const Model&, const Kinematics<double>&,
                                 const Articulated<double>&, const ContactSet&, Delassus<double>&);
template void omega_six_per_body(const Model&, const Kinematics<Counted>&,
                                 const Articulated<Counted>&, const ContactSet&,
                                 Delassus<Counted>&);
template void lambda_per_point(const Model&, const Kinematics<double>&, const Articulated<double>&,
                               const ContactSet&, Delassus<double>&);
template void lambda_per_point(const Model&, const Kinematics<Counted>&,
                               const Articulated<Counted>&, const ContactSet&, Delassus<Counted>&);
template void omega_six_per_body(const Model&, const Kinematics<Expression>&,
                                 const Articulated<Expression>&, const ContactSet&,
                                 Delassus<Expression>&);
template void lambda_per_point(const Model&, const Kinematics<Expression>&,
                               const Articulated<Expression>&, const ContactSet&,
                               Delassus<Expression>&);

}  // namespace stance::dynamics
