// Meshes and height fields: a flat one is a plane, edges inside it are not felt.

#include <set>

#include <gtest/gtest.h>

#include "stance/kernel/error.h"

#include "collision/scene.h"

namespace stance::collision {
namespace {

using test::PairScene;
using test::Random;

struct Soup {
  std::vector<Vec3d> vertices;
  std::vector<Triangle> triangles;
};

// A grid of triangles at z = h(x, y), from -size to size.
template <class Height>
Soup make_grid(int cells, double size, Height&& height) {
  Soup out;
  for (int j = 0; j <= cells; ++j)
    for (int i = 0; i <= cells; ++i) {
      const double x = size * (2.0 * i / cells - 1), y = size * (2.0 * j / cells - 1);
      out.vertices.emplace_back(x, y, height(x, y));
    }
  for (int j = 0; j < cells; ++j)
    for (int i = 0; i < cells; ++i) {
      const int a = j * (cells + 1) + i, b = a + 1, c = a + cells + 1, d = c + 1;
      out.triangles.push_back({a, b, d});
      out.triangles.push_back({a, d, c});
    }
  return out;
}

HeightFieldSpec make_flat_field(int cells, double size) {
  return {cells + 1, cells + 1, 2 * size / cells, 2 * size / cells,
          std::vector<double>((cells + 1) * (cells + 1), 0.0)};
}

enum Ground { kFlatMesh, kFlatField };

PairScene make_scene(const Shape& shape, Ground ground, int cells, CollisionBuilder builder = {}) {
  const Soup soup = make_grid(cells, 2.0, [](double, double) { return 0.0; });
  const Shape floor = ground == kFlatMesh
                          ? builder.make_mesh(soup.vertices, soup.triangles, "floor")
                          : builder.make_height_field(make_flat_field(cells, 2.0), "floor");
  return PairScene(shape, floor, builder, 0);
}

TEST(Surface, SlidingOverAFlatOneFeelsOnlyItsNormal) {
  Random random(31);
  const Shape shapes[] = {make_sphere(0.3), make_capsule(0.1, 0.3), make_box(Vec3d(0.2, 0.3, 0.25)),
                          make_cylinder(0.2, 0.3)};
  for (Ground ground : {kFlatMesh, kFlatField})
    for (int cells : {1, 3, 16})
      for (const Shape& shape : shapes) {
        PairScene scene = make_scene(shape, ground, cells);
        PairScene plane(shape, make_plane(), {}, 0);
        for (int trial = 0; trial < 100; ++trial) {
          // standing flat or nearly so or anyhow, a little in or above the floor
          const double tilt = trial % 4 == 0   ? 0.0
                              : trial % 4 == 1 ? 1e-5
                              : trial % 4 == 2 ? 1e-3
                                               : 1.0;
          const Mat3d turn = test::rotation(Vec3d(0, 0, 1), random.uniform(0, 6));
          plane.R[1] = scene.R[1] = test::rotation(test::random_direction(random), tilt) * turn;
          const double y = random.uniform(-1, 1);
          plane.p[1] = Vec3d(random.uniform(-1, 1), y, 0);
          const double touching = -plane.deepest(1e9).gap;
          plane.p[1].set(2, touching + random.uniform(-2e-3, 9e-4));
          scene.p[1] = plane.p[1];
          const ContactPoint expected = plane.deepest(1e-3), c = scene.deepest(1e-3);
          ASSERT_GT(scene.contacts.size(), 0)
              << ground << " " << cells << " " << int(shape.kind) << " " << trial;
          EXPECT_NEAR(c.gap, expected.gap, 1e-9)
              << ground << " " << cells << " " << int(shape.kind) << " " << trial;
          for (const ContactPoint& point : scene.contacts.points())
            EXPECT_NEAR(norm(point.n_W - Vec3d(0, 0, 1)), 0.0, 1e-9)
                << ground << " " << cells << " " << int(shape.kind) << " " << trial;
        }
      }
}

TEST(Surface, ABoxRestsOnItsFourCornersWhereverItIs) {
  for (Ground ground : {kFlatMesh, kFlatField})
    for (int cells : {2, 5, 40}) {
      PairScene scene = make_scene(make_box(Vec3d(0.2, 0.3, 0.1)), ground, cells);
      std::set<std::uint64_t> first;
      for (int step = 0; step < 200; ++step) {
        scene.p[1] = Vec3d(-0.7 + 0.0071 * step, -0.5 + 0.0053 * step, 0.1 - 1e-4);
        scene.R[1] = test::rotation(Vec3d(0, 0, 1), 0.01 * step);
        ASSERT_EQ(scene.find(1e-3).size(), 4) << cells << " " << step;
        std::set<std::uint64_t> ids;
        for (const ContactPoint& c : scene.contacts.points()) {
          EXPECT_NEAR(c.gap, -1e-4, 1e-12);
          ids.insert(c.id);
        }
        if (step == 0) first = ids;
        EXPECT_EQ(ids, first) << cells << " " << step;  // corners keep their names
      }
    }
}

// A closed box as a mesh behaves like the box: top, sides, edges, corners.
TEST(Surface, AClosedMeshOfABoxIsTheBoxForSpheres) {
  const Polyhedron box = make_box_polyhedron(Vec3d(0.5, 0.4, 0.3));
  std::vector<Triangle> triangles;
  const PolyhedronView view = box.view();
  for (int f = 0; f < 6; ++f) {
    const std::int32_t* loop = view.loop_vertices + view.faces[f].first;
    triangles.push_back({loop[0], loop[1], loop[2]});
    triangles.push_back({loop[0], loop[2], loop[3]});
  }
  CollisionBuilder builder;
  const Shape mesh = builder.make_mesh(box.vertices(), triangles, "box");
  PairScene scene(make_sphere(0.2), mesh, builder, 0);
  PairScene reference(make_sphere(0.2), make_box(Vec3d(0.5, 0.4, 0.3)), {}, 0);
  Random random(32);
  int met = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    scene.p[1] = reference.p[1] =
        Vec3d(random.uniform(-0.8, 0.8), random.uniform(-0.7, 0.7), random.uniform(-0.6, 0.6));
    const ContactPoint a = reference.deepest(0.05);
    if (a.gap < -0.19) continue;  // the centre is inside
    const ContactPoint b = scene.deepest(0.05);
    ASSERT_EQ(reference.contacts.size() > 0, scene.contacts.size() > 0) << trial;
    if (reference.contacts.size() == 0) continue;
    EXPECT_NEAR(a.gap, b.gap, 1e-12) << trial;
    EXPECT_NEAR(norm(a.n_W - b.n_W), 0.0, 1e-9) << trial;
    ++met;
  }
  EXPECT_GT(met, 300);
}

// A box that stands on the top of a mesh step, overlapping it a little, is not pushed sideways by
// the riser's triangles.
TEST(Surface, OnTheEdgeOfAStepOnlyTheTopPushes) {
  CollisionBuilder builder;
  const Polyhedron step = make_box_polyhedron(Vec3d(0.5, 2.0, 0.5));
  std::vector<Triangle> triangles;
  const PolyhedronView view = step.view();
  for (int f = 0; f < 6; ++f) {
    const std::int32_t* loop = view.loop_vertices + view.faces[f].first;
    triangles.push_back({loop[0], loop[1], loop[2]});
    triangles.push_back({loop[0], loop[2], loop[3]});
  }
  const Shape mesh = builder.make_mesh(step.vertices(), triangles, "step");
  PairScene scene(make_box(Vec3d(0.3, 0.3, 0.3)), mesh, builder, 0);
  Random random(33);
  for (int trial = 0; trial < 100; ++trial) {
    scene.R[1] = test::rotation(test::random_direction(random), 1e-5);
    scene.p[1] = Vec3d(0.4, random.uniform(-1, 1), 0.8 - 1e-4);
    ASSERT_GE(scene.find(1e-3).size(), 4) << trial;
    for (const ContactPoint& c : scene.contacts.points()) {
      EXPECT_NEAR(norm(c.n_W - Vec3d(0, 0, 1)), 0.0, 1e-4) << trial;
      EXPECT_NEAR(c.gap, -1e-4, 2e-5) << trial;
    }
  }
}

// The same without a bottom: the riser of such a sheet has a back, which a box that stands on the
// tread just behind the riser must not feel.
TEST(Surface, AStepWithoutABottomIsNotFeltFromBehindItsRisers) {
  CollisionBuilder builder;
  const Polyhedron step = make_box_polyhedron(Vec3d(0.5, 2.0, 0.5));
  std::vector<Triangle> triangles;
  const PolyhedronView view = step.view();
  for (int f = 0; f < 6; ++f) {
    if (view.faces[f].n[2] < -0.5) continue;
    const std::int32_t* loop = view.loop_vertices + view.faces[f].first;
    triangles.push_back({loop[0], loop[1], loop[2]});
    triangles.push_back({loop[0], loop[2], loop[3]});
  }
  const Shape mesh = builder.make_mesh(step.vertices(), triangles, "step");
  PairScene scene(make_box(Vec3d(0.3, 0.3, 0.3)), mesh, builder, 0);
  for (const double depth : {0.0, 1e-6, 1e-4}) {
    scene.p[1] = Vec3d(0.2 - 5e-4, 0.1, 0.8 - depth);
    ASSERT_GE(scene.find(1e-3).size(), 4);
    for (const ContactPoint& c : scene.contacts.points())
      EXPECT_NEAR(norm(c.n_W - Vec3d(0, 0, 1)), 0.0, 1e-9) << depth;
  }
}

// What comes from below meets the back of a sheet as what comes from above meets its front: mirror
// images of each other.
TEST(Surface, TheBackOfASheetIsTheMirrorImageOfItsFront) {
  Random random(37);
  const Shape shapes[] = {make_sphere(0.3), make_capsule(0.1, 0.3), make_box(Vec3d(0.2, 0.3, 0.25)),
                          make_cylinder(0.2, 0.3)};
  for (Ground ground : {kFlatMesh, kFlatField})
    for (const Shape& shape : shapes) {
      PairScene scene = make_scene(shape, ground, 5);
      for (int trial = 0; trial < 50; ++trial) {
        const Mat3d R = test::random_rotation(random);
        const double x = random.uniform(-1, 1), y = random.uniform(-1, 1);
        PairScene plane(shape, make_plane(), {}, 0);
        plane.R[1] = scene.R[1] = R, plane.p[1] = Vec3d(x, y, 0.6);
        const double height = 0.6 - plane.deepest(1.0).gap, gap = random.uniform(-1e-3, 1e-3);
        scene.p[1] = Vec3d(x, y, height + gap);
        const ContactPoint above = scene.deepest(2e-3);
        // turned about the x axis: an image of a shape that is its own mirror image
        const Mat3d half = test::rotation(Vec3d(1, 0, 0), M_PI);
        scene.R[1] = half * R, scene.p[1] = half * scene.p[1];
        const ContactPoint below = scene.deepest(2e-3);
        EXPECT_NEAR(above.gap, gap, 1e-9) << trial;
        EXPECT_NEAR(below.gap, gap, 1e-9) << trial;
        EXPECT_NEAR(norm(below.n_W - Vec3d(0, 0, -1)), 0.0, 1e-9) << trial;
      }
    }
}

// A box lies 30 % of its height deep in ground of small triangles, each of which has a shorter way
// out sideways that is none of the surface's.
TEST(Surface, WhatLiesDeepInSmallTrianglesIsFound) {
  for (const int cells : {8, 40, 160})
    for (Ground ground : {kFlatMesh, kFlatField}) {
      PairScene scene = make_scene(make_box(Vec3d(0.3, 0.3, 0.1)), ground, cells);
      for (const double depth : {0.01, 0.03, 0.06}) {
        scene.p[1] = Vec3d(0.013, 0.027, 0.1 - depth);
        const ContactPoint deepest = scene.deepest(1e-3);
        EXPECT_NEAR(deepest.gap, -depth, 1e-9) << cells << " " << depth;
        EXPECT_NEAR(deepest.n_W[2], 1.0, 1e-9) << cells << " " << depth;
      }
    }
}

TEST(Surface, AHeightFieldIsTheMeshOfItsTriangles) {
  const auto hill = [](double x, double y) { return 0.3 * std::sin(2 * x) * std::cos(3 * y); };
  const Soup soup = make_grid(12, 2.0, hill);
  HeightFieldSpec spec = make_flat_field(12, 2.0);
  for (std::size_t k = 0; k < spec.heights.size(); ++k) spec.heights[k] = soup.vertices[k][2];
  Random random(34);
  for (const Shape& shape : {make_sphere(0.2), make_box(Vec3d(0.2, 0.1, 0.15))}) {
    CollisionBuilder one, two;
    const Shape mesh = one.make_mesh(soup.vertices, soup.triangles, "hill");
    const Shape field = two.make_height_field(spec, "hill");
    PairScene a(shape, mesh, one, 0), b(shape, field, two, 0);
    for (int trial = 0; trial < 200; ++trial) {
      const double x = random.uniform(-1.5, 1.5), y = random.uniform(-1.5, 1.5);
      a.p[1] = b.p[1] = Vec3d(x, y, hill(x, y) + random.uniform(0.0, 0.3));
      a.R[1] = b.R[1] = test::random_rotation(random);
      const ContactPoint c = a.deepest(0.01), d = b.deepest(0.01);
      ASSERT_EQ(a.contacts.size(), b.contacts.size()) << trial;
      if (a.contacts.size() == 0) continue;
      EXPECT_NEAR(c.gap, d.gap, 1e-12);
      EXPECT_NEAR(norm(c.n_W - d.n_W), 0.0, 1e-9);
    }
  }
}

TEST(Surface, DegenerateInputIsRefusedByNameOrCleaned) {
  const auto message = [](auto&& call) {
    try {
      call();
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const std::vector<Vec3d> square{Vec3d(0, 0, 0), Vec3d(1, 0, 0), Vec3d(1, 1, 0), Vec3d(0, 1, 0)};
  CollisionBuilder builder;
  const auto mesh = [&](std::vector<Vec3d> vertices, std::vector<Triangle> triangles) {
    return message([&] { builder.make_mesh(vertices, triangles, "rug"); });
  };
  EXPECT_NE(mesh({}, {}).find("rug"), std::string::npos);
  EXPECT_NE(mesh(square, {{0, 1, 4}}).find("rug"), std::string::npos);
  EXPECT_NE(mesh(square, {{0, 1, -1}}).find("rug"), std::string::npos);
  EXPECT_NE(mesh(square, {{0, 1, 1}, {2, 2, 2}}).find("rug"), std::string::npos);
  EXPECT_NE(
      mesh({Vec3d(0, 0, std::nan("")), Vec3d(1, 0, 0), Vec3d(1, 1, 0)}, {{0, 1, 2}}).find("rug"),
      std::string::npos);
  // slivers, repeated and flipped triangles among good ones
  EXPECT_EQ(mesh(square, {{0, 1, 2}, {0, 2, 3}, {0, 0, 1}, {0, 1, 2}, {2, 1, 0}}), "");
  const Shape moving = builder.make_mesh(square, std::vector<Triangle>{{0, 1, 2}}, "rug");
  EXPECT_NE(message([&] { builder.add({.shape = moving, .body = 1, .name = "rug"}); }).find("rug"),
            std::string::npos);

  HeightFieldSpec field = make_flat_field(2, 1.0);
  const auto refused = [&](const HeightFieldSpec& spec) {
    return message([&] { builder.make_height_field(spec, "hill"); }).find("hill") !=
           std::string::npos;
  };
  EXPECT_FALSE(refused(field));
  HeightFieldSpec bad = field;
  bad.heights.pop_back();
  EXPECT_TRUE(refused(bad));
  bad = field;
  bad.heights[3] = std::nan("");
  EXPECT_TRUE(refused(bad));
  bad = field;
  bad.spacing_x = 0.0;
  EXPECT_TRUE(refused(bad));
  bad = field;
  bad.columns = 1;
  EXPECT_TRUE(refused(bad));
}

}  // namespace
}  // namespace stance::collision
