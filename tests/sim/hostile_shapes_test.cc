// Materials and shapes that no sane scene has: an error that says what is wrong, never a crash or a
// number that is not one.

#include <limits>

#include "stance/kernel/error.h"

#include "sim/hostile.h"
#include "sim/random_shapes.h"

namespace stance {
namespace {

using sim::SceneBuilder;
using test::make_cube;
using test::make_floor_scene;
using test::Simulation;
using test::Vec3d;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// ---- materials ----------------------------------------------------------------------------

TEST(Hostile, MaterialsThatAreNoneAreRefused) {
  for (const contact::Material& material :
       {contact::Material{-0.1}, contact::Material{kNan}, contact::Material{0.5, -0.1},
        contact::Material{0.5, 1.1}, contact::Material{0.5, kNan},
        contact::Material{0.5, 0.0, -1.0}, contact::Material{0.5, 0.0, kInf},
        contact::Material{0.5, 0.0, 0.0, kNan}})
    EXPECT_THROW((void)make_floor_scene(make_cube(), material), Error);
  for (const int number : {-1, 1, 7}) {
    SceneBuilder::Body cube = make_cube();
    cube.material = number;
    EXPECT_THROW((void)make_floor_scene(cube), Error) << number;
    SceneBuilder builder("floor");
    builder.add_fixed(test::make_plane(), {}, number);
    EXPECT_THROW((void)builder.build(), Error) << number;
  }
}

// ---- shapes -------------------------------------------------------------------------------

TEST(Hostile, ShapesWithoutSizeAreRefused) {
  const auto demand_error = [](const collision::Shape& shape) {
    SceneBuilder::Body body = make_cube();
    body.shape = shape;
    EXPECT_THROW((void)make_floor_scene(body), Error) << static_cast<int>(shape.kind);
    SceneBuilder builder("fixed");
    EXPECT_THROW(builder.add_fixed(shape, {}), Error) << static_cast<int>(shape.kind);
  };
  for (const double size : {0.0, -0.1, kNan, kInf}) {
    SCOPED_TRACE(size);
    demand_error(test::make_sphere(size));
    demand_error(collision::make_capsule(size, 0.1));
    demand_error(test::make_cylinder(size, 0.1));
    demand_error(test::make_cylinder(0.1, size));
    demand_error(test::make_box({0.1, size, 0.1}));
    if (size != 0.0) demand_error(collision::make_capsule(0.1, size));
  }
  demand_error({.kind = collision::ShapeKind::kHull});
  demand_error({.kind = collision::ShapeKind::kMesh});
  // a capsule without length is a ball; the thinnest sheet lies still
  for (const collision::Shape& shape :
       {collision::make_capsule(0.05, 0.0), test::make_box({0.05, 0.05, 1e-9}),
        test::make_cylinder(0.05, 1e-9), test::make_sphere(1e-9)}) {
    SceneBuilder::Body body = make_cube();
    body.shape = shape;
    Simulation s(make_floor_scene(body));
    s.run(0.3, 1e-3);
    EXPECT_LT(s.fastest(), 1e-9);
    EXPECT_EQ(s.unconverged, 0);
  }
}

TEST(Hostile, HullsWithoutVolumeAreRefused) {
  SceneBuilder builder("flat");
  const std::vector<Vec3d> empty, point(5, Vec3d(1, 2, 3)),
      line{{}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}},
      sheet{{}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.5, 0}},
      lost{{}, {1, 0, 0}, {0, 1, 0}, {0, 0, kNan}};
  for (const auto* points : {&empty, &point, &line, &sheet, &lost})
    EXPECT_THROW((void)builder.make_hull(*points), Error);
}

TEST(Hostile, MeshesWithoutASurfaceAreRefused) {
  SceneBuilder builder("mesh");
  const std::vector<Vec3d> vertices{{}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {}};
  using Triangles = std::vector<collision::Triangle>;
  for (const Triangles& triangles :
       {Triangles{}, Triangles{{0, 0, 0}}, Triangles{{0, 1, 1}}, Triangles{{0, 1, 2}},
        Triangles{{0, 4, 1}}, Triangles{{0, 1, 5}}, Triangles{{-1, 1, 3}}})
    EXPECT_THROW((void)builder.make_mesh(vertices, triangles), Error) << triangles.size();
  const std::vector<Vec3d> lost{{}, {1, 0, 0}, {0, kInf, 0}};
  EXPECT_THROW((void)builder.make_mesh(lost, Triangles{{0, 1, 2}}), Error);
  EXPECT_THROW((void)builder.make_mesh({}, Triangles{}), Error);
}

TEST(Hostile, HeightFieldsThatAreNoneAreRefused) {
  SceneBuilder builder("field");
  const std::vector<double> flat(4, 0.0);
  EXPECT_THROW((void)builder.make_height_field({2, 2, 0.0, 0.1, flat}), Error);
  EXPECT_THROW((void)builder.make_height_field({2, 2, 0.1, kNan, flat}), Error);
  EXPECT_THROW((void)builder.make_height_field({1, 4, 0.1, 0.1, flat}), Error);
  EXPECT_THROW((void)builder.make_height_field({3, 2, 0.1, 0.1, flat}), Error);
  EXPECT_THROW((void)builder.make_height_field({2, 2, 0.1, 0.1, {0, 0, 0, kInf}}), Error);
}

// A floor with every triangle twice, triangles without area along its edges, needles, and vertices
// that are the same by value: things rest on it as on any floor.
TEST(Hostile, DegenerateTrianglesDoNotMatter) {
  for (int kind = 0; kind < 5; ++kind) {
    SCOPED_TRACE(kind);
    test::Random random(99 + kind);
    SceneBuilder builder("bad floor");
    std::vector<Vec3d> vertices;
    std::vector<collision::Triangle> triangles;
    for (int j = -5; j < 5; ++j)
      for (int i = -5; i < 5; ++i) {
        const int v = static_cast<int>(vertices.size());
        const double x = 0.07 * i, y = 0.07 * j, d = 0.07;
        for (const Vec3d& corner : {Vec3d(x, y, 0), Vec3d(x + d, y, 0), Vec3d(x + d, y + d, 0),
                                    Vec3d(x, y + d, 0), Vec3d(x + 0.5 * d, y, 0)})
          vertices.push_back(corner);
        for (int twice = 0; twice < 2; ++twice) {
          triangles.push_back({v, v + 1, v + 2});
          triangles.push_back({v, v + 2, v + 3});
        }
        triangles.push_back({v, v + 4, v + 1});
        triangles.push_back({v, v, v + 1});
        triangles.push_back({v + 2, v + 2, v + 2});
      }
    // a needle across it all
    const int v = static_cast<int>(vertices.size());
    vertices.insert(vertices.end(), {{-0.3, 0, 0}, {0.3, 1e-9, 0}, {0.3, 2e-9, 0}});
    triangles.push_back({v, v + 1, v + 2});
    builder.add_fixed(builder.make_mesh(vertices, triangles), {});
    builder.set_material(0, {0.5, 0.0, 5e-3, 5e-3});
    SceneBuilder::Body body =
        test::make_body(collision::ShapeKind(kind), random, {0, 0, 0.11}, builder);
    builder.add_body(body);
    Simulation s(builder.build());
    s.run(1.0, 1e-3);
    EXPECT_LT(s.fastest(), 1e-6);
    EXPECT_LT(s.deepest, 1e-3);
    EXPECT_LE(s.most_work, 1e-12);
  }
}

}  // namespace
}  // namespace stance
