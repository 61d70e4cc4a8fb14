#include "stance/collision/impact.h"

#include <algorithm>
#include <limits>

#include "stance/kernel/rotation.h"

namespace stance::collision {

using kernel::cross;
using kernel::dot;
using kernel::norm;

namespace {

constexpr int kMostSteps = 96;  // of advancement; then the end of the step decides

// Where a pair is, and how fast it may move.
struct Pair {
  const CollisionModel& model;
  GeometryPair pair;
  const Flight &a, &b;
  CollisionScratch& s;

  void place(double t) const {
    set_pose(model, pair.a, a.orientation(t), a.position(t), s);
    set_pose(model, pair.b, b.orientation(t), b.position(t), s);
  }

  // Farthest point of a geometry from its body's origin; of a plane that turns, of those that the
  // other one can meet.
  double find_extent(int k, int other) const {
    if (model.kind[k] != ShapeKind::kPlane) return model.placements[k].extent;
    return norm(s.p_WG[k] - s.p_WG[other]) + model.placements[other].extent +
           norm(b.shift - a.shift);
  }

  // What the two may come nearer to each other along n, from b to a, per unit of t from t on: both
  // ends of the rate of the origins, which is linear in t, and all that turning can do.
  double calc_rate(const Vec3d& n, double t) const {
    const double shift = dot(n, b.shift - a.shift), bend = 2.0 * dot(n, b.bend - a.bend);
    double rate = std::max(shift + t * bend, shift + bend);
    if (model.placements[pair.a].body != 0)
      rate += norm(cross(a.turn, n)) * find_extent(pair.a, pair.b);
    if (model.placements[pair.b].body != 0)
      rate += norm(cross(b.turn, n)) * find_extent(pair.b, pair.a);
    return rate;
  }

  // The same in any direction.
  double calc_most() const {
    return norm(b.shift - a.shift) + 2.0 * norm(b.bend - a.bend) +
           norm(a.turn) * find_extent(pair.a, pair.b) + norm(b.turn) * find_extent(pair.b, pair.a);
  }
};

double find_deepest(const ContactBuffer& points) {
  double least = std::numeric_limits<double>::infinity();
  for (const ContactPoint& point : points.points()) least = std::min(least, point.gap);
  return least;
}

// The normal at the deepest point.
Vec3d find_normal(const ContactBuffer& points) {
  const auto all = points.points();
  return std::min_element(all.begin(), all.end(), [](const auto& p, const auto& q) {
           return p.gap < q.gap;
         })->n_W;
}

}  // namespace

Mat3d Flight::orientation(double t) const {
  return kernel::make_rotation(kernel::exp_quat(t * turn)) * R;
}

bool find_impact(const CollisionModel& model, GeometryPair ends, const Flight& a, const Flight& b,
                 double slack, CollisionScratch& s, ContactBuffer& points, double& time) {
  const Pair pair{model, ends, a, b, s};
  double deepest_allowed = 0.0;
  Vec3d n_W;
  time = 0.0;
  for (int step = 0; step < kMostSteps; ++step) {
    pair.place(time);
    const double near = (1.0 - time) * pair.calc_most() + slack;
    points.clear();
    find_pair_contacts(model, ends, near, s, points);
    if (points.size() == 0) return false;
    const double deepest = find_deepest(points);
    if (step == 0) deepest_allowed = std::min(deepest, 0.0) - slack;
    if (deepest < deepest_allowed + 0.5 * slack) return true;
    n_W = find_normal(points);
    double leap = 1.0;
    for (const ContactPoint& point : points.points()) {
      const double room = point.gap - deepest_allowed, rate = pair.calc_rate(point.n_W, time);
      if (rate * leap > room) leap = room / rate;
    }
    if (time + leap >= 1.0) return false;
    time += leap;
  }

  // touching all the time: harmless if it ends on the same side and not deeper
  pair.place(1.0);
  points.clear();
  find_pair_contacts(model, ends, pair.calc_most() + slack, s, points);
  if (points.size() > 0 && find_deepest(points) >= deepest_allowed &&
      dot(find_normal(points), n_W) > 0.0)
    return false;
  pair.place(time);
  points.clear();
  find_pair_contacts(model, ends, slack, s, points);
  return points.size() > 0;
}

}  // namespace stance::collision
