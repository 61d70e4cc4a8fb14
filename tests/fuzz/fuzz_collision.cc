// Two shapes of any kinds, sizes and poses: contacts whose numbers are finite, whose normals are
// units, whose points lie near both shapes and whose names are unique; the same when asked again,
// the same with the shapes exchanged; and for convex shapes a least gap that is their separation
// along the normal, with no other direction that parts them more.
//
// The bytes are a recipe (class Recipe): shapes, poses, the margin. Sizes go over four decades,
// poses prefer what is hard: faces, edges and axes that are aligned or nearly so.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "stance/kernel/error.h"

#include "collision/scene.h"

namespace {

using namespace stance;
using namespace stance::collision;
using kernel::dot;
using kernel::norm;

void demand(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "fuzz_collision: %s\n", what);
  std::abort();
}

// Bytes as numbers; zeros when they have run out.
class Recipe {
 public:
  Recipe(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  int byte() { return left_ > 0 ? (--left_, *data_++) : 0; }
  // -1 to 1, in steps that meet 0 and 1 and their neighbours
  double unit() {
    const int b = byte();
    constexpr double kNear[] = {0.0, 1.0, -1.0, 0.5, -0.5, 1e-3, -1e-6, 1e-9, 1e-12};
    if (b < 90) return kNear[b % 9];
    return (b - 90) / 82.5 - 1.0 + byte() / 30000.0;
  }
  // 1 mm to 10 m
  double length() { return 1e-3 * std::pow(10.0, byte() / 63.75); }
  Vec3d vector() {
    const double x = unit(), y = unit();
    return {x, y, unit()};
  }
  Mat3d rotation() {
    const int kind = byte();
    if (kind < 64) return Mat3d::identity();
    const Vec3d axis = vector();
    const double length = norm(axis);
    if (!(length > 1e-6)) return Mat3d::identity();
    constexpr double kHalfPi = 1.57079632679489661923;
    const double angle = kind < 128   ? kHalfPi * (kind % 4)
                         : kind < 160 ? std::pow(10.0, -(kind % 12))
                                      : 3.0 * unit();
    return test::rotation((1.0 / length) * axis, angle);
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

Shape make_mesh_shape(Recipe& recipe, CollisionBuilder& builder) {
  const double size = recipe.length();
  std::vector<Vec3d> vertices;
  std::vector<Triangle> triangles;
  const int nv = 3 + recipe.byte() % 12, nt = 1 + recipe.byte() % 16;
  for (int k = 0; k < nv; ++k) vertices.push_back(size * recipe.vector());
  for (int k = 0; k < nt; ++k) {
    const int a = recipe.byte() % nv, b = recipe.byte() % nv;
    triangles.push_back({a, b, recipe.byte() % nv});
  }
  return builder.make_mesh(vertices, triangles, "mesh");
}

Shape make_shape(Recipe& recipe, CollisionBuilder& builder) {
  switch (recipe.byte() % kShapeKinds) {
    case 0: return make_sphere(recipe.length());
    case 1: {
      const double radius = recipe.length();
      const int kind = recipe.byte();
      return make_capsule(radius, kind < 32 ? 0.0 : recipe.length());
    }
    case 2: {
      const double radius = recipe.length();
      return make_cylinder(radius, recipe.length());
    }
    case 3: {
      const double x = recipe.length(), y = recipe.length();
      return make_box({x, y, recipe.length()});
    }
    case 4: {
      const double size = recipe.length();
      std::vector<Vec3d> points;
      for (int k = 4 + recipe.byte() % 20; k > 0; --k) points.push_back(size * recipe.vector());
      return builder.make_hull(points, "hull");
    }
    case 5: return make_plane();
    case 6: return make_mesh_shape(recipe, builder);
    default: {
      HeightFieldSpec spec{
          2 + recipe.byte() % 4, 2 + recipe.byte() % 4, recipe.length(), recipe.length(), {}};
      const double height = recipe.length();
      for (int k = spec.columns * spec.rows; k > 0; --k)
        spec.heights.push_back(height * recipe.unit());
      return builder.make_height_field(spec, "field");
    }
  }
}

bool is_ground(const Shape& shape) { return shape.kind >= ShapeKind::kPlane; }

// A scene of the two shapes, a first or b first.
struct Scene {
  Scene(CollisionBuilder builder, const Shape& a, const Shape& b, bool a_first) {
    for (const bool is_a : {a_first, !a_first}) {
      const Shape& shape = is_a ? a : b;
      builder.add({.shape = shape, .body = is_ground(shape) ? 0 : is_a ? 1 : 2});
    }
    model = builder.build();
  }

  void find(std::span<const Mat3d> R, std::span<const Vec3d> p, double margin,
            CollisionScratch& scratch, ContactBuffer& out) const {
    find_contacts(model, R, p, margin, scratch, out);
    demand(out.dropped() == 0, "too many contacts");
  }

  CollisionModel model;
};

// From the origin of a geometry to its farthest point; none for grounds.
double calc_reach(const CollisionModel& model, int k) {
  const LocalBounds& bounds = model.placements[k].bounds;
  return norm(bounds.center) + norm(bounds.half) + bounds.rounding;
}

// Deep in each other little can be demanded: the depth of a cylinder comes from an expanding
// polytope that is known to go wrong now and then (a point in a cylinder: 2 of 1000), and of a
// nearly parallel face the deepest corner may be told, far from the other shape.
bool is_deep(const CollisionModel& model, double gap) {
  double rounding = 0.0, small = 1e300;
  bool has_cylinder = false;
  for (const int k : {0, 1}) {
    if (is_ground(model.geometries[k].shape)) continue;
    rounding += model.convex[k].rounding;
    small = std::min(small, calc_reach(model, k));
    has_cylinder = has_cylinder || model.kind[k] == ShapeKind::kCylinder;
  }
  return has_cylinder ? gap <= -(1.0 - 1e-6) * rounding : gap < -rounding - 0.05 * small;
}

void check_points(const CollisionModel& model, const CollisionScratch& scratch, double margin,
                  const ContactBuffer& contacts) {
  std::set<std::uint64_t> ids;
  for (const ContactPoint& c : contacts.points()) {
    demand(std::isfinite(c.gap) && c.gap < margin, "a gap beyond the margin");
    demand(std::abs(norm(c.n_W) - 1.0) < 1e-9, "a normal that is no unit");
    demand(std::isfinite(norm(c.p_W)), "a point that is none");
    demand(ids.insert(c.id).second, "a name given twice");
    demand(c.geometry_a == 0 && c.geometry_b == 1, "geometries out of order");
    if (is_deep(model, c.gap)) continue;
    for (const int k : {0, 1}) {
      if (is_ground(model.geometries[k].shape)) continue;
      const double reach = calc_reach(model, k);
      demand(norm(c.p_W - scratch.p_WG[k]) <= (1.0 + 1e-6) * (reach + std::abs(c.gap)),
             "a point far from its shape");
    }
  }
}

const ContactPoint* find_least(const ContactBuffer& contacts) {
  const ContactPoint* least = nullptr;
  for (const ContactPoint& c : contacts.points())
    if (least == nullptr || c.gap < least->gap) least = &c;
  return least;
}

// How exact the least gap is: corners 1e-5 of the smaller size outside still count as inside, and
// faces of hulls are joined when they differ by less than 1e-6 of the size.
double calc_slack(const CollisionModel& model) {
  double small = 1e300, large = 0.0;
  for (const int k : {0, 1}) {
    if (is_ground(model.geometries[k].shape)) continue;
    const double reach = calc_reach(model, k);
    small = std::min(small, reach), large = std::max(large, reach);
  }
  return 1e-4 * small + 2e-6 * large;
}

void check_separation(const CollisionModel& model, const CollisionScratch& scratch, double margin,
                      const ContactBuffer& contacts) {
  const test::Body a = test::make_body(model, scratch, 0), b = test::make_body(model, scratch, 1);
  const double slack = calc_slack(model);
  double best = -1e300;
  const auto attempt = [&](const Vec3d& d) {
    best = std::max({best, test::separation(a, b, d), test::separation(a, b, -d)});
  };
  attempt(scratch.p_WG[0] - scratch.p_WG[1]);
  for (const int k : {0, 1})
    for (int axis = 0; axis < 3; ++axis) attempt(scratch.R_WG[k].c[axis]);
  for (const Vec3d& n : a.normals) attempt(n);
  for (const Vec3d& n : b.normals) attempt(n);
  const ContactPoint* least = find_least(contacts);
  if (least == nullptr || is_deep(model, least->gap)) return;
  const double along = test::separation(a, b, least->n_W);
  demand(std::abs(least->gap - along) <= slack, "a least gap that is not the separation");
  demand(best <= along + slack, "a direction that parts the shapes more");
  demand(best < margin + slack, "a contact of shapes that are apart");
}

void try_recipe(Recipe& recipe) {
  CollisionBuilder builder;
  const Shape a = make_shape(recipe, builder), b = make_shape(recipe, builder);
  if (is_ground(a) && is_ground(b)) return;
  const double margin = recipe.byte() < 128 ? 0.0 : recipe.length();
  const Scene scene(builder, a, b, true), exchanged(builder, a, b, false);
  CollisionScratch scratch(scene.model), other(exchanged.model);
  ContactBuffer contacts(512), again(512), swapped(512);
  std::vector<Mat3d> R(3, Mat3d::identity());
  std::vector<Vec3d> p(3);
  for (int pose = 0; pose < 4; ++pose) {
    const double scale = recipe.length();
    for (const int k : {1, 2}) {
      R[k] = recipe.rotation();
      p[k] = scale * recipe.vector();
    }
    scene.find(R, p, margin, scratch, contacts);
    check_points(scene.model, scratch, margin, contacts);
    if (!is_ground(a) && !is_ground(b)) check_separation(scene.model, scratch, margin, contacts);

    // the same bits when asked again
    scene.find(R, p, margin, scratch, again);
    demand(contacts.size() == again.size(), "another number of contacts when asked again");
    for (int k = 0; k < contacts.size(); ++k)
      demand(contacts[k].id == again[k].id && contacts[k].gap == again[k].gap &&
                 std::memcmp(&contacts[k].p_W, &again[k].p_W, sizeof(Vec3d)) == 0,
             "another contact when asked again");

    // the same gap with the shapes exchanged; contacts at the margin may come and go
    exchanged.find(R, p, margin, other, swapped);
    check_points(exchanged.model, other, margin, swapped);
    const ContactPoint *one = find_least(contacts), *two = find_least(swapped);
    const double gap = one ? one->gap : margin, swapped_gap = two ? two->gap : margin;
    if (is_deep(scene.model, std::min(gap, swapped_gap))) continue;
    demand(std::abs(gap - swapped_gap) <= calc_slack(scene.model),
           "another gap with the shapes exchanged");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    Recipe recipe(data, size);
    try_recipe(recipe);
  } catch (const Error& error) {
    demand(*error.what() != '\0', "an error without words");
  }
  return 0;
}
