#pragma once

// Robots from files: those of the repository, and the real ones that lie beside it on some
// machines (environment STANCE_SHARED, or ../shared/models).

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "stance/model/model.h"

namespace stance::test {

// "humanoid" and "biped" from models/, "hrp2", "jvrc1" and "h1" from the shared folder; nothing
// when the file is not there.
std::optional<model::Model> find_robot(const std::string& name);

// The values that parameterised tests run over.
// The file of such a robot, or nothing.
std::string find_robot_file(const std::string& name);

inline const std::vector<std::string> kRobotNames = {"humanoid", "biped", "hrp2", "jvrc1", "h1"};

// A test on each robot. Use as
//   class AbaOnRobot : public RobotTest {};
//   TEST_P(AbaOnRobot, UndoesRnea) { ... model() ... }
//   INSTANTIATE_TEST_SUITE_P(Robots, AbaOnRobot, testing::ValuesIn(kRobotNames), robot_name);
class RobotTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    model_ = find_robot(GetParam());
    if (!model_) GTEST_SKIP() << "the robot " << GetParam() << " is not on this machine";
  }
  const model::Model& model() const { return *model_; }

 private:
  std::optional<model::Model> model_;
};

inline std::string robot_name(const testing::TestParamInfo<std::string>& info) {
  return info.param;
}

}  // namespace stance::test
