#include "stance/collision/mesh.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "stance/kernel/error.h"

namespace stance::collision {

using kernel::cross;
using kernel::dot;
using kernel::norm;

namespace {

constexpr int kLeaf = 4;            // triangles
constexpr double kNoArea = 1e-12;   // twice the area over the longest edge squared
constexpr double kFlatSine = 1e-4;  // edges flatter than this do not bend

std::vector<int> weld(std::span<const Vec3d> vertices) {
  std::map<std::array<double, 3>, int> known;
  std::vector<int> out;
  for (const Vec3d& v : vertices)
    out.push_back(
        known.try_emplace({v[0] + 0.0, v[1] + 0.0, v[2] + 0.0}, int(known.size())).first->second);
  return out;
}

void join_box(Box& a, const Vec3d& p) {
  a.low.e = p.e < a.low.e ? p.e : a.low.e;
  a.high.e = p.e > a.high.e ? p.e : a.high.e;
}

}  // namespace

SurfaceTriangle turn_over(const SurfaceTriangle& t) {
  SurfaceTriangle back = t;
  back.n = -t.n;
  for (int k = 0; k < 3; ++k) {
    const int corner = (3 - k) % 3, side = 2 - k;  // v0 v2 v1, and the edges between them
    back.v[k] = t.v[corner], back.vertex[k] = t.vertex[corner];
    back.beyond[k] = -t.beyond[side], back.edge[k] = t.edge[side];
    back.border[k] = t.border[side];
    back.active[k] = t.border[side] || t.hollow[side];
    back.hollow[k] = t.active[side] && !t.border[side];
  }
  return back;
}

int find_bend(const Vec3d& n, const Vec3d& beyond, const Vec3d& a, const Vec3d& b) {
  const Vec3d d = b - a;
  const double sine = dot(cross(n, beyond), d), flat = kFlatSine * norm(d);
  return (sine > flat) - (sine < -flat);
}

TriangleMesh::TriangleMesh(std::span<const Vec3d> vertices, std::span<const Triangle> triangles,
                           const std::string& who) {
  for (const Vec3d& v : vertices)
    if (!std::isfinite(v[0]) || !std::isfinite(v[1]) || !std::isfinite(v[2]))
      throw Error(who + ": a coordinate is not a finite number; repair the mesh");
  const std::vector<int> number = weld(vertices);

  // triangles with an area
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    SurfaceTriangle s{};
    for (int k = 0; k < 3; ++k) {
      const int v = triangles[t][k];
      if (v < 0 || v >= static_cast<int>(vertices.size()))
        throw Error(who + ": triangle " + std::to_string(t) + " names vertex " + std::to_string(v) +
                    " of " + std::to_string(vertices.size()) + "; repair the mesh");
      s.v[k] = vertices[v];
      s.vertex[k] = number[v];
    }
    const Vec3d a = s.v[1] - s.v[0], b = s.v[2] - s.v[1], c = s.v[0] - s.v[2], n = cross(a, b);
    const double longest2 = std::max({dot(a, a), dot(b, b), dot(c, c)}), area = norm(n);
    if (!(area > kNoArea * longest2)) continue;
    s.n = (1.0 / area) * n;
    s.index = static_cast<int>(t);
    surface_.push_back(s);
  }
  if (surface_.empty())
    throw Error(who + ": none of its " + std::to_string(triangles.size()) +
                " triangles has an area; leave the geometry out");

  // what lies beyond each edge: the triangle that runs along it the other way
  std::map<std::pair<int, int>, std::pair<int, int>> edges;  // to triangle and count
  for (int t = 0; t < size(); ++t)
    for (int k = 0; k < 3; ++k) {
      auto& entry = edges[{surface_[t].vertex[k], surface_[t].vertex[(k + 1) % 3]}];
      entry = {t, entry.second + 1};
    }
  std::map<std::pair<int, int>, int> names;
  for (SurfaceTriangle& s : surface_)
    for (int k = 0; k < 3; ++k) {
      const int i = s.vertex[k], j = s.vertex[(k + 1) % 3];
      s.edge[k] =
          names.try_emplace({std::min(i, j), std::max(i, j)}, int(names.size())).first->second;
      const auto other = edges.find({j, i});
      s.border[k] = other == edges.end() || other->second.second != 1 || edges[{i, j}].second != 1;
      if (s.border[k]) {
        s.active[k] = true;
        continue;
      }
      s.beyond[k] = surface_[other->second.first].n;
      const int bend = find_bend(s.n, s.beyond[k], s.v[k], s.v[(k + 1) % 3]);
      s.active[k] = bend > 0, s.hollow[k] = bend < 0;
    }
  find_sheets();

  nodes_.reserve(2 * surface_.size() + 1);
  nodes_.push_back({});
  split(0, 0, size());
  for (const SurfaceTriangle& s : surface_) {
    Box box{s.v[0], s.v[0]};
    for (const Vec3d& v : s.v) join_box(box, v);
    boxes_.push_back(box);
  }
}

// Pieces are what hangs together by edges. Edges of three triangles count as borders.
void TriangleMesh::find_sheets() {
  std::map<int, int> first_with;  // by edge: a triangle
  std::vector<int> up(size());
  std::iota(up.begin(), up.end(), 0);
  const auto find_root = [&](int t) {
    while (up[t] != t) t = up[t] = up[up[t]];
    return t;
  };
  for (int t = 0; t < size(); ++t)
    for (const int edge : surface_[t].edge) {
      const auto [at, is_new] = first_with.try_emplace(edge, t);
      if (!is_new) up[find_root(t)] = find_root(at->second);
    }
  std::vector<char> is_open(size());
  for (int t = 0; t < size(); ++t)
    for (const bool border : surface_[t].border) is_open[find_root(t)] |= border;
  for (int t = 0; t < size(); ++t) surface_[t].is_sheet = is_open[find_root(t)];
}

// Halves at the median of the centres along the longest side: depth log2(n), so the stack of the
// walk cannot run over.
void TriangleMesh::split(int node, int first, int count) {
  Box box{surface_[first].v[0], surface_[first].v[0]}, centers{};
  for (int t = first; t < first + count; ++t) {
    for (const Vec3d& v : surface_[t].v) join_box(box, v);
    const Vec3d sum = surface_[t].v[0] + surface_[t].v[1] + surface_[t].v[2];
    if (t == first) centers = {sum, sum};
    join_box(centers, sum);
  }
  nodes_[node] = {box, first, count};
  if (count <= kLeaf) return;
  const Vec3d side = centers.high - centers.low;
  const int axis = side[0] >= side[1] ? (side[0] >= side[2] ? 0 : 2) : (side[1] >= side[2] ? 1 : 2);
  const int half = count / 2;
  std::nth_element(surface_.begin() + first, surface_.begin() + first + half,
                   surface_.begin() + first + count,
                   [&](const SurfaceTriangle& a, const SurfaceTriangle& b) {
                     const double ca = a.v[0][axis] + a.v[1][axis] + a.v[2][axis];
                     const double cb = b.v[0][axis] + b.v[1][axis] + b.v[2][axis];
                     return ca < cb || (ca == cb && a.index < b.index);
                   });
  const int children = static_cast<int>(nodes_.size());
  nodes_.push_back({});
  nodes_.push_back({});
  nodes_[node].first = children;
  nodes_[node].count = 0;
  split(children, first, half);
  split(children + 1, first + half, count - half);
}

}  // namespace stance::collision
