// Real robots that are too large, or not ours, to keep in the repository. They lie in the folder
// that STANCE_SHARED names, or beside the repository.

#include <cstdlib>
#include <filesystem>
#include <ostream>

#include <gtest/gtest.h>

#include "stance/io/urdf.h"

#include "finite_robot.h"

namespace stance::io {
namespace {

struct Expected {
  const char* file;
  int joints;
  double mass;  // kg, to the last digit given
  std::size_t mimics;
  bool has_meshes;
};

void PrintTo(const Expected& expected, std::ostream* stream) { *stream << expected.file; }

class SharedRobot : public ::testing::TestWithParam<Expected> {};

TEST_P(SharedRobot, HasItsJointsAndMass) {
  const char* shared = std::getenv("STANCE_SHARED");
  const std::filesystem::path folder = shared ? shared : STANCE_SOURCE_DIR "/../shared/models";
  std::filesystem::path path = folder / GetParam().file;
  if (!std::filesystem::exists(path)) path = folder / "models" / GetParam().file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no " << path;

  const Robot robot = load_urdf(path.string());
  EXPECT_EQ(robot.model.nv, 6 + GetParam().joints);
  EXPECT_EQ(robot.model.nbody - 2, GetParam().joints);
  EXPECT_NEAR(robot.model.total_mass(), GetParam().mass, 0.05);
  EXPECT_EQ(robot.model.mimics.size(), GetParam().mimics);
  EXPECT_EQ(testing::find_non_finite(robot), "");
  for (const Geometry& shape : robot.geometry) {
    if (shape.kind == ShapeKind::kMesh) {
      EXPECT_EQ(!shape.mesh_path.empty(), GetParam().has_meshes) << shape.mesh_uri;
    }
  }
  for (const Warning& warning : robot.warnings)
    EXPECT_NE(warning.what.find("is missing; looked for"), std::string::npos) << warning.text();
}

INSTANTIATE_TEST_SUITE_P(Robots, SharedRobot,
                         ::testing::Values(Expected{"hrp2/hrp2.urdf", 30, 56.04, 0, true},
                                           Expected{"jvrc1/jvrc1.urdf", 44, 62.4, 10, false},
                                           Expected{"h1/h1.urdf", 19, 59.3, 0, false}),
                         [](const auto& robot) {
                           return std::filesystem::path(robot.param.file).stem().string();
                         });

}  // namespace
}  // namespace stance::io
