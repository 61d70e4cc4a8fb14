#pragma once

// Nearest points of segments.

#include <algorithm>

#include "stance/kernel/vec3.h"

namespace stance::collision {

struct SegmentPoints {
  kernel::Vec3d a, b;
  double s, t;  // where, -1 .. 1 along each segment
};

// Nearest points of the segments p + s half_p u, q + t half_q v with s, t in [-1, 1]; u, v unit.
// (Lumelsky 1985; parallel segments give the middle of the part they share.)
inline SegmentPoints find_line_points(const kernel::Vec3d& p, const kernel::Vec3d& u, double half_p,
                                      const kernel::Vec3d& q, const kernel::Vec3d& v,
                                      double half_q) {
  const kernel::Vec3d r = p - q;
  const double uv = dot(u, v), ur = dot(u, r), vr = dot(v, r);
  const kernel::Vec3d w = cross(u, v);
  const double sine2 = dot(w, w);
  const auto on_q = [&](double s) { return std::clamp(vr + s * uv, -half_q, half_q); };
  const auto on_p = [&](double t) { return std::clamp(t * uv - ur, -half_p, half_p); };

  // lengths along the segments; parallel: the middle of the interval of p that q covers
  double s, t;
  if (sine2 > 1e-24) {
    // as products of vectors, which keep their digits where the lines are nearly parallel
    s = std::clamp(-dot(cross(r, v), w) / sine2, -half_p, half_p);
  } else {
    const double e0 = -half_q * uv - ur, e1 = half_q * uv - ur;
    s = 0.5 * (std::clamp(e0, -half_p, half_p) + std::clamp(e1, -half_p, half_p));
  }
  t = on_q(s);
  s = on_p(t);
  t = on_q(s);
  return {madd(s, u, p), madd(t, v, q), half_p > 0.0 ? s / half_p : 0.0,
          half_q > 0.0 ? t / half_q : 0.0};
}

}  // namespace stance::collision
