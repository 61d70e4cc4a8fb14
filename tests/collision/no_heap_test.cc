// Nothing asks for memory after the first step.

#include <gtest/gtest.h>

#include "stance/collision/queries.h"

#include "collision/scene.h"
#include "heap_counter.h"

namespace stance::collision {
namespace {

using bench::count_heap_calls;
using test::Random;

TEST(NoHeap, FindingContactsAndQueriesAfterWarmUp) {
  for (int count : {20, 200}) {  // by comparison of all, and by sweep
    Random random(61);
    CollisionBuilder builder;
    std::vector<Vec3d> cloud;
    for (int k = 0; k < 20; ++k) cloud.push_back(0.3 * test::random_direction(random));
    HeightFieldSpec field{20, 20, 0.3, 0.3, std::vector<double>(400, 0.0)};
    const std::vector<Vec3d> corners{Vec3d(-3, -3, 0.1), Vec3d(3, -3, 0.1), Vec3d(0, 3, 0.1)};
    const std::vector<Triangle> triangles{{0, 1, 2}};
    builder.add({.shape = make_plane(), .body = 0});
    builder.add({.shape = builder.make_height_field(field, "field"), .body = 0});
    builder.add({.shape = builder.make_mesh(corners, triangles, "mesh"), .body = 0});
    const Shape shapes[] = {make_sphere(0.2), make_capsule(0.1, 0.2), make_cylinder(0.2, 0.2),
                            make_box(Vec3d(0.2, 0.2, 0.2)), builder.make_hull(cloud, "hull")};
    for (int k = 0; k < count; ++k) builder.add({.shape = shapes[k % 5], .body = k + 1});
    const CollisionModel model = builder.build();
    CollisionScratch scratch(model);
    ContactBuffer contacts(20000);
    std::vector<Mat3d> R(count + 1, Mat3d::identity());
    std::vector<Vec3d> p(count + 1);
    long long calls = 0, met = 0;
    for (int step = 0; step < 50; ++step) {
      for (int k = 1; k <= count; ++k) {
        R[k] = test::random_rotation(random);
        p[k] = test::random_vector(random, count == 20 ? 0.8 : 2.0);
      }
      const long long in_step = count_heap_calls([&] {
        find_contacts(model, R, p, 0.01, scratch, contacts);
        ClosestPoints points;
        find_closest(model, scratch, 4, 7, 10.0, points);
        cast_ray(model, scratch, Vec3d(0, 0, 5), Vec3d(0.1, 0.1, -1), 100.0);
      });
      if (step > 0) calls += in_step;
      met += contacts.size();
    }
    EXPECT_EQ(calls, 0) << count;
    EXPECT_GT(met, 1000);
  }
}

}  // namespace
}  // namespace stance::collision
