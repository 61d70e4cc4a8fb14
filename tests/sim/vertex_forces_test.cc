// Corners of feet, and false impacts counted (rows R27, R28).

#include "stance/sim/vertex_forces.h"

#include <string_view>

#include <gtest/gtest.h>

namespace stance::sim {
namespace {

// A corner's stance as letters, a step each: upper case while its foot is meant to stand flat, P
// pressed, O not.
int count(std::string_view steps) {
  FalseImpacts impacts(2);
  int seen = 0;
  for (const char c : steps)
    seen += impacts.watch(1, c == 'P' || c == 'O', c == 'P' || c == 'p' ? 100.0 : 0.0);
  EXPECT_EQ(seen, impacts.count(1));
  EXPECT_EQ(impacts.count(0), 0);
  EXPECT_EQ(impacts.count(), seen);
  return seen;
}

TEST(FalseImpacts, AreForcesThatComeBack) {
  EXPECT_EQ(count("PPPP"), 0);
  EXPECT_EQ(count("PPOPP"), 1);
  EXPECT_EQ(count("PPOOOPP"), 1);
  EXPECT_EQ(count("POPOPOP"), 3);
}

TEST(FalseImpacts, NeitherLandingNorTakingOffCounts) {
  EXPECT_EQ(count("OOOPPP"), 0);      // comes down late
  EXPECT_EQ(count("oopPPP"), 0);      // comes down early
  EXPECT_EQ(count("PPPOOOo"), 0);     // is relieved before it leaves
  EXPECT_EQ(count("PPOOooOOPP"), 0);  // a swing lies between
  EXPECT_EQ(count("opopop"), 0);      // swings
  EXPECT_EQ(count("PPOpP"), 0);       // comes back in a swing
}

TEST(FalseImpacts, RoundingIsNoForce) {
  FalseImpacts impacts(1);
  for (const double force : {10.0, 1e-9, 1e-12, 1e-9, 10.0}) impacts.watch(0, true, force);
  EXPECT_EQ(impacts.count(), 1);
}

}  // namespace
}  // namespace stance::sim
