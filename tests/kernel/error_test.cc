// How an error names its place.

#include "stance/kernel/error.h"

#include <gtest/gtest.h>

namespace stance {
namespace {

TEST(Place, LeavesOutWhatIsUnknown) {
  EXPECT_EQ((Place{"robot.urdf", 12, "<joint name=\"knee\">"}.text()),
            "robot.urdf:12: <joint name=\"knee\">");
  EXPECT_EQ((Place{"robot.urdf", 12}.text()), "robot.urdf:12");
  EXPECT_EQ((Place{"scene.yaml", 12, {}, 5}.text()), "scene.yaml:12:5");
  EXPECT_EQ((Place{"robot.urdf", 0}.text()), "robot.urdf");
  EXPECT_EQ((Place{"", 0, "<joint>"}.text()), "<joint>");
  EXPECT_EQ(Place{}.text(), "");
}

TEST(Error, SaysWhereThenWhat) {
  const Error error(Place{"robot.urdf", 3}, "no mass");
  EXPECT_STREQ(error.what(), "robot.urdf:3: no mass");
  EXPECT_EQ(error.place().line, 3);
  EXPECT_STREQ(Error(Place{}, "no mass").what(), "no mass");
  EXPECT_EQ((Warning{Place{"robot.urdf", 3}, "odd"}.text()), "robot.urdf:3: odd");
  EXPECT_EQ((Warning{Place{}, "odd"}.text()), "odd");
}

}  // namespace
}  // namespace stance
