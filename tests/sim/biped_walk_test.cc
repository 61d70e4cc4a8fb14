// The walking biped of paper R, scenes/biped_r_walk.yaml, under the law of the paper, without and
// with a wanted penetration, and under the exact law. Rows R17, R24 to R28.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/slow.h"
#include "walk_run.h"

namespace stance {
namespace {

class WalkingBiped : public testing::Test {
 protected:
  void SetUp() override {
    if (test::kIsSlow) GTEST_SKIP() << "too slow here";
  }
  static const WalkRun& plain() {
    static const WalkRun run = walk(contact::ContactLaw::kPenaltyFbl, "0");
    return run;
  }
  static const WalkRun& wanted() {
    static const WalkRun run = walk(contact::ContactLaw::kPenaltyFbl, "1e-4");
    return run;
  }
  static const WalkRun& exact() {
    static const WalkRun run = walk(contact::ContactLaw::kExact, "0");
    return run;
  }
  static WalkRun walk(contact::ContactLaw law, const char* depth) {
    return run_walk(STANCE_SOURCE_DIR "/scenes/biped_r_walk.yaml", law, depth);
  }
};

TEST_F(WalkingBiped, R24MakesFiveStepsUnderAllLaws) {
  for (const WalkRun* run : {&plain(), &wanted(), &exact()}) {
    EXPECT_EQ(run->steps, 5);
    EXPECT_FALSE(run->fell);
  }
}

// Figure 11: 0 to 0.1 m; every corner of a swinging foot clears the ground.
TEST_F(WalkingBiped, R25FeetRiseByEightCentimetres) {
  for (const WalkRun* run : {&plain(), &wanted(), &exact()}) {
    EXPECT_NEAR(run->highest, 0.08, 0.005);
    for (const double middle : {0.15, 0.55, 0.95, 1.35, 1.75}) {
      const int foot = middle == 0.55 || middle == 1.35 ? 0 : 4;  // first of its corners
      double lowest = 1.0;
      for (std::size_t n = 0; n < run->time.size(); ++n)
        for (int k = foot; k < foot + 4; ++k)
          if (std::abs(run->time[n] - middle) < 0.05)
            lowest = std::min(lowest, run->height[8 * n + k]);
      EXPECT_GT(lowest, 0.04);
    }
  }
}

// Figure 12.
TEST_F(WalkingBiped, R26TheStanceFootStaysWithinAFifthOfAMillimetre) {
  for (const WalkRun* run : {&plain(), &wanted(), &exact()}) {
    EXPECT_GT(run->low, -2e-4);
    EXPECT_LT(run->high, 2e-4);
  }
}

// Figures 13 and 14. Of the foot that carries the robot alone; and of any foot that is meant to
// stand flat, without the 20 ms after a landing and before a take-off, when it bears next to
// nothing.
TEST_F(WalkingBiped, R28WantedPenetrationLeavesATenthOfTheFalseImpacts) {
  EXPECT_GE(plain().false_impacts, 50);
  EXPECT_LE(10 * wanted().false_impacts, plain().false_impacts);
  EXPECT_GE(plain().false_impacts_flat, 100);
  EXPECT_LE(10 * wanted().false_impacts_flat, plain().false_impacts_flat);
  // and the foot is where it is wanted: it penetrates
  EXPECT_LT(wanted().high, 1e-6);
  EXPECT_LT(wanted().low, -5e-5);
}

// How four corners share the load of a rigid foot is not unique, so that under the exact law one of
// them may be left out without anything moving. A foot as a whole loses the ground only under the
// paper's law without a wanted penetration.
TEST_F(WalkingBiped, R28NoFootLosesTheGroundButWithNothingWanted) {
  EXPECT_GT(plain().foot_breaks, 0);
  EXPECT_EQ(wanted().foot_breaks, 0);
  EXPECT_EQ(exact().foot_breaks, 0);
}

TEST_F(WalkingBiped, ExactContactNeitherPenetratesNorSlips) {
  EXPECT_EQ(exact().unconverged, 0);
  EXPECT_LT(exact().worst_penetration, 1e-5);
  EXPECT_LT(exact().slip, 1e-4);
}

// From rest to rest what the ground gives is the weight.
TEST_F(WalkingBiped, TheGroundCarriesTheWeight) {
  for (const WalkRun* run : {&plain(), &wanted(), &exact()}) {
    EXPECT_NEAR(run->weight, 75.0 * 9.81, 0.1);
    EXPECT_NEAR(run->mean_force, run->weight, 1e-4 * run->weight);
  }
}

}  // namespace
}  // namespace stance
