#include "stance/collision/hull.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <libqhull_r/qhull_ra.h>

#include "stance/kernel/error.h"

namespace stance::collision {

using kernel::cross;
using kernel::dot;
using kernel::norm;

namespace {

constexpr double kFlat = 1e-6;   // thickness over size below which a cloud is flat
constexpr double kMerge = 5e-7;  // width, over size, of faces that are joined

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Frees what qhull holds, whatever happens in between.
class Qhull {
 public:
  Qhull() { qh_zero(&qh_, nullptr); }
  ~Qhull() {
    int left = 0, total = 0;
    qh_freeqhull(&qh_, !qh_ALL);
    qh_memfreeshort(&qh_, &left, &total);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;
  qhT* get() { return &qh_; }

 private:
  qhT qh_;
};

// Throws unless the points span a volume; returns their size.
double check_cloud(std::span<const Vec3d> points, const std::string& who) {
  const auto fail = [&](const std::string& what) {
    throw Error(who + ": " + what +
                "; a hull needs points around a volume: give it thickness, or use a box, capsule "
                "or sphere");
  };
  for (const Vec3d& p : points)
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
      fail("a coordinate is not a finite number");
  if (points.size() < 4) fail("only " + std::to_string(points.size()) + " points");

  // farthest from a point, from a line, from a plane
  const Vec3d o = points[0];
  const auto farthest = [&](auto&& distance) {
    return *std::max_element(points.begin(), points.end(), [&](const Vec3d& a, const Vec3d& b) {
      return distance(a) < distance(b);
    });
  };
  const Vec3d a = farthest([&](const Vec3d& p) { return norm(p - o); });
  const double size = norm(a - o);
  if (!(size > 1e-9)) fail("all points coincide (within 1 nm)");
  const Vec3d e = (1.0 / size) * (a - o);
  const auto from_line = [&](const Vec3d& p) { return norm(cross(p - o, e)); };
  const Vec3d b = farthest(from_line);
  if (from_line(b) < kFlat * size) fail("all points lie on a line");
  Vec3d n = cross(e, b - o);
  n = (1.0 / norm(n)) * n;
  const auto from_plane = [&](const Vec3d& p) { return std::abs(dot(p - o, n)); };
  if (from_plane(farthest(from_plane)) < kFlat * size) fail("all points lie in a plane");
  return size;
}

using Loops = std::vector<std::vector<int>>;

// Faces as loops of point indices, counter-clockwise from outside.
Loops find_loops(qhT* qh, std::span<const Vec3d> points) {
  Loops loops;
  facetT* facet = nullptr;
  vertexT *vertex = nullptr, **vertexp = nullptr;
  FORALLfacets {
    setT* around = qh_facet3vertex(qh, facet);
    std::vector<int> loop;
    FOREACHvertex_(around) loop.push_back(qh_pointid(qh, vertex->point));
    qh_settempfree(qh, &around);
    if (loop.size() < 3) continue;
    Vec3d sum;
    for (std::size_t k = 1; k + 1 < loop.size(); ++k)
      sum += cross(points[loop[k]] - points[loop[0]], points[loop[k + 1]] - points[loop[0]]);
    const Vec3d outward(facet->normal[0], facet->normal[1], facet->normal[2]);
    if (dot(sum, outward) < 0.0) std::reverse(loop.begin(), loop.end());
    loops.push_back(std::move(loop));
  }
  return loops;
}

// Leaves out vertices in the middle of an edge, and numbers the rest in the order of the input.
std::vector<Vec3d> renumber(std::span<const Vec3d> points, Loops& loops) {
  std::vector<int> faces_at(points.size(), 0), number(points.size(), -1);
  for (const auto& loop : loops)
    for (int v : loop) ++faces_at[v];
  std::vector<Vec3d> vertices;
  for (std::size_t v = 0; v < points.size(); ++v)
    if (faces_at[v] >= 3) number[v] = int(vertices.size()), vertices.push_back(points[v]);
  for (auto& loop : loops) {
    std::erase_if(loop, [&](int v) { return number[v] < 0; });
    for (int& v : loop) v = number[v];
    // every loop starts at its lowest vertex: the same faces whatever order qhull found them in
    if (!loop.empty())
      std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  }
  std::erase_if(loops, [](const auto& loop) { return loop.size() < 3; });
  std::sort(loops.begin(), loops.end());
  return vertices;
}

}  // namespace

Polyhedron make_hull_polyhedron(std::span<const Vec3d> points, const std::string& who) {
  const double size = check_cloud(points, who);
  std::vector<double> xyz;
  for (const Vec3d& p : points) xyz.insert(xyz.end(), {p[0], p[1], p[2]});

  // qhull joins facets whose centrum is within the width of a neighbour's plane
  const std::unique_ptr<std::FILE, CloseFile> silent(std::fopen("/dev/null", "w"));
  char command[64];
  std::snprintf(command, sizeof command, "qhull Pp C-%.3e", kMerge * size);
  Qhull qhull;
  const int status = qh_new_qhull(qhull.get(), 3, int(points.size()), xyz.data(), False, command,
                                  silent.get(), silent.get());
  if (status != 0)
    throw Error(who + ": no convex hull could be made of its points (qhull " +
                std::to_string(status) + "); remove points that nearly coincide");
  Loops loops = find_loops(qhull.get(), points);
  std::vector<Vec3d> vertices = renumber(points, loops);
  if (vertices.size() > kMaxHullVertices)
    throw Error(who + ": its hull has " + std::to_string(vertices.size()) +
                " vertices, more than " + std::to_string(kMaxHullVertices) + "; simplify the mesh");
  if (vertices.size() < 4 || loops.size() < 4)
    throw Error(who + ": its hull has no volume; give it thickness");
  Polyhedron hull(std::move(vertices), loops);
  hull.join_near_planes();
  return hull;
}

}  // namespace stance::collision
