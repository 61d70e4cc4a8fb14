#include "stance/contact/immobile.h"

#include <cmath>

namespace stance::contact {
namespace {

using collision::ContactPoint;
using dynamics::Kinematics;
using kernel::Mat6;
using model::Model;

// W_NN this much below the sum of its terms is rounding: 36 products of rounded numbers a body, and
// axes that are parallel in a file of seven digits.
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
  bool is_immobile(const ContactPoint& p) const {
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
