#include "stance/dynamics/delassus_methods.h"
#include "stance/dynamics/delassus_rows.h"
#include "stance/kernel/counted.h"
#include "stance/kernel/expression.h"

namespace stance::dynamics {

using kernel::Counted;
using kernel::Expression;

namespace {

// Delta += D^-1 t t^T
template <class T>
void add_outer(const Motion<T>& t, const Motion<T>& g, Mat6<T>& delta) {
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i <= j; ++i) {
      const T sum = delta.c[j][i] + t[i] * g[j];
      (i < 3 ? delta.c[j].ang : delta.c[j].lin).set(i % 3, sum);
      (j < 3 ? delta.c[i].ang : delta.c[i].lin).set(j % 3, sum);
    }
}
inline void add_outer(const Motion<double>& t, const Motion<double>& g, Mat6<double>& delta) {
  for (int j = 0; j < 6; ++j) delta.c[j] = madd(g[j], t, delta.c[j]);
}

// A path, coordinates tip first: rows of the propagator K, F_top = K F_tip, and the gain Delta, the
// acceleration of the tip that the joints of the path alone allow.
template <class T>
void walk_path(const Kinematics<T>& kin, const Articulated<T>& art, std::span<const int> path,
               Mat6<T>& K, Mat6<T>& delta) {
  // the first coordinate acts on K = 1, Delta = 0
  const Motion<T>& S = kin.S[path[0]];
  const Force<T>& U = art.U[path[0]];
  const Motion<T> g0 = art.D_inverse[path[0]] * S;
  for (int j = 0; j < 6; ++j) delta.c[j] = g0[j] * S;
  for (int i = 0; i < 3; ++i) {
    K.c[i] = -(U.ang[i] * g0);
    K.c[3 + i] = -(U.lin[i] * g0);
    K.c[i].ang.set(i, K.c[i].ang[i] + T(1));
    K.c[3 + i].lin.set(i, K.c[3 + i].lin[i] + T(1));
  }
  for (const int k : path.subspan(1)) {
    // t = S^T K, K <- K - U D^-1 t, Delta <- Delta + t^T D^-1 t
    const Motion<T> t = combine(kin.S[k].ang, kin.S[k].lin, K.c);
    const Motion<T> g = art.D_inverse[k] * t;
    deflate(art.U[k].ang, art.U[k].lin, g, K.c);
    add_outer(t, g, delta);
  }
}

// out = K^T b, for K by rows.
template <class T>
void transport(const Mat6<T>& K, const Mat6<T>& b, Mat6<T>& out) {
  for (int j = 0; j < 6; ++j) out.c[j] = combine(b.c[j].ang, b.c[j].lin, K.c);
}

// out = b K, for K by rows.
template <class T>
void times(const Mat6<T>& b, const Mat6<T>& K, Mat6<T>& out) {
  for (int j = 0; j < 6; ++j)
    out.c[j] = madd(K.c[2][j], b.c[2], madd(K.c[1][j], b.c[1], K.c[0][j] * b.c[0])) +
               madd(K.c[5][j], b.c[5], madd(K.c[4][j], b.c[4], K.c[3][j] * b.c[3]));
}

// ---- one coordinate at a time: cheaper than a propagator for short or little used paths --------

// out = b K, coordinate by coordinate from the top: b (1 - U D^-1 S^T).
template <class T>
void step_right(const Kinematics<T>& kin, const Articulated<T>& art, std::span<const int> path,
                const Mat6<T>& b, Mat6<T>& out) {
  out = b;
  for (std::size_t n = path.size(); n-- > 0;) {
    const int k = path[n];
    const Motion<T> t = art.D_inverse[k] * (out * art.U[k]);
    for (int j = 0; j < 6; ++j) out.c[j] = nmadd(kin.S[k][j], t, out.c[j]);
  }
}

// out = K^T b, likewise: (1 - S D^-1 U^T) b.
template <class T>
void step_left(const Kinematics<T>& kin, const Articulated<T>& art, std::span<const int> path,
               const Mat6<T>& b, Mat6<T>& out) {
  out = b;
  for (std::size_t n = path.size(); n-- > 0;) {
    const int k = path[n];
    const Motion<T> t = art.D_inverse[k] * column_products(art.U[k], out);
    for (int j = 0; j < 6; ++j) out.c[j] = nmadd(t[j], kin.S[k], out.c[j]);
  }
}

// Whether a path is better taken coordinate by coordinate than by its propagator, counted in row
// operations: a propagator costs 72 per use and 72 for the diagonal block, steps cost 24 per
// coordinate and use. A path is used once for every node of its tree that is not below it.
bool is_stepwise(const ContactSet& contacts, const ContactSet::Node& node) {
  const int uses = contacts.nodes()[node.first].below - node.below;
  const int length = node.path_end - node.path_begin;
  return node.top != 0 && 24 * length * uses < 72 * (uses + 1);
}

}  // namespace

// Ours. Every path between two nodes of the skeleton is walked once; blocks follow from the top of
// each tree down.
template <class T>
void omega_skeleton(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
                    const ContactSet& contacts, Delassus<T>& out) {
  const auto& nodes = contacts.nodes();
  const int num_nodes = static_cast<int>(nodes.size());
  const auto path = [&](int x) {
    return std::span<const int>(contacts.path().data() + nodes[x].path_begin,
                                nodes[x].path_end - nodes[x].path_begin);
  };
  for (int x = 0; x < num_nodes; ++x) {
    out.stepwise[x] = is_stepwise(contacts, nodes[x]);
    if (!out.stepwise[x]) walk_path(kin, art, path(x), out.propagator[x], out.gain[x]);
  }

  for (int x = 0; x < num_nodes; ++x) {
    const int y = nodes[x].parent;
    // column x of the table: Omega(z, y) K_x for z up to y, else K_z^T Omega(y_z, x)
    for (int z = nodes[x].first; z < x; ++z) {
      const int above = nodes[z].parent;
      if (z <= y)
        out.stepwise[x] ? step_right(kin, art, path(x), out.block(z, y), out.block(z, x))
                        : times(out.block(z, y), out.propagator[x], out.block(z, x));
      else
        out.stepwise[z] ? step_left(kin, art, path(z), out.block(above, x), out.block(z, x))
                        : transport(out.propagator[z], out.block(above, x), out.block(z, x));
    }
    // the diagonal block: K_x^T Omega(y, y) K_x + Delta_x, y the node above or the floating base
    Mat6<T>& diagonal = out.block(x, x);
    if (nodes[x].top == 0) {
      diagonal = out.gain[x];
      continue;
    }
    const Mat6<T>& base = art.root_inverse[model.tree[nodes[x].body]];
    if (out.stepwise[x]) {
      diagonal = y >= 0 ? out.block(y, y) : base;
      for (int n = nodes[x].path_end - 1; n >= nodes[x].path_begin; --n) {
        const int k = contacts.path()[n];
        recurse_omega(kin.S[k], art.U[k], art.D_inverse[k], diagonal);
      }
    } else {
      Mat6<T> right;
      if (y < 0) times(base, out.propagator[x], right);
      transport(out.propagator[x], y >= 0 ? out.block(y, x) : right, diagonal);
      for (int j = 0; j < 6; ++j) diagonal.c[j] += out.gain[x].c[j];
    }
  }
}

template void omega_skeleton(const Model&, const Kinematics<double>&, const Articulated<double>&,
                             const ContactSet&, Delassus<double>&);
template void omega_skeleton(const Model&, const Kinematics<Counted>&, const Articulated<Counted>&,
                             const ContactSet&, Delassus<Counted>&);
template void omega_skeleton(const Model&, const Kinematics<Expression>&,
                             const Articulated<Expression>&, const ContactSet&,
                             Delassus<Expression>&);

}  // namespace stance::dynamics
