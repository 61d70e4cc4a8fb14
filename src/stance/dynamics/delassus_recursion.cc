#include "stance/dynamics/delassus_methods.h"
#include "stance/dynamics/delassus_rows.h"
#include "stance/kernel/counted.h"
#include "stance/kernel/expression.h"

namespace stance::dynamics {

using kernel::Counted;
using kernel::Expression;

namespace {

// Rows of Omega(., b), from the body `from` down to `to`.
template <class T>
void descend(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art, int from,
             int to, std::vector<int>& path, Mat6<T>& rows) {
  int depth = 0;
  for (int b = to; b != from; b = model.parent[b]) path[depth++] = b;
  while (depth-- > 0) {
    const int b = path[depth];
    for (int k = model.v_start[b], end = k + model.joint_nv(b); k < end; ++k) {
      const Motion<T> t = combine(art.U[k].ang, art.U[k].lin, rows.c);
      deflate(kin.S[k].ang, kin.S[k].lin, art.D_inverse[k] * t, rows.c);
    }
  }
}

}  // namespace

// Chang and Khatib (2000).
template <class T>
void omega_chang_khatib(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
                        const ContactSet& contacts, Delassus<T>& out) {
  // diagonal: from the roots to the contacting bodies
  for (int b : contacts.visited()) {
    if (is_free_root(model, b)) {
      out.by_body[b] = art.root_inverse[model.tree[b]];
      continue;
    }
    out.by_body[b] = model.parent[b] == 0 ? Mat6<T>() : out.by_body[model.parent[b]];
    for (int k = model.v_start[b], end = k + model.joint_nv(b); k < end; ++k)
      recurse_omega(kin.S[k], art.U[k], art.D_inverse[k], out.by_body[b]);
  }

  // off the diagonal: from the nearest common ancestor down one path, then down the other
  const auto& nodes = contacts.nodes();
  for (int j = 0; j < contacts.num_bodies(); ++j) {
    const int x = contacts.node_of()[j];
    out.block(x, x) = out.by_body[nodes[x].body];
    for (int i = 0; i < j; ++i) {
      const int z = contacts.node_of()[i];
      if (nodes[z].first != nodes[x].first) continue;
      int a = z, b = x;  // up to the node where the paths meet
      while (a != b) (a > b ? a : b) = nodes[a > b ? a : b].parent;
      // rows of Omega(z, a), turned into rows of Omega(a, z), then of Omega(x, z)
      Mat6<T> rows = out.by_body[nodes[a].body];
      descend(model, kin, art, nodes[a].body, nodes[z].body, out.path, rows);
      rows = transpose(rows);
      descend(model, kin, art, nodes[a].body, nodes[x].body, out.path, rows);
      out.block(z, x) = rows;
    }
  }
}

template void omega_chang_khatib(const Model&, const Kinematics<double>&,
                                 const Articulated<double>&, const ContactSet&, Delassus<double>&);
template void omega_chang_khatib(const Model&, const Kinematics<Counted>&,
                                 const Articulated<Counted>&, const ContactSet&,
                                 Delassus<Counted>&);
template void omega_chang_khatib(const Model&, const Kinematics<Expression>&,
                                 const Articulated<Expression>&, const ContactSet&,
                                 Delassus<Expression>&);

}  // namespace stance::dynamics
