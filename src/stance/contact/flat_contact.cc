#include "stance/contact/flat_contact.h"

#include <algorithm>
#include <cmath>

namespace stance::contact {

using collision::ContactPoint;
using kernel::Vec3d;

namespace {

constexpr double kLevel = 1e-9;      // m: how well points of one flat contact follow their gaps
constexpr double kTouching = 1e-13;  // m: gaps so small are rounding
constexpr double kSlow = 1.0;        // m/s^2
constexpr double kRounding = 1e-15;  // m
constexpr double kNear = 0.5;        // of the way to the farthest point
constexpr double kDeepest = 4e-6;    // m: more than drift correction leaves of an overlap

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

// What two faces may close: nothing where all of them touch, all where none does. Else gaps are
// measured from a plane that lies below all of them: through the lowest point and, where it can,
// the farthest other one that touches. It is carried on beyond that one by no more than the way
// there, and what lies deeper than kDeepest counts as if it lay there: else two points side by side
// make the plane so steep, or one that is deep makes it so low, that points at its far end have
// metres of room, and hold nothing.
void find_room(double band, const ContactPoint& lowest, std::span<const ContactPoint> points,
               double Room::*room, Room* to) {
  Vec3d along;
  double farthest = 0.0, reach = 0.0, slope = 0.0;
  bool all_touch = true;
  const auto find_gap = [&](const ContactPoint& point) { return std::max(point.gap, -kDeepest); };
  for (const ContactPoint& point : points) {
    const Vec3d d = point.p_W - lowest.p_W;
    const double square = dot(d, d);
    all_touch = all_touch && point.gap <= band;
    reach = std::max(reach, square);
    if (point.gap > band || square <= farthest) continue;
    farthest = square, along = d;
    slope = (find_gap(point) - find_gap(lowest)) / square;
  }
  if (farthest < kNear * kNear * reach) slope = 0.0;
  const double level = lowest.gap > band ? 0.0 : find_gap(lowest);
  const auto height = [&](const ContactPoint& point) {
    return level + slope * dot(along, point.p_W - lowest.p_W);
  };
  for (const ContactPoint& point : points)
    if (find_gap(point) < height(point) - kRounding) slope = 0.0;
  for (std::size_t k = 0; k < points.size(); ++k)
    to[k].*room = all_touch ? 0.0 : std::max(find_gap(points[k]) - height(points[k]), 0.0);
}

}  // namespace

double calc_band(double slop, double h) { return std::min(slop, kSlow * h * h); }

void prepare_flat_contacts(double band, std::span<ContactPoint> points, ParallelFaces& faces,
                           std::vector<Room>& room) {
  const auto close = [](double gap, double within) { return gap > within ? gap : 0.0; };
  room.resize(points.size());
  faces.clear();
  for (std::size_t first = 0, end; first < points.size(); first = end) {
    const ContactPoint& head = points[first];
    std::size_t nearest = first;
    for (end = first; end < points.size() && points[end].geometry_a == head.geometry_a &&
                      points[end].geometry_b == head.geometry_b;
         ++end) {
      if (points[end].gap < points[nearest].gap) nearest = end;
      room[end] = {close(points[end].gap, kTouching), close(points[end].gap, band)};
    }
    const std::span<ContactPoint> these = points.subspan(first, end - first);
    const ContactPoint lowest = points[nearest];
    if (!bring_to_level(lowest, these)) continue;
    if (these.size() > 1) faces.add(points, static_cast<int>(first), static_cast<int>(end));
    find_room(kTouching, lowest, these, &Room::alone, room.data() + first);
    find_room(band, lowest, these, &Room::linked, room.data() + first);
  }
  faces.turn(points);
}

}  // namespace stance::contact
