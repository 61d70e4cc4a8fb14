#pragma once

// Convex polyhedra with polygon faces: boxes, hulls, and the cores of capsules (a segment) and
// spheres (a point). Also triangles of meshes, which live on the stack.

#include <cstdint>
#include <vector>

#include "stance/kernel/vec3.h"

namespace stance::collision {

using kernel::Mat3d;
using kernel::Vec3d;

struct PolyhedronFace {
  Vec3d n;        // outward unit normal
  double offset;  // n . x on the face
  int first;      // its loop, counter-clockwise seen from outside
  int count;
  int cap = -1;  // what it shows together with faces nearly in its plane (cap.h); -1: itself
};

// Vertices of faces that nearly lie in one plane.
struct PolyhedronCap {
  int first;    // in cap_vertices
  int corners;  // of its outline, counter-clockwise seen from outside
  int inner;    // then so many inside of it
};

struct PolyhedronEdge {
  Vec3d d;       // unit, from vertex v0 to v1
  Vec3d n0, n1;  // normals of the two faces that meet in it, n0 on the left of v0 -> v1
  int v0, v1;
};

// What the algorithms see: plain pointers, so that a triangle needs no heap.
struct PolyhedronView {
  const Vec3d* vertices = nullptr;
  const double* x = nullptr;  // vertices by coordinate, padded to a multiple of 4 by repetition
  const double* y = nullptr;
  const double* z = nullptr;
  const PolyhedronFace* faces = nullptr;
  const PolyhedronEdge* edges = nullptr;
  const std::int32_t* loop_vertices = nullptr;
  const std::int32_t* loop_edges = nullptr;  // edge from this vertex of the loop to the next
  int vertex_count = 0;
  int face_count = 0;   // axes of separation
  int shown_faces = 0;  // of them, the first ones, with an area
  int edge_count = 0;
  double size = 0.0;                    // largest half extent, the scale of tolerances
  bool whole_arcs = false;              // a segment: its normals are a whole great circle
  const PolyhedronCap* caps = nullptr;  // by PolyhedronFace::cap
  const std::int32_t* cap_vertices = nullptr;
};

class Polyhedron {
 public:
  Polyhedron() = default;
  // Faces are loops of vertex indices, counter-clockwise from outside, whose vertices lie in a
  // plane up to rounding.
  Polyhedron(std::vector<Vec3d> vertices, const std::vector<std::vector<int>>& faces);

  // Takes faces that nearly lie in one plane together (cap.h).
  void join_near_planes();

  PolyhedronView view() const;
  const std::vector<Vec3d>& vertices() const { return vertices_; }
  const std::vector<PolyhedronFace>& faces() const { return faces_; }
  const std::vector<PolyhedronEdge>& edges() const { return edges_; }

 private:
  void set_coordinates();

  std::vector<Vec3d> vertices_;
  std::vector<double> xyz_;
  std::vector<PolyhedronFace> faces_;
  std::vector<PolyhedronEdge> edges_;
  std::vector<std::int32_t> loop_vertices_, loop_edges_;
  std::vector<PolyhedronCap> caps_;
  std::vector<std::int32_t> cap_vertices_;
  double size_ = 0.0;

  friend Polyhedron make_segment_polyhedron(double half_length);
  friend Polyhedron make_point_polyhedron();
};

// Corner i of a box is at +half where bit 0, 1, 2 of i is set (x, y, z), at -half elsewhere.
Polyhedron make_box_polyhedron(const Vec3d& half);
// Vertex 0 at -half_length, vertex 1 at +half_length on z.
Polyhedron make_segment_polyhedron(double half_length);
Polyhedron make_point_polyhedron();

// The vertex farthest in direction d (in the polyhedron's axes); the lowest index of equals.
struct PolyhedronSupport {
  double value;
  int vertex;
};
PolyhedronSupport find_support(const PolyhedronView& poly, const Vec3d& d);

}  // namespace stance::collision
