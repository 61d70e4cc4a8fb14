#include "stance/haptics/planes.h"

#include <vector>

#include <gtest/gtest.h>

#include "stance/kernel/random.h"

namespace stance::haptics {
namespace {

TEST(Planes, LeavesAloneWhatIsAllowed) {
  const Plane floor{{0, 0, 1}, 0.0};
  const Nearest found = find_nearest({&floor, 1}, {1, 2, 3});
  EXPECT_EQ(norm(found.x - Vec3d(1, 2, 3)), 0.0);
  EXPECT_EQ(found.pull[0], 0.0);
}

TEST(Planes, StopsInACorner) {
  const Plane corner[] = {{{1, 0, 0}, 0.5}, {{0, 1, 0}, 0.25}, {{0, 0, 1}, 0.0}};
  const Nearest found = find_nearest(corner, {0, 0, -2});
  EXPECT_LT(norm(found.x - Vec3d(0.5, 0.25, 0.0)), 1e-15);
  EXPECT_NEAR(found.pull[2], 2.0, 1e-15);
}

// The conditions of the nearest point, checked on random sets: allowed, x - goal is a sum of
// normals of planes that it lies on, none negative.
TEST(Planes, IsTheNearestAmongRandomPlanes) {
  kernel::Random random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<Plane> planes(1 + random.integer(kMostPlanes));
    for (Plane& plane : planes) {
      Vec3d n(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
      plane.n = (1.0 / norm(n)) * n;
      plane.offset = random.uniform(-1, -0.01);  // the origin is allowed: there is room
    }
    const Vec3d goal(random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2));
    const Nearest found = find_nearest(planes, goal);
    Vec3d sum = goal;
    for (std::size_t k = 0; k < planes.size(); ++k) {
      const double gap = dot(planes[k].n, found.x) - planes[k].offset;
      EXPECT_GE(gap, -1e-11);
      EXPECT_GE(found.pull[k], 0.0);
      if (found.pull[k] > 0.0) {
        EXPECT_NEAR(gap, 0.0, 1e-11);
      }
      sum = madd(found.pull[k], planes[k].n, sum);
    }
    EXPECT_LT(norm(sum - found.x), 1e-11);
  }
}

}  // namespace
}  // namespace stance::haptics
