#include "stance/collision/polyhedron.h"

#include <algorithm>
#include <map>
#include <utility>

#include "stance/collision/cap.h"
#include "stance/kernel/assert.h"

namespace stance::collision {

using kernel::cross;
using kernel::dot;
using kernel::Double4;
using kernel::fma4;
using kernel::load4;
using kernel::norm;
using kernel::splat;

namespace {

// Newell's normal of a loop: exact for planar ones, a mean for the others.
Vec3d calc_loop_normal(const std::vector<Vec3d>& vertices, const std::vector<int>& loop) {
  Vec3d sum;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Vec3d& a = vertices[loop[k]];
    const Vec3d& b = vertices[loop[(k + 1) % loop.size()]];
    sum += cross(a - vertices[loop[0]], b - vertices[loop[0]]);
  }
  return (1.0 / norm(sum)) * sum;
}

}  // namespace

Polyhedron::Polyhedron(std::vector<Vec3d> vertices, const std::vector<std::vector<int>>& faces)
    : vertices_(std::move(vertices)) {
  // faces, each with the outermost of its vertices as its plane
  for (const std::vector<int>& loop : faces) {
    PolyhedronFace face{calc_loop_normal(vertices_, loop), 0.0, int(loop_vertices_.size()),
                        int(loop.size())};
    face.offset = dot(face.n, vertices_[loop[0]]);
    for (int v : loop) face.offset = std::max(face.offset, dot(face.n, vertices_[v]));
    for (int v : loop) loop_vertices_.push_back(v);
    faces_.push_back(face);
  }

  // an edge is met twice, once in each direction
  std::map<std::pair<int, int>, int> known;
  loop_edges_.resize(loop_vertices_.size());
  for (const PolyhedronFace& face : faces_)
    for (int k = 0; k < face.count; ++k) {
      const int a = loop_vertices_[face.first + k];
      const int b = loop_vertices_[face.first + (k + 1) % face.count];
      const auto [found, is_new] =
          known.try_emplace({std::min(a, b), std::max(a, b)}, int(edges_.size()));
      loop_edges_[face.first + k] = found->second;
      if (is_new) {
        const Vec3d d = vertices_[b] - vertices_[a];
        edges_.push_back({(1.0 / norm(d)) * d, face.n, face.n, a, b});
      } else {
        edges_[found->second].n1 = face.n;
      }
    }
  set_coordinates();
}

void Polyhedron::set_coordinates() {
  const int n = static_cast<int>(vertices_.size()), padded = (n + 3) / 4 * 4;
  xyz_.resize(3 * padded);
  for (int axis = 0; axis < 3; ++axis)
    for (int k = 0; k < padded; ++k) xyz_[axis * padded + k] = vertices_[std::min(k, n - 1)][axis];
  size_ = 0.0;
  for (const Vec3d& v : vertices_)
    size_ = std::max({size_, std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
}

void Polyhedron::join_near_planes() {
  find_caps(vertices_, loop_vertices_, faces_, caps_, cap_vertices_);
}

PolyhedronView Polyhedron::view() const {
  const std::size_t padded = xyz_.size() / 3;
  const int face_count = static_cast<int>(faces_.size());
  return {.vertices = vertices_.data(),
          .x = xyz_.data(),
          .y = xyz_.data() + padded,
          .z = xyz_.data() + 2 * padded,
          .faces = faces_.data(),
          .edges = edges_.data(),
          .loop_vertices = loop_vertices_.data(),
          .loop_edges = loop_edges_.data(),
          .vertex_count = static_cast<int>(vertices_.size()),
          .face_count = face_count,
          .shown_faces = face_count,
          .edge_count = static_cast<int>(edges_.size()),
          .size = size_,
          .whole_arcs = vertices_.size() == 2,
          .caps = caps_.data(),
          .cap_vertices = cap_vertices_.data()};
}

Polyhedron make_box_polyhedron(const Vec3d& half) {
  std::vector<Vec3d> corners;
  for (int k = 0; k < 8; ++k)
    corners.emplace_back(k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1],
                         k & 4 ? half[2] : -half[2]);
  // -x +x -y +y -z +z
  return Polyhedron(
      std::move(corners),
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
}

Polyhedron make_segment_polyhedron(double half_length) {
  Polyhedron out;
  out.vertices_ = {Vec3d(0, 0, -half_length), Vec3d(0, 0, half_length)};
  if (half_length > 0.0) out.edges_.push_back({Vec3d(0, 0, 1), Vec3d(), Vec3d(), 0, 1});
  out.set_coordinates();
  return out;
}

Polyhedron make_point_polyhedron() {
  Polyhedron out;
  out.vertices_ = {Vec3d()};
  out.set_coordinates();
  return out;
}

PolyhedronSupport find_support(const PolyhedronView& poly, const Vec3d& d) {
  // four running maxima with the block they came from
  const Double4 dx = splat(d[0]), dy = splat(d[1]), dz = splat(d[2]);
  const auto values = [&](int k) {
    return fma4(load4(poly.x + k), dx, fma4(load4(poly.y + k), dy, load4(poly.z + k) * dz));
  };
  Double4 best = values(0);
  kernel::Long4 block{};
  for (int k = 4; k < poly.vertex_count; k += 4) {
    const Double4 v = values(k);
    const kernel::Long4 better = v > best;
    best = better ? v : best;
    block = better ? kernel::Long4{k, k, k, k} : block;
  }
  PolyhedronSupport out{best[0], static_cast<int>(block[0])};
  for (int lane = 1; lane < 4; ++lane) {
    const int vertex = static_cast<int>(block[lane]) + lane;
    if (best[lane] > out.value || (best[lane] == out.value && vertex < out.vertex))
      out = {best[lane], vertex};
  }
  out.vertex = std::min(out.vertex, poly.vertex_count - 1);
  return out;
}

}  // namespace stance::collision
