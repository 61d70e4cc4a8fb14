#include "stance/collision/impact.h"

#include <algorithm>
#include <limits>

#include "stance/collision/advance.h"
#include "stance/collision/surface_impact.h"
#include "stance/kernel/rotation.h"

namespace stance::collision {

using kernel::dot;
using kernel::norm;

namespace {

double find_deepest(const ContactBuffer& points) {
  double least = std::numeric_limits<double>::infinity();
  for (const ContactPoint& point : points.points()) least = std::min(least, point.gap);
  return least;
}

// The normal at the deepest point.
Vec3d find_normal(const ContactBuffer& points) {
  const auto all = points.points();
  return std::min_element(all.begin(), all.end(),
                          [](const auto& p, const auto& q) { return p.gap < q.gap; })
      ->n_W;
}

// Leaves the points that are about as deep as the deepest one. True if there are any.
bool keep_deepest(double slack, ContactBuffer& points) {
  const double limit = find_deepest(points) + slack;
  int kept = 0;
  for (const ContactPoint& point : points.points())
    if (point.gap <= limit) points.points()[kept++] = point;
  points.shrink(kept);
  return kept > 0;
}

bool has_surface(const CollisionModel& model, GeometryPair pair) {
  return is_surface(model.kind[pair.a]) || is_surface(model.kind[pair.b]);
}

}  // namespace

Mat3d Flight::orientation(double t) const {
  return kernel::make_rotation(kernel::exp_quat(t * turn)) * R;
}

bool find_impact(const CollisionModel& model, GeometryPair ends, const Flight& a, const Flight& b,
                 double slack, CollisionScratch& s, ContactBuffer& points, double& time) {
  if (has_surface(model, ends))
    return find_surface_impact(model, ends, a, b, slack, s, points, time);
  const Advance pair{model, ends, a, b, s};
  double deepest_allowed = 0.0;
  Vec3d n_W;
  time = 0.0;
  for (int step = 0; step < kMostAdvances; ++step) {
    pair.place(time);
    const double near = (1.0 - time) * pair.calc_most() + slack;
    points.clear();
    find_pair_contacts(model, ends, near, s, points);
    if (points.size() == 0) return false;
    const double deepest = find_deepest(points);
    if (step == 0) deepest_allowed = std::min(-slack, deepest - kDeeper * slack);
    if (deepest < deepest_allowed + 0.5 * kDeeper * slack) return keep_deepest(slack, points);
    n_W = find_normal(points);
    double leap = 1.0;
    for (const ContactPoint& point : points.points())
      leap = std::min(leap, pair.calc_leap(point, deepest_allowed, time));
    if (time + leap >= 1.0) return false;
    time += leap;
  }

  // touching all the time: harmless if it ends on the same side and not deeper
  if (!ends_beyond(model, ends, a, b, n_W, s, points) && find_deepest(points) >= deepest_allowed)
    return false;
  pair.place(time);
  points.clear();
  find_pair_contacts(model, ends, pair.calc_most() + slack, s, points);
  return keep_deepest(slack, points);
}

bool ends_beyond(const CollisionModel& model, GeometryPair ends, const Flight& a, const Flight& b,
                 const Vec3d& n_W, CollisionScratch& s, ContactBuffer& points) {
  if (has_surface(model, ends)) return crosses_surface(model, ends, a, b, s);
  const Advance pair{model, ends, a, b, s};
  pair.place(1.0);
  points.clear();
  find_pair_contacts(model, ends, pair.calc_most() + norm(b.shift) + norm(a.shift), s, points);
  return points.size() == 0 || dot(find_normal(points), n_W) <= 0.0;
}

}  // namespace stance::collision
