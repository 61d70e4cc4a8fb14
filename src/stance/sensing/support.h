#pragma once

// The support polygon: the convex hull of contact points on the ground, in its plane.

#include <span>
#include <vector>

namespace stance::sensing {

struct Point2 {
  double x = 0.0, y = 0.0;  // m
};

class SupportPolygon {
 public:
  // Points are put in another order. Asks for memory only when there are more than ever before.
  void update(std::span<Point2> points);

  // Counter-clockwise, without points between corners; fewer than three when there is no area.
  std::span<const Point2> corners() const { return corners_; }

  // Distance to the nearest edge, positive inside and negative outside. Without an area: minus the
  // distance to the line or point that there is; minus infinity when there is nothing.
  double calc_margin(const Point2& point) const;

 private:
  std::vector<Point2> corners_;
};

}  // namespace stance::sensing
