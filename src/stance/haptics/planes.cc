#include "stance/haptics/planes.h"

#include <algorithm>
#include <cmath>

namespace stance::haptics {
namespace {

constexpr double kSlack = 1e-12;    // m
constexpr double kParallel = 1e-9;  // of the determinant of unit normals

// Pulls of the planes `set` (count of them) that put x on all of them; false where they are
// parallel.
bool solve_set(std::span<const Plane> planes, const int* set, int count, const Vec3d& goal,
               double* pull) {
  double g[3][3], r[3];
  for (int a = 0; a < count; ++a) {
    r[a] = planes[set[a]].offset - dot(planes[set[a]].n, goal);
    for (int b = 0; b < count; ++b) g[a][b] = dot(planes[set[a]].n, planes[set[b]].n);
  }
  if (count == 1) {
    pull[0] = r[0];
    return true;
  }
  if (count == 2) {
    const double det = 1.0 - g[0][1] * g[0][1];
    if (det < kParallel) return false;
    pull[0] = (r[0] - g[0][1] * r[1]) / det, pull[1] = (r[1] - g[0][1] * r[0]) / det;
    return true;
  }
  const Vec3d c0(1.0, g[0][1], g[0][2]), c1(g[0][1], 1.0, g[1][2]), c2(g[0][2], g[1][2], 1.0);
  const Vec3d right(r[0], r[1], r[2]);
  const double det = dot(c0, cross(c1, c2));
  if (det < kParallel) return false;
  pull[0] = dot(right, cross(c1, c2)) / det;
  pull[1] = dot(c0, cross(right, c2)) / det;
  pull[2] = dot(c0, cross(c1, right)) / det;
  return true;
}

struct Search {
  std::span<const Plane> planes;
  Vec3d goal;
  double best_violation = INFINITY, best_distance = INFINITY;
  Nearest best{};

  void consider(const int* set, int count) {
    double pull[3] = {};
    if (count > 0 && !solve_set(planes, set, count, goal, pull)) return;
    Vec3d x = goal;
    for (int a = 0; a < count; ++a) {
      if (pull[a] < 0.0) return;
      x = madd(pull[a], planes[set[a]].n, x);
    }
    double violation = 0.0;
    for (const Plane& plane : planes)
      violation = std::max(violation, plane.offset - dot(plane.n, x));
    if (violation <= kSlack) violation = 0.0;
    const double distance = norm(x - goal);
    if (violation > best_violation || (violation == best_violation && distance >= best_distance))
      return;
    best_violation = violation, best_distance = distance;
    best = {x, {}};
    for (int a = 0; a < count; ++a) best.pull[set[a]] = pull[a];
  }
};

}  // namespace

Nearest find_nearest(std::span<const Plane> planes, const Vec3d& goal) {
  Search search{planes, goal};
  const int n = static_cast<int>(planes.size());
  search.consider(nullptr, 0);
  if (search.best_violation == 0.0) return search.best;
  for (int a = 0; a < n; ++a) {
    const int one[] = {a};
    search.consider(one, 1);
    for (int b = a + 1; b < n; ++b) {
      const int two[] = {a, b};
      search.consider(two, 2);
      for (int c = b + 1; c < n; ++c) {
        const int three[] = {a, b, c};
        search.consider(three, 3);
      }
    }
  }
  return search.best;
}

}  // namespace stance::haptics
