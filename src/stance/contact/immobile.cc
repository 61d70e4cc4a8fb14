#include "stance/contact/immobile.h"

#include <algorithm>
#include <cmath>

#include "stance/contact/missed.h"

namespace stance::contact {
namespace {

using collision::ContactPoint;
using dynamics::Kinematics;
using kernel::Mat6;
using model::Model;

// Along a normal, of what a coordinate moves at all: axes that are parallel in a file of five
// digits. It is a lever, not a part of W: how heavy things are has no share in it.
constexpr double kLever = 1e-4;
// W_NN this much below the sum of its terms is rounding: 36 products of rounded numbers a body.
constexpr double kImmobile = 1e-12;

// A sum, and that of its terms without their signs.
struct Sum {
  double value = 0.0, size = 0.0;

  void add(double sign, const Force<double>& f, const Mat6<double>& omega, const Force<double>& g) {
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) {
        const double term =
            (i < 3 ? f.ang[i] : f.lin[i - 3]) * omega(i, j) * (j < 3 ? g.ang[j] : g.lin[j - 3]);
        value += sign * term, size += std::abs(term);
      }
  }
};

struct Mobility {
  const Model& model;
  const Kinematics<double>& kin;
  const ContactScratch& s;

  bool floats(int body) const {
    return body != 0 &&
           model.joint_type[model.tree_root[model.tree[body]]] == model::JointType::kFree;
  }
  bool is_sure(const ContactPoint& p) const {
    const bool same_tree =
        p.body_a != 0 && p.body_b != 0 && model.tree[p.body_a] == model.tree[p.body_b];
    return !same_tree && (floats(p.body_a) || floats(p.body_b));
  }
  // The unit force along the normal as a wrench at the O of the body's tree.
  Force<double> calc_push(const ContactPoint& p, int body) const {
    return {cross(p.p_W - kin.p_WO[model.tree[body]], p.n_W), p.n_W};
  }
  const Mat6<double>* find_response(int body_a, int body_b) const {
    const int a = s.number_of[body_a], b = s.number_of[body_b];
    return s.omega.omega(s.bodies, std::min(a, b), std::max(a, b));
  }
  // The last coordinate that moves a body, -1 if there is none.
  int find_last(int body) const {
    while (body != 0 && model.joint_nv(body) == 0) body = model.parent[body];
    return body == 0 ? -1 : model.v_start[body] + model.joint_nv(body) - 1;
  }
  // Whether a coordinate moves the point along the normal, by a lever that is worth the name.
  bool moves(int k, int body, const ContactPoint& p) const {
    const Motion<double>& S = kin.S[k];
    const Vec3d way = S.lin + cross(S.ang, p.p_W - kin.p_WO[model.tree[body]]);
    const double far = std::max(s.search->extent[body], 0.0);
    return std::abs(dot(p.n_W, way)) > kLever * (norm(way) + norm(S.ang) * far);
  }
  bool has_no_lever(const ContactPoint& p) const {
    int a = find_last(p.body_a), b = find_last(p.body_b);
    // numbers fall on the way to the root; what moves both does not part them
    while (a != b) {
      int& k = a > b ? a : b;
      if (moves(k, a > b ? p.body_a : p.body_b, p)) return false;
      k = model.dof_parent[k];
    }
    return true;
  }
  bool is_immobile(const ContactPoint& p) const {
    if (has_no_lever(p)) return true;
    Sum W;
    for (const int body : {p.body_a, p.body_b}) {
      if (body == 0) continue;
      const Force<double> f = calc_push(p, body);
      W.add(1.0, f, *find_response(body, body), f);
    }
    if (p.body_a != 0 && p.body_b != 0) {
      // the block's rows belong to the body with the lower number
      const bool a_first = s.number_of[p.body_a] <= s.number_of[p.body_b];
      const int first = a_first ? p.body_a : p.body_b, second = a_first ? p.body_b : p.body_a;
      if (const Mat6<double>* block = find_response(first, second))
        W.add(-2.0, calc_push(p, first), *block, calc_push(p, second));
    }
    return !(W.value > kImmobile * W.size);
  }
};

}  // namespace

bool drop_immobile(const Model& model, const Kinematics<double>& kin, ContactScratch& s) {
  s.immobile.clear();
  const Mobility mobility{model, kin, s};
  const std::span<ContactPoint> points = s.points.points();
  std::size_t kept = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const ContactPoint& point = points[k];
    if (!mobility.is_sure(point) && mobility.is_immobile(point)) {
      s.immobile.push_back({static_cast<std::uint16_t>(point.geometry_a),
                            static_cast<std::uint16_t>(point.geometry_b)});
      continue;
    }
    if (kept != k) points[kept] = points[k], s.contacts[kept] = s.contacts[k];
    ++kept;
  }
  if (kept == points.size()) return false;
  s.points.shrink(static_cast<int>(kept));
  s.contacts.resize(kept);
  return true;
}

}  // namespace stance::contact
