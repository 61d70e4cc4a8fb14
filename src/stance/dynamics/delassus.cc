#include "stance/dynamics/delassus.h"

#include <algorithm>

#include "stance/dynamics/delassus_rows.h"
#include "stance/kernel/assert.h"
#include "stance/kernel/counted.h"
#include "stance/kernel/mirror.h"

namespace stance::dynamics {

using kernel::Counted;

const char* delassus_method_name(DelassusMethod method) {
  switch (method) {
    case DelassusMethod::kDirect: return "direct";
    case DelassusMethod::kPerPoint: return "per_point";
    case DelassusMethod::kChangKhatib: return "chang_khatib";
    case DelassusMethod::kSixPerBody: return "six_per_body";
    case DelassusMethod::kSkeleton: return "skeleton";
  }
  return "?";
}

template <class T>
Delassus<T>::Delassus(const Model& model)
    : by_body(model.nbody), g6(model.nv), g3(model.nv), rows3(6 * model.nbody), path(model.nbody) {}

template <class T>
const Mat6<T>* Delassus<T>::omega(const ContactSet& contacts, int i, int j) const {
  STANCE_ASSERT(i <= j);
  const int z = contacts.node_of()[i], x = contacts.node_of()[j];
  if (contacts.nodes()[z].first != contacts.nodes()[x].first) return nullptr;
  return &blocks[block_start[z] + x];
}

template <class T>
void update_points(const Model&, const Kinematics<T>& kin, const ContactSet& contacts,
                   Delassus<T>& out) {
  const auto points = contacts.points();
  out.p_OC.resize(points.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    const int body = points[p].body;
    out.p_OC[p] = madd(kin.R_WB[body], Vec3<T>(points[p].p_BC), kin.p_OB[body]);
  }

  // one square of blocks per tree: node z of a tree of n nodes starts at row (z - first) * n,
  // less `first` because columns are counted from the first node of all
  const auto& nodes = contacts.nodes();
  const int num_nodes = static_cast<int>(nodes.size());
  out.block_start.resize(num_nodes);
  int used = 0;
  for (int first = 0; first < num_nodes;) {
    int last = first + 1;
    while (last < num_nodes && nodes[last].first == first) ++last;
    for (int z = first; z < last; ++z)
      out.block_start[z] = used + (z - first) * (last - first) - first;
    used += (last - first) * (last - first);
    first = last;
  }
  if (out.blocks.size() < static_cast<std::size_t>(used)) out.blocks.resize(used);
  if (out.propagator.size() < nodes.size()) {
    out.propagator.resize(num_nodes);
    out.gain.resize(num_nodes);
  }
  out.lambda_size = 9 * points.size() * points.size();
  if (out.lambda_entries.size() < out.lambda_size) out.lambda_entries.resize(out.lambda_size);
}

namespace {

// ---- six unit forces per contacting body ------------------------------------------------------

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

// ---- three unit forces per point ---------------------------------------------------------------

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

// ---- Chang and Khatib ---------------------------------------------------------------------------

// Omega of a body from its parent's, one coordinate: with L = 1 - U D^-1 S^T,
// L^T Omega L + S D^-1 S^T, written as a symmetric update Omega + S z^T + z S^T.
template <class T>
void recurse_omega(const Motion<T>& S, const Force<T>& U, const T& D_inverse, Mat6<T>& omega) {
  const Motion<T> y = omega * U;
  const T half = T(0.5) * (D_inverse + D_inverse * D_inverse * dot(y, U));
  const Motion<T> z = nmadd(D_inverse, y, half * S);
  for (int j = 0; j < 6; ++j) omega.c[j] = madd(z[j], S, madd(S[j], z, omega.c[j]));
}

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

// ---- ours: the skeleton -------------------------------------------------------------------------

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

// The path from node x up to body `top` (excluded): rows of the propagator K, F_top = K F_x,
// and the gain Delta, the acceleration of x that the joints of the path alone allow.
template <class T>
void walk_path(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art, int body,
               int top, Mat6<T>& K, Mat6<T>& delta) {
  // the first coordinate acts on K = 1, Delta = 0
  int k = model.v_start[body] + model.joint_nv(body) - 1;
  const Motion<T>& S = kin.S[k];
  const Motion<T> g0 = art.D_inverse[k] * S;
  for (int j = 0; j < 6; ++j) delta.c[j] = g0[j] * S;
  for (int i = 0; i < 3; ++i) {
    K.c[i] = -(art.U[k].ang[i] * g0);
    K.c[3 + i] = -(art.U[k].lin[i] * g0);
    K.c[i].ang.set(i, K.c[i].ang[i] + T(1));
    K.c[3 + i].lin.set(i, K.c[3 + i].lin[i] + T(1));
  }
  for (--k;; --k) {
    if (k < model.v_start[body]) {
      body = model.parent[body];
      if (body == top) return;
      k = model.v_start[body] + model.joint_nv(body) - 1;
    }
    // t = S^T K, K <- K - U D^-1 t, Delta <- Delta + t^T D^-1 t
    const Motion<T> t = combine(kin.S[k].ang, kin.S[k].lin, K.c);
    const Motion<T> g = art.D_inverse[k] * t;
    deflate(art.U[k].ang, art.U[k].lin, g, K.c);
    add_outer(t, g, delta);
  }
}

// K^T b, for K by rows.
template <class T>
Mat6<T> transport(const Mat6<T>& K, const Mat6<T>& b) {
  Mat6<T> out;
  for (int j = 0; j < 6; ++j) out.c[j] = combine(b.c[j].ang, b.c[j].lin, K.c);
  return out;
}

// b K, for K by rows.
template <class T>
Mat6<T> times(const Mat6<T>& b, const Mat6<T>& K) {
  Mat6<T> out;
  for (int j = 0; j < 6; ++j)
    out.c[j] = madd(K.c[2][j], b.c[2], madd(K.c[1][j], b.c[1], K.c[0][j] * b.c[0])) +
               madd(K.c[5][j], b.c[5], madd(K.c[4][j], b.c[4], K.c[3][j] * b.c[3]));
  return out;
}

// K^T b + delta, symmetric.
template <class T>
Mat6<T> close(const Mat6<T>& K, const Mat6<T>& b, const Mat6<T>& delta) {
  Mat6<T> out = transport(K, b);
  for (int j = 0; j < 6; ++j) out.c[j] += delta.c[j];
  return out;
}

template <class T>
void omega_skeleton(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
                    const ContactSet& contacts, Delassus<T>& out) {
  const auto& nodes = contacts.nodes();
  const int num_nodes = static_cast<int>(nodes.size());
  // every path by itself
  for (int x = 0; x < num_nodes; ++x) {
    const int root = model.tree_root[model.tree[nodes[x].body]];
    const int floor = is_free_root(model, root) ? root : 0;
    const int top = nodes[x].parent >= 0 ? nodes[nodes[x].parent].body : floor;
    if (nodes[x].body != top)
      walk_path(model, kin, art, nodes[x].body, top, out.propagator[x], out.gain[x]);
  }
  // blocks from the top of each tree down
  for (int x = 0; x < num_nodes; ++x) {
    const int y = nodes[x].parent;
    const Mat6<T>& K = out.propagator[x];
    if (y < 0) {
      const int root = model.tree_root[model.tree[nodes[x].body]];
      const Mat6<T>& base = art.root_inverse[model.tree[nodes[x].body]];
      if (nodes[x].body == root && is_free_root(model, root))
        out.block(x, x) = base;
      else if (is_free_root(model, root))
        out.block(x, x) = close(K, times(base, K), out.gain[x]);
      else
        out.block(x, x) = out.gain[x];
      continue;
    }
    // column x of the table: Omega(z, x) = Omega(z, y) K for z up to y, else K_z^T Omega(y_z, x)
    for (int z = nodes[x].first; z < x; ++z) {
      out.block(z, x) = z <= y ? times(out.block(z, y), K)
                               : transport(out.propagator[z], out.block(nodes[z].parent, x));
    }
    out.block(x, x) = close(K, out.block(y, x), out.gain[x]);
  }
}

// ---- from bodies to points ----------------------------------------------------------------------

// Columns of Omega P^T for the point at r: accelerations for unit forces there.
template <class T>
void spread(const Mat6<T>& omega, const Vec3<T>& r, Motion<T>* y) {
  // a unit force e_k at r is (r x e_k, e_k) at O
  y[0] = nmadd(r[1], omega.c[2], madd(r[2], omega.c[1], omega.c[3]));
  y[1] = nmadd(r[2], omega.c[0], madd(r[0], omega.c[2], omega.c[4]));
  y[2] = nmadd(r[0], omega.c[1], madd(r[1], omega.c[0], omega.c[5]));
}

// Writes the 3x3 block whose columns are u[0..2] at `to`, leading dimension ld.
template <class T>
void store_block(const Vec3<T>* u, T* to, int ld) {
  for (int c = 0; c < 3; ++c)
    for (int a = 0; a < 3; ++a) to[c * ld + a] = u[c][a];
}
inline void store_block(const Vec3<double>* u, double* to, int ld) {
  for (int c = 0; c < 3; ++c) kernel::store_first(to + c * ld, u[c].e, 3);
}

// Lambda from Omega: bodies j, their points l, bodies i <= j, their points k.
template <class T>
void project(const ContactSet& contacts, Delassus<T>& out) {
  const int ld = 3 * contacts.num_points();
  const auto& points_by_body = contacts.by_body();
  const auto& first_of = contacts.first_of();
  const Vec3<T> zero[3] = {};
  for (int j = 0; j < contacts.num_bodies(); ++j) {
    for (int i = 0; i <= j; ++i) {
      const Mat6<T>* omega = out.omega(contacts, i, j);
      for (int b = first_of[j]; b < first_of[j + 1]; ++b) {
        const int l = points_by_body[b];
        Motion<T> y[3];
        if (omega) spread(*omega, out.p_OC[l], y);
        const int end = i == j ? b + 1 : first_of[i + 1];
        for (int a = first_of[i]; a < end; ++a) {
          const int k = points_by_body[a];
          Vec3<T> u[3];
          if (omega)
            for (int c = 0; c < 3; ++c) u[c] = y[c].lin + cross(y[c].ang, out.p_OC[k]);
          // the triangle above the diagonal, whatever the order of the points
          T* to = out.lambda_entries.data();
          if (k <= l) {
            store_block(omega ? u : zero, to + 3 * l * ld + 3 * k, ld);
          } else {
            const Mat3<T> t = transpose(Mat3<T>(u[0], u[1], u[2]));
            store_block(omega ? t.c : zero, to + 3 * k * ld + 3 * l, ld);
          }
        }
      }
    }
  }
}

void mirror(double* lambda, int n) { kernel::mirror_upper(lambda, n, 0, n); }
void mirror(Counted* lambda, int n) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) lambda[i * n + j] = lambda[j * n + i];
}

}  // namespace

template <class T>
void update_omega(DelassusMethod method, const Model& model, const Kinematics<T>& kin,
                  const Articulated<T>& art, const ContactSet& contacts, Delassus<T>& out) {
  switch (method) {
    case DelassusMethod::kChangKhatib: return omega_chang_khatib(model, kin, art, contacts, out);
    case DelassusMethod::kSixPerBody: return omega_six_per_body(model, kin, art, contacts, out);
    case DelassusMethod::kSkeleton: return omega_skeleton(model, kin, art, contacts, out);
    case DelassusMethod::kDirect:
    case DelassusMethod::kPerPoint: STANCE_DEMAND(!"this method has no Omega");
  }
}

template <class T>
void update_lambda(DelassusMethod method, const Model& model, const Kinematics<T>& kin,
                   const Articulated<T>& art, const ContactSet& contacts, Delassus<T>& out) {
  STANCE_DEMAND(method != DelassusMethod::kDirect);
  if (method == DelassusMethod::kPerPoint) {
    lambda_per_point(model, kin, art, contacts, out);
  } else {
    update_omega(method, model, kin, art, contacts, out);
    project(contacts, out);
  }
  mirror(out.lambda_entries.data(), 3 * contacts.num_points());
}

void update_lambda_direct(const Model& model, const Kinematics<double>& kin,
                          const Inertias<double>& inertias, std::span<const double> diagonal,
                          const ContactSet& contacts, DirectDelassus& work, Delassus<double>& out) {
  update_mass_matrix(model, kin, inertias, work.mass);
  update_mass_factor(model, work.mass.M, diagonal, work.factor);

  // columns of L^-T J^T, scaled by D^-1/2
  const int m = contacts.num_points(), nv = model.nv;
  const std::size_t size = std::size_t(3) * m * nv;
  if (work.columns.size() < size) work.columns.resize(size);
  std::fill_n(work.columns.begin(), size, 0.0);
  for (int l = 0; l < m; ++l) {
    double* columns = work.columns.data() + std::ptrdiff_t(3) * l * nv;
    const int body = contacts.points()[l].body;
    const int tip = model.v_start[body] + model.joint_nv(body) - 1;
    for (int k = tip; k >= 0; k = model.dof_parent[k]) {
      const Vec3<double> u = kin.S[k].lin + cross(kin.S[k].ang, out.p_OC[l]);
      for (int c = 0; c < 3; ++c) columns[c * nv + k] = u[c];
    }
    for (int c = 0; c < 3; ++c) solve_path_half(model, work.factor, tip, columns + c * nv);
  }
  const Eigen::Map<const Eigen::MatrixXd> Y(work.columns.data(), nv, 3 * m);
  Eigen::Map<Eigen::MatrixXd> lambda(out.lambda_entries.data(), 3 * m, 3 * m);
  lambda.noalias() = Y.transpose().lazyProduct(Y);
}

template struct Delassus<double>;
template struct Delassus<Counted>;
template void update_points(const Model&, const Kinematics<double>&, const ContactSet&,
                            Delassus<double>&);
template void update_points(const Model&, const Kinematics<Counted>&, const ContactSet&,
                            Delassus<Counted>&);
template void update_omega(DelassusMethod, const Model&, const Kinematics<double>&,
                           const Articulated<double>&, const ContactSet&, Delassus<double>&);
template void update_omega(DelassusMethod, const Model&, const Kinematics<Counted>&,
                           const Articulated<Counted>&, const ContactSet&, Delassus<Counted>&);
template void update_lambda(DelassusMethod, const Model&, const Kinematics<double>&,
                            const Articulated<double>&, const ContactSet&, Delassus<double>&);
template void update_lambda(DelassusMethod, const Model&, const Kinematics<Counted>&,
                            const Articulated<Counted>&, const ContactSet&, Delassus<Counted>&);

}  // namespace stance::dynamics
