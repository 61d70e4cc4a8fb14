#include "stance/collision/collision_model.h"

#include <algorithm>
#include <cmath>

#include "stance/collision/find_contacts.h"
#include "stance/collision/hull.h"
#include "stance/kernel/error.h"

namespace stance::collision {

namespace {

std::string describe(const Geometry& g, std::size_t index) {
  return g.name.empty() ? "geometry " + std::to_string(index) : "geometry \"" + g.name + "\"";
}

bool is_finite(const Vec3d& v) {
  return std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]);
}

void demand_length(double value, const std::string& who, const char* what) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw Error(who + ": " + what + " is " + std::to_string(value) +
                " m; give a positive length, or leave the geometry out");
}

void check_shape(const Shape& s, const std::string& who) {
  switch (s.kind) {
    case ShapeKind::kSphere: demand_length(s.radius, who, "the radius of the sphere"); break;
    case ShapeKind::kCapsule:
      demand_length(s.radius, who, "the radius of the capsule");
      if (s.half_length != 0.0) demand_length(s.half_length, who, "the half length of the capsule");
      break;
    case ShapeKind::kCylinder:
      demand_length(s.radius, who, "the radius of the cylinder");
      demand_length(s.half_length, who, "the half length of the cylinder");
      break;
    case ShapeKind::kBox:
      for (int k = 0; k < 3; ++k) demand_length(s.half[k], who, "a half extent of the box");
      break;
    case ShapeKind::kPlane: break;
    default:
      if (s.data < 0)
        throw Error(who +
                    ": no data; make the shape with make_hull, make_mesh or "
                    "make_height_field of this builder");
  }
}

void check_pose(const Geometry& g, const std::string& who) {
  const Mat3d& R = g.R_BG;
  const Mat3d RtR = transpose(R) * R;
  double error = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) error = std::max(error, std::abs(RtR(i, j) - (i == j)));
  if (!is_finite(g.p_BG) || !(error < 1e-9) || dot(cross(R.c[0], R.c[1]), R.c[2]) < 0.0)
    throw Error(who + ": its pose is not a rotation and a finite position; normalise the rotation");
}

// The view of a core is set once the shapes no longer move.
Convex make_convex(const Shape& s, const ShapeSet& shapes) {
  Convex out{.kind = s.kind};
  switch (s.kind) {
    case ShapeKind::kSphere: out.rounding = s.radius, out.size = s.radius; break;
    case ShapeKind::kCapsule:
      out.rounding = s.radius, out.half_length = s.half_length, out.size = s.radius + s.half_length;
      break;
    case ShapeKind::kCylinder:
      out.radius = s.radius, out.half_length = s.half_length;
      out.size = std::max(s.radius, s.half_length);
      break;
    case ShapeKind::kBox:
      out.half = s.half, out.size = std::max({s.half[0], s.half[1], s.half[2]});
      break;
    default: break;
  }
  if (s.data >= 0 && s.kind <= ShapeKind::kHull) {
    const Polyhedron& core = shapes.polyhedra[s.data];
    out.core = core.view();
    if (s.kind == ShapeKind::kHull) {
      out.size = out.core.size;
      for (const Vec3d& v : core.vertices())
        out.p_GC += (1.0 / static_cast<double>(core.vertices().size())) * v;
    }
  }
  return out;
}

LocalBounds bounds_of(const std::vector<Vec3d>& points) {
  Vec3d low = points[0], high = points[0];
  for (const Vec3d& p : points)
    for (int k = 0; k < 3; ++k) {
      low.set(k, std::min(low[k], p[k]));
      high.set(k, std::max(high[k], p[k]));
    }
  return {0.5 * (low + high), 0.5 * (high - low), 0.0};
}

LocalBounds bounds_of(const Box& box) {
  return {0.5 * (box.low + box.high), 0.5 * (box.high - box.low), 0.0};
}

LocalBounds make_bounds(const Shape& s, const ShapeSet& shapes) {
  switch (s.kind) {
    case ShapeKind::kSphere: return {Vec3d(), Vec3d(), s.radius};
    case ShapeKind::kCapsule: return {Vec3d(), Vec3d(0, 0, s.half_length), s.radius};
    case ShapeKind::kCylinder: return {Vec3d(), Vec3d(s.radius, s.radius, s.half_length), 0.0};
    case ShapeKind::kBox: return {Vec3d(), s.half, 0.0};
    case ShapeKind::kHull: return bounds_of(shapes.polyhedra[s.data].vertices());
    case ShapeKind::kMesh: return bounds_of(shapes.meshes[s.data].bounds());
    case ShapeKind::kHeightField: return bounds_of(shapes.height_fields[s.data].bounds());
    default: return {};
  }
}

bool is_identity(const Mat3d& R) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (R(i, j) != (i == j ? 1.0 : 0.0)) return false;
  return true;
}

bool is_ground(const Shape& s) { return s.kind >= ShapeKind::kPlane; }

bool may_meet(const Geometry& a, const Geometry& b) {
  return a.body != b.body && !(is_ground(a.shape) && is_ground(b.shape)) && (a.group & b.mask) &&
         (b.group & a.mask);
}

}  // namespace

Shape CollisionBuilder::make_hull(std::span<const Vec3d> points, const std::string& name) {
  shapes_.polyhedra.push_back(make_hull_polyhedron(points, "hull \"" + name + "\""));
  return {.kind = ShapeKind::kHull, .data = static_cast<int>(shapes_.polyhedra.size()) - 1};
}

Shape CollisionBuilder::make_mesh(std::span<const Vec3d> vertices,
                                  std::span<const Triangle> triangles, const std::string& name) {
  shapes_.meshes.emplace_back(vertices, triangles, "mesh \"" + name + "\"");
  return {.kind = ShapeKind::kMesh, .data = static_cast<int>(shapes_.meshes.size()) - 1};
}

Shape CollisionBuilder::make_height_field(const HeightFieldSpec& spec, const std::string& name) {
  shapes_.height_fields.emplace_back(spec, "height field \"" + name + "\"");
  return {.kind = ShapeKind::kHeightField,
          .data = static_cast<int>(shapes_.height_fields.size()) - 1};
}

int CollisionBuilder::add(Geometry g) {
  const std::string who = describe(g, geometries_.size());
  if (g.body < 0) throw Error(who + ": its body is negative; the world is body 0");
  if (geometries_.size() == kMaxGeometries)
    throw Error(who + ": more than " + std::to_string(kMaxGeometries) +
                " geometries; join static ones into a mesh");
  check_shape(g.shape, who);
  check_pose(g, who);
  if (g.shape.kind > ShapeKind::kPlane && g.body != 0)
    throw Error(who +
                ": meshes and height fields belong to the world (body 0); give a moving body "
                "convex hulls");

  // cores of simple shapes
  if (g.shape.kind <= ShapeKind::kBox && g.shape.kind != ShapeKind::kCylinder) {
    g.shape.data = static_cast<int>(shapes_.polyhedra.size());
    if (g.shape.kind == ShapeKind::kBox)
      shapes_.polyhedra.push_back(make_box_polyhedron(g.shape.half));
    else if (g.shape.kind == ShapeKind::kCapsule && g.shape.half_length > 0.0)
      shapes_.polyhedra.push_back(make_segment_polyhedron(g.shape.half_length));
    else
      shapes_.polyhedra.push_back(make_point_polyhedron());
  }
  geometries_.push_back(std::move(g));
  return static_cast<int>(geometries_.size()) - 1;
}

void CollisionBuilder::disable_geometries(int a, int b) {
  const int n = static_cast<int>(geometries_.size());
  if (a < 0 || b < 0 || a >= n || b >= n)
    throw Error("disabled pair of geometries " + std::to_string(a) + " and " + std::to_string(b) +
                ": there are only " + std::to_string(n) + "; add the geometries first");
  geometry_pairs_.emplace_back(a, b);
}

void CollisionBuilder::disable_bodies(int a, int b) {
  if (a < 0 || b < 0)
    throw Error("disabled pair of bodies " + std::to_string(a) + " and " + std::to_string(b) +
                ": bodies count from 0, the world");
  body_pairs_.emplace_back(a, b);
}

void CollisionBuilder::disable_parent_child(std::span<const int> parent) {
  for (int child = 1; child < static_cast<int>(parent.size()); ++child)
    if (parent[child] > 0) disable_bodies(parent[child], child);
}

CollisionModel CollisionBuilder::build() const {
  CollisionModel out;
  out.geometries = geometries_;
  const auto shapes = std::make_shared<ShapeSet>(shapes_);
  out.shapes = shapes;
  const int n = out.size();
  std::vector<std::vector<int>> of_body;
  for (int k = 0; k < n; ++k) {
    const Geometry& g = geometries_[k];
    out.nbody = std::max(out.nbody, g.body + 1);
    out.convex.push_back(make_convex(g.shape, *shapes));
    const bool turned = !is_identity(g.R_BG);
    const LocalBounds bounds = make_bounds(g.shape, *shapes);
    const double extent =
        norm(madd(g.R_BG, bounds.center, g.p_BG)) + norm(bounds.half) + bounds.rounding;
    out.placements.push_back({g.R_BG, g.p_BG, bounds, extent, k, g.body, turned});
    out.kind.push_back(g.shape.kind);
    if (g.body != 0) out.moving.push_back(k);
    (g.shape.kind == ShapeKind::kPlane ? out.planes : out.boxed).push_back(k);
  }
  of_body.resize(out.nbody);
  for (int k = 0; k < n; ++k) of_body[geometries_[k].body].push_back(k);

  // groups, bodies, pairs
  out.filter = PairFilter(n);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b <= a; ++b)
      if (!may_meet(geometries_[a], geometries_[b])) out.filter.disable(a, b);
  for (const auto& [a, b] : geometry_pairs_) out.filter.disable(a, b);
  for (const auto& [body_a, body_b] : body_pairs_) {
    if (std::max(body_a, body_b) >= out.nbody) continue;
    for (int a : of_body[body_a])
      for (int b : of_body[body_b]) out.filter.disable(a, b);
  }
  return out;
}

CollisionModel disable_touching(const CollisionModel& model, std::span<const Mat3d> R_WB,
                                std::span<const Vec3d> p_WB, double margin,
                                std::span<const int> family) {
  CollisionModel out = model;
  CollisionScratch scratch(model);
  ContactBuffer contacts(64 * std::max(1, model.size()) + 4096);
  find_contacts(model, R_WB, p_WB, margin, scratch, contacts);
  if (contacts.dropped() > 0)
    throw Error("too many contacts in the rest pose; separate the bodies, or list the pairs");
  for (const ContactPoint& c : contacts.points()) {
    if (c.body_a == 0 || c.body_b == 0) continue;
    if (family[c.body_a] < 0 || family[c.body_a] != family[c.body_b]) continue;
    for (int a = 0; a < model.size(); ++a)
      for (int b = 0; b < model.size(); ++b)
        if (model.geometries[a].body == c.body_a && model.geometries[b].body == c.body_b)
          out.filter.disable(a, b);
  }
  return out;
}

}  // namespace stance::collision
