#include "stance/view/hands.h"

#include <gtest/gtest.h>

namespace stance::view {
namespace {

std::vector<run::Change> step(Hands& hands, double time = 0.0) {
  std::vector<run::Change> out;
  hands.before_step(time, out);
  return out;
}

// The change as what it must be.
template <class What>
What get(const run::Change& change) {
  const What* what = run::find_action<What>(change);
  EXPECT_TRUE(what);
  return what ? *what : What{};
}

TEST(Hands, ABodyHasOneHolder) {
  Hands hands;
  EXPECT_EQ(hands.drag(1, "box", {}, {}), "");
  EXPECT_EQ(hands.drag(2, "box", {}, {}), "'box' is held by viewer 1");
  EXPECT_EQ(hands.drag(2, "ball", {}, {}), "");
  hands.release(1);
  EXPECT_EQ(hands.drag(2, "box", {}, {}), "");  // and lets go of the ball
  const auto changes = step(hands);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(get<sim::Release>(changes[0]).name, "box");
  EXPECT_EQ(changes[0].source, "viewer 1");
  EXPECT_EQ(get<sim::Release>(changes[1]).name, "ball");
  EXPECT_EQ(get<sim::DragBody>(changes[2]).body, "box");
  EXPECT_EQ(changes[2].source, "viewer 2");
  EXPECT_EQ(Hands::find_viewer("viewer 12"), 12);
  EXPECT_EQ(Hands::find_viewer("device 1"), 0);
}

TEST(Hands, MovesBetweenTwoStepsAreOne) {
  Hands hands;
  for (int k = 0; k < 100; ++k) hands.drag(1, "box", {}, {0.01 * k, 0.0, 0.0});
  const auto changes = step(hands);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_DOUBLE_EQ(get<sim::DragBody>(changes[0]).to[0], 0.99);
  EXPECT_TRUE(step(hands).empty());
}

// While time stands still, too: what is kept until the next step does not grow.
TEST(Hands, PushesAndTargetsBetweenTwoStepsAreTheLast) {
  Hands hands;
  for (int k = 0; k < 100; ++k) {
    hands.push(1, "box", {}, {1.0 * k, 0.0, 0.0}, 1.0);
    hands.set_target("knee", 0.01 * k);
  }
  const auto changes = step(hands);
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_DOUBLE_EQ(get<sim::PushBody>(changes[0]).force[0], 99.0);
  EXPECT_DOUBLE_EQ(get<sim::SetTarget>(changes[1]).value, 0.99);
}

TEST(Hands, LetGoAndTakenAgainBetweenTwoStepsIsHeld) {
  Hands hands;
  hands.drag(1, "box", {}, {1.0, 0.0, 0.0});
  hands.release(1);
  hands.drag(1, "box", {}, {2.0, 0.0, 0.0});
  const auto changes = step(hands);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_DOUBLE_EQ(get<sim::DragBody>(changes[0]).to[0], 2.0);
}

TEST(Hands, APushEndsByItself) {
  Hands hands;
  hands.drag(1, "box", {}, {});
  hands.push(1, "box", {}, {1.0, 0.0, 0.0}, 0.5);
  EXPECT_EQ(step(hands, 0.0).size(), 2u);
  EXPECT_TRUE(step(hands, 0.499).empty());
  const auto end = step(hands, 0.5);
  ASSERT_EQ(end.size(), 1u);
  EXPECT_EQ(get<sim::Release>(end[0]).name, "box");
  EXPECT_EQ(end[0].source, "viewer 1 push");  // not the drag
  EXPECT_TRUE(step(hands, 1.0).empty());
}

TEST(Hands, LetGoOfWhatIsGone) {
  Hands hands;
  hands.drag(1, "box", {}, {});
  hands.drag(2, "ball", {}, {});
  hands.push(1, "box", {}, {1.0, 0.0, 0.0}, 0.5);
  hands.forget([](const std::string& name) { return name == "ball"; });
  const auto changes = step(hands);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(get<sim::DragBody>(changes[0]).body, "ball");
  hands.repeat();
  EXPECT_EQ(step(hands).size(), 1u);
}

TEST(Hands, TargetsComeBackWithThePast) {
  Hands hands;
  const std::uint32_t none = hands.number_targets();
  hands.set_target("knee", 0.5);
  const std::uint32_t one = hands.number_targets();
  EXPECT_EQ(hands.number_targets(), one);
  hands.set_target("knee", 0.7);
  const std::uint32_t two = hands.number_targets();
  EXPECT_TRUE(hands.find_targets(none).empty());
  EXPECT_EQ(hands.find_targets(one).at("knee"), 0.5);
  EXPECT_EQ(hands.find_targets(two).at("knee"), 0.7);
  hands.drag(1, "box", {}, {});
  hands.restart(hands.find_targets(one));
  const auto changes = step(hands);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(get<sim::SetTarget>(changes[0]).value, 0.5);
  hands.forget_targets(two);
  EXPECT_TRUE(hands.find_targets(one).empty());
}

}  // namespace
}  // namespace stance::view
