#include "stance/dynamics/delassus.h"

#include <algorithm>

#include "stance/dynamics/delassus_methods.h"
#include "stance/kernel/assert.h"
#include "stance/kernel/counted.h"
#include "stance/kernel/expression.h"
#include "stance/kernel/mirror.h"

namespace stance::dynamics {

using kernel::Counted;
using kernel::Expression;

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
void Delassus<T>::reserve(const Model& model, int num_points) {
  if (num_points <= reserved_points) return;
  reserved_points = num_points;
  // paths from n bodies to their roots meet in at most n - 1 more
  const std::size_t num_nodes = std::min(2 * num_points - 1, model.nbody - 1);
  propagator.reserve(num_nodes);
  gain.reserve(num_nodes);
  stepwise.reserve(num_nodes);
  block_start.reserve(num_nodes);
  // nodes of one tree answer each other, nodes of different trees do not
  std::vector<std::size_t> bodies_of_tree(model.ntree);
  for (int b = 1; b < model.nbody; ++b) ++bodies_of_tree[model.tree[b]];
  std::size_t num_pairs = 0;
  for (const std::size_t n : bodies_of_tree) num_pairs += n * (n + 1) / 2;
  blocks.reserve(std::min(num_nodes * (num_nodes + 1) / 2, num_pairs));
}

template <class T>
const Mat6<T>* Delassus<T>::omega(const ContactSet& contacts, int i, int j) const {
  STANCE_ASSERT(i <= j);
  const int z = contacts.node_of()[i], x = contacts.node_of()[j];
  if (contacts.nodes()[z].first != contacts.nodes()[x].first) return nullptr;
  return &blocks[block_start[x] + z];
}

template <class T>
void update_points(const Model& model, const Kinematics<T>& kin, const ContactSet& contacts,
                   Delassus<T>& out) {
  const auto points = contacts.points();
  out.p_OC.resize(points.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    const int body = points[p].body;
    out.p_OC[p] = madd(kin.R_WB[body], Vec3<T>(points[p].p_BC), kin.p_OB[body]);
  }

  // one triangle of blocks per tree, column by column: node x of a tree has blocks with the nodes
  // from the first of that tree to itself
  const auto& nodes = contacts.nodes();
  const int num_nodes = static_cast<int>(nodes.size());
  out.block_start.resize(num_nodes);
  int used = 0;
  for (int x = 0; x < num_nodes; ++x) {
    out.block_start[x] = used - nodes[x].first;
    used += x - nodes[x].first + 1;
  }
  out.reserve(model, contacts.num_points());
  if (out.blocks.size() < static_cast<std::size_t>(used)) out.blocks.resize(used);
  if (out.propagator.size() < nodes.size()) {
    out.propagator.resize(num_nodes);
    out.gain.resize(num_nodes);
    out.stepwise.resize(num_nodes);
  }
  out.lambda_size = 9 * points.size() * points.size();
  if (out.lambda_entries.size() < out.lambda_size) out.lambda_entries.resize(out.lambda_size);
}

namespace {

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
  const int size = 3 * contacts.num_points();
  kernel::mirror_upper(out.lambda_entries.data(), size, 0, size);
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
template struct Delassus<Expression>;
template void update_points(const Model&, const Kinematics<Expression>&, const ContactSet&,
                            Delassus<Expression>&);
template void update_omega(DelassusMethod, const Model&, const Kinematics<Expression>&,
                           const Articulated<Expression>&, const ContactSet&,
                           Delassus<Expression>&);
template void update_lambda(DelassusMethod, const Model&, const Kinematics<Expression>&,
                            const Articulated<Expression>&, const ContactSet&,
                            Delassus<Expression>&);

}  // namespace stance::dynamics
