#include "stance/collision/outline.h"

#include <algorithm>

namespace stance::collision {

using kernel::dot;
using kernel::Double4;

namespace {

// Names on a cylinder: rim points 0..7 below, 8..15 above, then the points that follow the motion.
enum CylinderName { kLowestBelow = 16, kLowestAbove = 17, kSideBelow = 18, kSideAbove = 19 };

// Below this tilt (rad) a cap has no lowest point: its fixed points are enough.
constexpr double kFlatTilt = 1e-6;
// A cap is shown when the direction is nearer to the axis than this cosine, the side line when it
// is nearer to square; in between the nearest point of the rim.
constexpr double kCapCosine = 0.3;
// An edge is shown when it is square to the direction within about 6 degrees.
constexpr double kSquareCosine = 0.1;

constexpr double kHalfRoot = 0.70710678118654752;
constexpr double kRimX[kRim] = {1, kHalfRoot, 0, -kHalfRoot, -1, -kHalfRoot, 0, kHalfRoot};
constexpr double kRimY[kRim] = {0, kHalfRoot, 1, kHalfRoot, 0, -kHalfRoot, -1, -kHalfRoot};

void set_slope(const Projection& project, const Vec3d& normal, Outline& out) {
  const Vec3d m = transpose_mul(project.axes, normal);
  out.alignment = std::abs(m[2]);
  out.slope_x = -m[0] / m[2];
  out.slope_y = -m[1] / m[2];
}

void add(const Projection& project, const Vec3d& p, int name, Outline& out) {
  out.p[out.count] = project(p);
  out.vertex[out.count] = out.edge[out.count] = static_cast<std::int16_t>(name);
  ++out.count;
}

// Sides of a cap are no edges of the hull: they are named by the corner that they begin at.
void find_cap_outline(const PolyhedronView& core, const PolyhedronFace& face,
                      const Projection& project, Outline& out) {
  const PolyhedronCap& cap = core.caps[face.cap];
  for (int k = 0; k < cap.corners + cap.inner; ++k) {
    const int v = core.cap_vertices[cap.first + k];
    add(project, core.vertices[v], v, out);
  }
  out.count = cap.corners, out.inner = cap.inner;
  set_slope(project, face.n, out);
}

void find_face_outline(const PolyhedronView& core, int f, const Projection& project, Outline& out) {
  const PolyhedronFace& face = core.faces[f];
  if (face.cap >= 0) return find_cap_outline(core, face, project, out);
  // of faces with very many corners every second, third... one
  const int stride = (face.count + kMaxOutline - 1) / kMaxOutline;
  for (int k = 0; k < face.count; k += stride) {
    const int v = core.loop_vertices[face.first + k];
    out.p[out.count] = project(core.vertices[v]);
    out.vertex[out.count] = static_cast<std::int16_t>(v);
    out.edge[out.count++] = static_cast<std::int16_t>(core.loop_edges[face.first + k]);
  }
  set_slope(project, face.n, out);
}

// The cap's eight fixed points, the nearest of them moved to the exact extreme point of the rim
// when the cap is tilted. Counter-clockwise seen from outside.
void find_disc_outline(const Convex& shape, const Vec3d& d, const Projection& project,
                       Outline& out) {
  const bool above = d[2] > 0.0;
  const double z = above ? shape.half_length : -shape.half_length;
  const double across = std::sqrt(d[0] * d[0] + d[1] * d[1]);
  int moved = -1;
  if (across > kFlatTilt) {
    double best = -1.0;
    for (int k = 0; k < kRim; ++k)
      if (const double c = d[0] * kRimX[k] + d[1] * kRimY[k]; c > best) best = c, moved = k;
  }
  for (int i = 0; i < kRim; ++i) {
    const int k = above ? i : kRim - 1 - i;
    if (k == moved) {
      const double s = shape.radius / across;
      add(project, Vec3d(s * d[0], s * d[1], z), above ? kLowestAbove : kLowestBelow, out);
    } else {
      add(project, Vec3d(shape.radius * kRimX[k], shape.radius * kRimY[k], z), above ? kRim + k : k,
          out);
    }
  }
  set_slope(project, Vec3d(0, 0, above ? 1.0 : -1.0), out);
}

void find_side_ends(const Convex& shape, const Vec3d& d, Vec3d ends[2]) {
  const double across = std::sqrt(d[0] * d[0] + d[1] * d[1]);
  const double s = across > 0.0 ? shape.radius / across : 0.0;
  ends[0] = Vec3d(s * d[0], s * d[1], -shape.half_length);
  ends[1] = Vec3d(s * d[0], s * d[1], shape.half_length);
}

}  // namespace

void find_outline(const Convex& shape, const Vec3d& d, const Projection& project, Outline& out) {
  out.count = out.inner = 0;
  out.alignment = 0.0;
  switch (shape.kind) {
    case ShapeKind::kSphere: add(project, Vec3d(), 0, out); return;
    case ShapeKind::kCapsule:
      add(project, Vec3d(0, 0, -shape.half_length), 0, out);
      if (shape.half_length > 0.0) add(project, Vec3d(0, 0, shape.half_length), 1, out);
      return;
    case ShapeKind::kCylinder: {
      if (std::abs(d[2]) > kCapCosine) return find_disc_outline(shape, d, project, out);
      Vec3d ends[2];
      find_side_ends(shape, d, ends);
      add(project, ends[0], kSideBelow, out);
      add(project, ends[1], kSideAbove, out);
      return;
    }
    case ShapeKind::kBox: {
      // the axis with the largest component
      const double x = std::abs(d[0]), y = std::abs(d[1]), z = std::abs(d[2]);
      const int axis = x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2);
      return find_face_outline(shape.core, 2 * axis + (d[axis] > 0.0), project, out);
    }
    default: {
      int best = 0;
      double cosine = -2.0;
      for (int f = 0; f < shape.core.shown_faces; ++f)
        if (const double c = dot(shape.core.faces[f].n, d); c > cosine) cosine = c, best = f;
      find_face_outline(shape.core, best, project, out);
    }
  }
}

bool find_edge(const Convex& shape, const Vec3d& d, Vec3d ends[2], int names[2]) {
  if (shape.kind == ShapeKind::kCylinder) {
    if (std::abs(d[2]) > kSquareCosine) return false;
    find_side_ends(shape, d, ends);
    names[0] = kSideBelow, names[1] = kSideAbove;
    return true;
  }
  const PolyhedronView& core = shape.core;
  const int top = find_core_support(shape, d).vertex;
  double best = 2.0;
  for (int e = 0; e < core.edge_count; ++e) {
    const PolyhedronEdge& edge = core.edges[e];
    if (edge.v0 != top && edge.v1 != top) continue;
    const double c = std::abs(dot(edge.d, d));
    if (c < best) {
      best = c;
      ends[0] = core.vertices[edge.v0], ends[1] = core.vertices[edge.v1];
      names[0] = edge.v0, names[1] = edge.v1;
    }
  }
  return best < kSquareCosine;
}

}  // namespace stance::collision
