#include "stance/sensing/support.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stance::sensing {
namespace {

// Twice the area of a, b, c; positive when counter-clockwise.
double calc_turn(const Point2& a, const Point2& b, const Point2& c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

double calc_distance(const Point2& a, const Point2& b, const Point2& p) {
  const double x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
  const double s =
      square > 0.0 ? std::clamp(((p.x - a.x) * x + (p.y - a.y) * y) / square, 0.0, 1.0) : 0.0;
  return std::hypot(p.x - a.x - s * x, p.y - a.y - s * y);
}

}  // namespace

// Andrew's monotone chain: the lower half from left to right, then the upper half back.
void SupportPolygon::update(std::span<Point2> points) {
  std::sort(points.begin(), points.end(),
            [](const Point2& a, const Point2& b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
  corners_.clear();
  const auto add = [&](const Point2& p, std::size_t floor) {
    while (corners_.size() >= floor + 2 &&
           calc_turn(corners_[corners_.size() - 2], corners_.back(), p) <= 0.0)
      corners_.pop_back();
    corners_.push_back(p);
  };
  for (const Point2& p : points) add(p, 0);
  const std::size_t lower = corners_.size();
  for (std::size_t k = points.size(); k-- > 1;) add(points[k - 1], lower > 0 ? lower - 1 : 0);
  if (corners_.size() > 1) corners_.pop_back();  // the first once more
}

double SupportPolygon::calc_margin(const Point2& point) const {
  const std::size_t n = corners_.size();
  double nearest = std::numeric_limits<double>::infinity();
  bool is_inside = n > 2;
  for (std::size_t k = 0; k < n; ++k) {
    const Point2 &a = corners_[k], &b = corners_[(k + 1) % n];
    nearest = std::min(nearest, calc_distance(a, b, point));
    is_inside = is_inside && calc_turn(a, b, point) >= 0.0;
  }
  return is_inside ? nearest : -nearest;
}

}  // namespace stance::sensing
