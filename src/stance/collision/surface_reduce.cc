#include <algorithm>
#include <cmath>

#include "stance/collision/cap.h"
#include "stance/collision/lean.h"
#include "stance/collision/surface_pair.h"

namespace stance::collision {

using kernel::cross;
using kernel::dot;

namespace {

constexpr double kSameNormal = 1e-6;  // rad
constexpr double kSamePlane = 1e-6;   // times the size
constexpr double kSamePlace = 1e-6;   // times the size
constexpr int kMaxCorners = kMaxCap;  // kept of one plane

struct Corner {
  double x, y, gap;
  int rank;  // of points at one place the lowest stays: corners of the shape come first
};
constexpr int kNotACorner = 1 << 20;  // added to the index of all other points

// One of the points at each place, with the lowest rank and gap of them.
int join_places(Corner* c, int n, double slack) {
  int m = 0;
  for (int i = 0; i < n; ++i) {
    int j = 0;
    while (j < m && !(std::abs(c[i].x - c[j].x) < slack && std::abs(c[i].y - c[j].y) < slack)) ++j;
    if (j == m) {
      c[m++] = c[i];
    } else {
      c[j].rank = std::min(c[j].rank, c[i].rank);
      c[j].gap = std::min(c[j].gap, c[i].gap);
    }
  }
  return m;
}

int find_farthest(const Corner* c, int n, const Corner& from) {
  int best = 0;
  double far = -1.0;
  for (int i = 0; i < n; ++i) {
    const double dx = c[i].x - from.x, dy = c[i].y - from.y, d2 = dx * dx + dy * dy;
    if (d2 > far) best = i, far = d2;
  }
  return best;
}

// Corners of the hull on the right of the line from p to q, in order; nearer than slack is on it.
void add_right_side(const Corner* c, int n, const Corner& p, const Corner& q, double slack,
                    Corner* hull, int& count) {
  const double dx = q.x - p.x, dy = q.y - p.y;
  double far = slack * std::sqrt(dx * dx + dy * dy);
  int best = -1;
  for (int i = 0; i < n; ++i) {
    const double d = dy * (c[i].x - p.x) - dx * (c[i].y - p.y);
    if (d > far) best = i, far = d;
  }
  if (best < 0) return;
  add_right_side(c, n, p, c[best], slack, hull, count);
  hull[count++] = c[best];
  add_right_side(c, n, c[best], q, slack, hull, count);
}

// Corners of the convex hull (Eddy's quickhull), from the two points farthest apart: those are
// corners however the points are rounded. No two of the points are at one place.
int find_hull(const Corner* c, int n, double slack, Corner* hull) {
  if (n < 3) return std::copy(c, c + n, hull), n;
  const Corner p = c[find_farthest(c, n, c[0])], q = c[find_farthest(c, n, p)];
  int count = 0;
  hull[count++] = p;
  add_right_side(c, n, p, q, slack, hull, count);
  hull[count++] = q;
  add_right_side(c, n, q, p, slack, hull, count);
  return count;
}

// Adds the corners of the shape that lie inside: those of a rough sole (cap.h) may be in front of
// the plane through the others.
int add_inner(const Corner* c, int n, Corner* hull, int count) {
  const int corners = count;
  for (int i = 0; i < n; ++i) {
    if (c[i].rank >= kNotACorner) continue;
    const bool is_new =
        std::none_of(hull, hull + corners, [&](const Corner& h) { return h.rank == c[i].rank; });
    if (is_new) hull[count++] = c[i];
  }
  return count;
}

// Of many those that carry (lean.h).
int thin_out(Corner* c, int n) {
  if (n <= kMaxCorners) return n;
  ChosenPoints chosen;
  choose_points(
      n,
      [&](int i) {
        return FlatPoint{c[i].x, c[i].y, c[i].gap};
      },
      chosen);
  int m = 0;
  for (const int i : chosen.sort()) c[m++] = c[i];
  return m;
}

}  // namespace

void reduce_surface_contacts(double size, SurfaceContacts& contacts) {
  if (contacts.count < 2) return;
  // groups: one normal, one plane of the surface
  bool done[kMaxSurfacePoints] = {}, keep[kMaxSurfacePoints] = {};
  for (int i = 0; i < contacts.count; ++i) {
    if (done[i]) continue;
    const SurfacePoint& first = contacts.points[i];
    const Vec3d seed = std::abs(first.n[0]) < 0.6 ? Vec3d(1, 0, 0) : Vec3d(0, 1, 0);
    Vec3d x = cross(seed, first.n);
    x = (1.0 / norm(x)) * x;
    const Vec3d y = cross(first.n, x);
    const double height = dot(first.n, first.p) - 0.5 * first.gap;
    Corner corners[kMaxSurfacePoints], hull[2 * kMaxSurfacePoints];
    int n = 0;
    for (int j = i; j < contacts.count; ++j) {
      const SurfacePoint& p = contacts.points[j];
      const Vec3d d = p.n - first.n;
      if (done[j] || dot(d, d) > kSameNormal * kSameNormal) continue;
      if (std::abs(dot(first.n, p.p) - 0.5 * p.gap - height) > kSamePlane * size) continue;
      done[j] = true;
      const bool is_corner = (p.name & kEdges) == kVertexOfA;
      corners[n++] = {dot(x, p.p), dot(y, p.p), p.gap, j + (is_corner ? 0 : kNotACorner)};
    }
    n = join_places(corners, n, kSamePlace * size);
    const int count = find_hull(corners, n, kSamePlace * size, hull);
    n = thin_out(hull, add_inner(corners, n, hull, count));
    for (int k = 0; k < n; ++k) keep[hull[k].rank % kNotACorner] = true;
  }
  int n = 0;
  for (int i = 0; i < contacts.count; ++i)
    if (keep[i]) contacts.points[n++] = contacts.points[i];
  contacts.count = n;
}

}  // namespace stance::collision
