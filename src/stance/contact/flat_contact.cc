#include "stance/contact/flat_contact.h"

#include <algorithm>
#include <cmath>

namespace stance::contact {

using collision::ContactPoint;
using kernel::Vec3d;

namespace {

constexpr double kLevel = 1e-9;      // m: how well points of one flat contact follow their gaps
constexpr double kRounding = 1e-15;  // m
constexpr double kSlow = 1.0;        // m/s^2

// Brings the points to the level of this one. False, and some are as they were, when they are not
// of two faces: normals differ, or a point does not lie between the surfaces at that level.
bool bring_to_level(const ContactPoint& level, std::span<ContactPoint> points) {
  bool is_flat = true;
  for (ContactPoint& point : points) {
    const Vec3d turned = point.n_W - level.n_W;
    const double lift = dot(level.n_W, point.p_W - level.p_W);
    const bool is_between = std::abs(lift) <= 0.5 * (point.gap - level.gap) + kLevel;
    if (dot(turned, turned) < 1e-24 && is_between)
      point.p_W = nmadd(lift, level.n_W, point.p_W);
    else
      is_flat = false;
  }
  return is_flat;
}

// Gaps measured from a plane that lies below all of them: through the lowest point and, where it
// can, the farthest other one that touches.
void measure_from_touching(double band, const ContactPoint& lowest,
                           std::span<const ContactPoint> points, Room* room) {
  Vec3d along;
  double farthest = 0.0, slope = 0.0;
  for (const ContactPoint& point : points) {
    const Vec3d d = point.p_W - lowest.p_W;
    const double square = dot(d, d);
    if (point.gap > band || square <= farthest) continue;
    farthest = square, along = d;
    slope = (point.gap - lowest.gap) / square;
  }
  const auto height = [&](const ContactPoint& point) {
    return lowest.gap + slope * dot(along, point.p_W - lowest.p_W);
  };
  for (const ContactPoint& point : points)
    if (point.gap < height(point) - kRounding) slope = 0.0;
  for (std::size_t k = 0; k < points.size(); ++k)
    room[k].linked = std::max(points[k].gap - height(points[k]), 0.0);
}

}  // namespace

double calc_band(double slop, double h) { return std::min(slop, kSlow * h * h); }

void prepare_flat_contacts(double band, std::span<ContactPoint> points, std::vector<Room>& room) {
  room.resize(points.size());
  for (std::size_t first = 0, end; first < points.size(); first = end) {
    const ContactPoint& head = points[first];
    std::size_t nearest = first, touching = 0;
    for (end = first; end < points.size() && points[end].geometry_a == head.geometry_a &&
                      points[end].geometry_b == head.geometry_b;
         ++end) {
      const double gap = points[end].gap;
      if (gap < points[nearest].gap) nearest = end;
      touching += gap <= band;
      room[end] = {std::max(gap, 0.0), gap > band ? gap : 0.0};
    }
    const std::span<ContactPoint> these = points.subspan(first, end - first);
    const ContactPoint lowest = points[nearest];
    if (!bring_to_level(lowest, these)) continue;
    const double floor = std::min(lowest.gap, 0.0);
    for (std::size_t k = first; k < end; ++k) room[k].alone = points[k].gap - floor;
    if (touching > 0 && touching < these.size())
      measure_from_touching(band, lowest, these, room.data() + first);
  }
}

}  // namespace stance::contact
