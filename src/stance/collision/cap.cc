#include "stance/collision/cap.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "stance/collision/lean.h"

namespace stance::collision {

using kernel::cross;
using kernel::dot;
using kernel::norm;

namespace {

// Vertices so far behind a face belong to its cap: more than a body that rests sways by, less than
// what anyone means by the shape of a sole.
constexpr double kCapDepth = 2e-5;       // m
constexpr double kRelativeDepth = 1e-3;  // but no more than this part of the size
constexpr double kSharedDepth = 0.5;     // of it: faces so near to a larger one share its cap
constexpr double kLoopSlack = 1e-9;      // of the size: corners nearer to a line are inner ones

struct CapPoint {
  double x, y, depth;
  std::int32_t vertex;
};

// What a hull is made of, and the axes of a face.
struct CapFinder {
  const std::vector<Vec3d>& vertices;
  const std::vector<std::int32_t>& loop_vertices;
  double size;

  double depth(const PolyhedronFace& face, int v) const {
    return face.offset - dot(face.n, vertices[v]);
  }
  std::span<const std::int32_t> loop(const PolyhedronFace& face) const {
    return {loop_vertices.data() + face.first, static_cast<std::size_t>(face.count)};
  }
  double calc_area(const PolyhedronFace& face) const {
    const auto corners = loop(face);
    Vec3d sum;
    for (std::size_t k = 1; k + 1 < corners.size(); ++k)
      sum += cross(vertices[corners[k]] - vertices[corners[0]],
                   vertices[corners[k + 1]] - vertices[corners[0]]);
    return dot(sum, face.n);
  }
  std::vector<CapPoint> find_points(const PolyhedronFace& face, double limit) const {
    const Vec3d seed = std::abs(face.n[0]) < 0.6 ? Vec3d(1, 0, 0) : Vec3d(0, 1, 0);
    Vec3d x = cross(seed, face.n);
    x = (1.0 / norm(x)) * x;
    const Vec3d y = cross(face.n, x);
    std::vector<CapPoint> out;
    for (int v = 0; v < static_cast<int>(vertices.size()); ++v)
      if (const double d = depth(face, v); d < limit)
        out.push_back({dot(x, vertices[v]), dot(y, vertices[v]), d, v});
    return out;
  }
};

// Of many points those that keep all others from coming down by much under any lean: one after the
// other the point that would come down most.
void thin_out(std::vector<CapPoint>& points) {
  constexpr int kRings = 12, kDirections = 32;
  struct Sample {
    Lean lean;
    double best = -1e300, held = -1e300;  // of all points, of those that are chosen
    std::size_t point = 0;
  };
  const auto value = [](const Lean& lean, const CapPoint& p) {
    return lean.x * p.x + lean.y * p.y - p.depth;
  };
  std::vector<Sample> samples(1);
  for (int ring = 0; ring < kRings; ++ring)
    for (int k = 0; k < kDirections; ++k) {
      const double slope = 1e-6 * std::pow(10.0, 4.0 * ring / (kRings - 1));
      const double angle = 2.0 * M_PI * (k + 0.5 * (ring % 2)) / kDirections;
      samples.push_back({{slope * std::cos(angle), slope * std::sin(angle)}});
    }
  for (Sample& s : samples)
    for (std::size_t i = 0; i < points.size(); ++i)
      if (const double f = value(s.lean, points[i]); f > s.best) s.best = f, s.point = i;
  std::vector<CapPoint> chosen;
  while (chosen.size() < kMaxCap) {
    const auto worst = std::max_element(
        samples.begin(), samples.end(),
        [](const Sample& a, const Sample& b) { return a.best - a.held < b.best - b.held; });
    if (!(worst->best > worst->held)) break;
    chosen.push_back(points[worst->point]);
    for (Sample& s : samples) s.held = std::max(s.held, value(s.lean, chosen.back()));
  }
  points = std::move(chosen);
}

// Corners of the convex hull in order, counter-clockwise, then the points inside (Andrew's chains).
int put_corners_first(double slack, std::vector<CapPoint>& points) {
  std::sort(points.begin(), points.end(), [](const CapPoint& a, const CapPoint& b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.vertex < b.vertex;
  });
  const auto turns_left = [&](const CapPoint& a, const CapPoint& b, const CapPoint& c) {
    const double dx = c.x - a.x, dy = c.y - a.y;
    return dx * (b.y - a.y) - dy * (b.x - a.x) < -slack * std::sqrt(dx * dx + dy * dy);
  };
  std::vector<CapPoint> hull;
  const auto add_chain = [&](auto first, auto last) {
    const std::size_t base = hull.size();
    for (; first != last; ++first) {
      while (hull.size() >= base + 2 && !turns_left(hull[hull.size() - 2], hull.back(), *first))
        hull.pop_back();
      hull.push_back(*first);
    }
    hull.pop_back();  // the next chain begins with it
  };
  add_chain(points.begin(), points.end());
  add_chain(points.rbegin(), points.rend());
  const int corners = static_cast<int>(hull.size());
  for (const CapPoint& p : points)
    if (std::none_of(hull.begin(), hull.begin() + corners,
                     [&](const CapPoint& q) { return q.vertex == p.vertex; }))
      hull.push_back(p);
  points = std::move(hull);
  return corners;
}

}  // namespace

void find_caps(const std::vector<Vec3d>& vertices, const std::vector<std::int32_t>& loop_vertices,
               std::vector<PolyhedronFace>& faces, std::vector<PolyhedronCap>& caps,
               std::vector<std::int32_t>& cap_vertices) {
  double size = 0.0;
  for (const Vec3d& v : vertices)
    size = std::max({size, std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
  const CapFinder finder{vertices, loop_vertices, size};
  const double limit = std::min(kCapDepth, kRelativeDepth * size);

  // from the largest face on
  std::vector<double> area;
  for (const PolyhedronFace& face : faces) area.push_back(finder.calc_area(face));
  std::vector<int> order(faces.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return area[a] > area[b]; });
  std::vector<char> is_done(faces.size(), false);
  for (const int f : order) {
    if (is_done[f]) continue;
    is_done[f] = true;
    std::vector<CapPoint> points = finder.find_points(faces[f], limit);
    if (static_cast<int>(points.size()) <= faces[f].count) continue;
    if (points.size() > kMaxCap) thin_out(points);
    const int cap = static_cast<int>(caps.size());
    const int first = static_cast<int>(cap_vertices.size());
    const int corners = put_corners_first(kLoopSlack * size, points);
    for (const CapPoint& p : points) cap_vertices.push_back(p.vertex);
    caps.push_back({first, corners, static_cast<int>(points.size()) - corners});
    faces[f].cap = cap;

    // what nearly lies in its plane
    for (std::size_t g = 0; g < faces.size(); ++g) {
      if (is_done[g] || dot(faces[g].n, faces[f].n) < 0.9) continue;
      const auto corners_g = finder.loop(faces[g]);
      if (std::all_of(corners_g.begin(), corners_g.end(),
                      [&](int v) { return finder.depth(faces[f], v) < kSharedDepth * limit; }))
        is_done[g] = true, faces[g].cap = cap;
    }
  }
}

}  // namespace stance::collision
