#include <algorithm>
#include <cmath>

#include "stance/collision/queries.h"

namespace stance::collision {

using kernel::cross;
using kernel::dot;
using kernel::norm;

namespace {

constexpr double kNever = 1e300;

// In the frame of a geometry: o + t d, d unit, 0 <= t < limit.
struct Ray {
  Vec3d o, d;
};

// Where the ray enters a shape, and the outward normal there. Shapes the ray starts in: t = 0.
struct Entry {
  double t = kNever;
  Vec3d n;
};

void keep_nearer(const Entry& other, Entry& best) {
  if (other.t < best.t) best = other;
}

Entry hit_sphere(const Ray& ray, const Vec3d& center, double radius) {
  const Vec3d m = ray.o - center;
  const double b = dot(m, ray.d), c = dot(m, m) - radius * radius;
  if (c <= 0.0) return {0.0, -ray.d};
  // the foot of the centre on the ray, not b^2 - c, which loses digits far away
  const Vec3d foot = m - b * ray.d;
  const double h2 = radius * radius - dot(foot, foot);
  if (b > 0.0 || h2 < 0.0) return {};
  const double t = -b - std::sqrt(h2);
  return {std::max(t, 0.0), (1.0 / radius) * madd(t, ray.d, m)};
}

// The intersection of half-spaces n . x <= offset: enters by the last plane.
struct Slab {
  double enter = 0.0, leave = kNever;
  Vec3d n;
  bool missed = false;

  void cut(const Ray& ray, const Vec3d& normal, double offset) {
    const double rate = dot(normal, ray.d), height = dot(normal, ray.o) - offset;
    if (rate == 0.0) {
      missed = missed || height > 0.0;
    } else if (rate < 0.0) {
      if (const double t = height / -rate; t > enter) enter = t, n = normal;
    } else {
      leave = std::min(leave, -height / rate);
    }
  }
  Entry entry(const Ray& ray) const {
    if (missed || enter > leave || leave < 0.0) return {};
    return {enter, enter > 0.0 ? n : -ray.d};
  }
};

// The tube about z between -h and h, from its outside.
Entry hit_tube(const Ray& ray, double radius, double h) {
  const double a = ray.d[0] * ray.d[0] + ray.d[1] * ray.d[1];
  if (!(a > 0.0)) return {};
  const double b = ray.o[0] * ray.d[0] + ray.o[1] * ray.d[1];
  const double side = ray.o[0] * ray.d[1] - ray.o[1] * ray.d[0];
  const double h2 = radius * radius * a - side * side;
  if (h2 < 0.0) return {};
  const double t = (-b - std::sqrt(h2)) / a;
  const Vec3d p = madd(t, ray.d, ray.o);
  if (t < 0.0 || std::abs(p[2]) > h) return {};
  return {t, (1.0 / radius) * Vec3d(p[0], p[1], 0.0)};
}

Entry hit_capsule(const Ray& ray, double radius, double h) {
  Entry best = hit_tube(ray, radius, h);
  keep_nearer(hit_sphere(ray, Vec3d(0, 0, h), radius), best);
  keep_nearer(hit_sphere(ray, Vec3d(0, 0, -h), radius), best);
  const bool inside =
      std::abs(ray.o[2]) <= h && ray.o[0] * ray.o[0] + ray.o[1] * ray.o[1] <= radius * radius;
  return inside ? Entry{0.0, -ray.d} : best;
}

Entry hit_cylinder(const Ray& ray, double radius, double h) {
  const double r2 = radius * radius;
  if (std::abs(ray.o[2]) <= h && ray.o[0] * ray.o[0] + ray.o[1] * ray.o[1] <= r2)
    return {0.0, -ray.d};
  Entry best = hit_tube(ray, radius, h);
  for (double cap : {-h, h}) {
    const double sign = cap < 0.0 ? -1.0 : 1.0;
    if (!(ray.d[2] * sign < 0.0)) continue;
    const double t = (cap - ray.o[2]) / ray.d[2];
    const Vec3d p = madd(t, ray.d, ray.o);
    if (t >= 0.0 && p[0] * p[0] + p[1] * p[1] <= r2) keep_nearer({t, Vec3d(0, 0, sign)}, best);
  }
  return best;
}

Entry hit_polyhedron(const Ray& ray, const PolyhedronView& poly) {
  Slab slab;
  for (int f = 0; f < poly.face_count; ++f) slab.cut(ray, poly.faces[f].n, poly.faces[f].offset);
  return slab.entry(ray);
}

// (Moeller and Trumbore 1997), front side only.
Entry hit_triangle(const Ray& ray, const SurfaceTriangle& t) {
  if (!(dot(ray.d, t.n) < 0.0)) return {};
  const Vec3d e1 = t.v[1] - t.v[0], e2 = t.v[2] - t.v[0], p = cross(ray.d, e2), s = ray.o - t.v[0];
  const double det = dot(e1, p);
  if (det == 0.0) return {};
  const Vec3d q = cross(s, e1);
  const double u = dot(s, p) / det, v = dot(ray.d, q) / det, distance = dot(e2, q) / det;
  constexpr double kSeam = 1e-12;  // rays do not slip through between two triangles
  if (u < -kSeam || v < -kSeam || u + v > 1.0 + kSeam || distance < 0.0) return {};
  return {distance, t.n};
}

bool meets_box(const Ray& ray, const Box& box, double limit) {
  double low = 0.0, high = limit;
  for (int k = 0; k < 3; ++k) {
    if (ray.d[k] == 0.0) {
      if (ray.o[k] < box.low[k] || ray.o[k] > box.high[k]) return false;
      continue;
    }
    const double a = (box.low[k] - ray.o[k]) / ray.d[k], b = (box.high[k] - ray.o[k]) / ray.d[k];
    low = std::max(low, std::min(a, b));
    high = std::min(high, std::max(a, b));
  }
  return low <= high * (1.0 + 1e-12);
}

Entry hit_mesh(const Ray& ray, const TriangleMesh& mesh, double limit) {
  Entry best;
  mesh.for_each_if([&](const Box& box) { return meets_box(ray, box, std::min(limit, best.t)); },
                   [&](const SurfaceTriangle& t) { keep_nearer(hit_triangle(ray, t), best); });
  return best;
}

// Cell by cell along the ray, a stretch at a time, so that only cells near it are looked at.
Entry hit_field(const Ray& ray, const HeightField& field, double limit) {
  const Box& bounds = field.bounds();
  Slab inside;
  for (int k = 0; k < 3; ++k) {
    Vec3d axis;
    axis.set(k, 1.0);
    inside.cut(ray, axis, bounds.high[k] + 1e-9);
    inside.cut(ray, -axis, -bounds.low[k] + 1e-9);
  }
  Entry best;
  if (inside.entry(ray).t == kNever) return best;
  const double from = inside.enter, to = std::min(limit, inside.leave);
  constexpr int kStretches = 256;
  for (int k = 0; k < kStretches && best.t == kNever; ++k) {
    const Vec3d a = madd(from + (to - from) * k / kStretches, ray.d, ray.o);
    const Vec3d b = madd(from + (to - from) * (k + 1) / kStretches, ray.d, ray.o);
    const Vec3d pad(1e-9, 1e-9, 1e-9);
    const Box box{Vec3d(a.e < b.e ? a.e : b.e) - pad, Vec3d(a.e > b.e ? a.e : b.e) + pad};
    field.for_each(box, [&](const SurfaceTriangle& t) { keep_nearer(hit_triangle(ray, t), best); });
  }
  return best;
}

Entry hit_geometry(const CollisionModel& model, int k, const Ray& ray, double limit) {
  const Shape& shape = model.geometries[k].shape;
  switch (shape.kind) {
    case ShapeKind::kSphere: return hit_sphere(ray, Vec3d(), shape.radius);
    case ShapeKind::kCapsule: return hit_capsule(ray, shape.radius, shape.half_length);
    case ShapeKind::kCylinder: return hit_cylinder(ray, shape.radius, shape.half_length);
    case ShapeKind::kBox:
    case ShapeKind::kHull: return hit_polyhedron(ray, model.convex[k].core);
    case ShapeKind::kPlane: {
      Slab slab;
      slab.cut(ray, Vec3d(0, 0, 1), 0.0);
      return slab.entry(ray);
    }
    case ShapeKind::kMesh: return hit_mesh(ray, model.shapes->meshes[shape.data], limit);
    case ShapeKind::kHeightField:
      return hit_field(ray, model.shapes->height_fields[shape.data], limit);
  }
  return {};
}

}  // namespace

RayHit cast_ray(const CollisionModel& model, const CollisionScratch& s, const Vec3d& origin,
                const Vec3d& direction, double max_distance) {
  RayHit out;
  const double length = norm(direction);
  if (!(length > 0.0) || !std::isfinite(length)) return out;
  const Vec3d d_W = (1.0 / length) * direction;
  double nearest = max_distance;
  for (int k = 0; k < model.size(); ++k) {
    const Mat3d& R = s.R_WG[k];
    const Ray ray{transpose_mul(R, origin - s.p_WG[k]), transpose_mul(R, d_W)};
    const Entry entry = hit_geometry(model, k, ray, nearest);
    if (!(entry.t < nearest)) continue;
    nearest = entry.t;
    out = {k, entry.t, madd(entry.t, d_W, origin), R * entry.n};
  }
  return out;
}

}  // namespace stance::collision
