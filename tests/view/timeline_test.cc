#include "stance/view/timeline.h"

#include <gtest/gtest.h>

#include "stance/io/scene.h"
#include "stance/sim/state_bytes.h"
#include "stance/sim/step.h"

namespace stance::view {
namespace {

Bytes make_bytes(std::size_t count, int value) { return Bytes(count, std::byte(value)); }

Timeline::Entry at(double time) {
  Timeline::Entry out;
  out.time = time;
  return out;
}

TEST(Timeline, FindsTheNearest) {
  Timeline timeline(1000, 300.0, 100);
  EXPECT_EQ(timeline.find(1.0), nullptr);
  for (int k = 0; k < 10; ++k) timeline.add(at(k), make_bytes(10, k), make_bytes(5, 100 + k));
  EXPECT_EQ(timeline.find(-5.0)->time, 0.0);
  EXPECT_EQ(timeline.find(3.4)->time, 3.0);
  EXPECT_EQ(timeline.find(3.6)->time, 4.0);
  EXPECT_EQ(timeline.find(99.0)->time, 9.0);
  const Timeline::Entry& entry = *timeline.find(7.0);
  EXPECT_EQ(timeline.frame(entry)[9], std::byte(7));
  EXPECT_EQ(timeline.state(entry)[0], std::byte(107));
  timeline.cut_after(4.0);
  EXPECT_EQ(timeline.to(), 4.0);
}

TEST(Timeline, ForgetsEarlierScenes) {
  Timeline timeline(1000, 300.0, 100);
  for (const int scene : {3, 3, 5, 5, 9}) {
    Timeline::Entry entry = at(timeline.to() + 1.0);
    entry.scene = static_cast<std::uint32_t>(scene);
    timeline.add(entry, make_bytes(10, scene), make_bytes(5, scene));
  }
  EXPECT_TRUE(timeline.has_scene(5));
  EXPECT_FALSE(timeline.has_scene(4));
  timeline.cut_before_scene(5);
  EXPECT_EQ(timeline.from(), 3.0);
  EXPECT_FALSE(timeline.has_scene(3));
  EXPECT_TRUE(timeline.has_scene(9));
}

// However entries of all lengths follow each other, those that are kept have the bytes that they
// came with, in their order.
TEST(Timeline, TheOldestMakeRoom) {
  Timeline timeline(1000, 1e9, 64);
  std::size_t most = 0;
  for (int k = 0; k < 2000; ++k) {
    const std::size_t frame = 1 + static_cast<std::size_t>(k * 37 % 90), state = 1 + k * 11 % 50;
    ASSERT_TRUE(timeline.add(at(k), make_bytes(frame, k % 251), make_bytes(state, k % 241)));
    if (k % 97 == 96) timeline.cut_after(k - 2.5);
    most = std::max(most, timeline.size());
    const int from = static_cast<int>(timeline.from()), to = static_cast<int>(timeline.to());
    ASSERT_EQ(timeline.size(), static_cast<std::size_t>(to - from + 1)) << k;
    for (int n = from; n <= to; ++n) {
      const Timeline::Entry* entry = timeline.find(n);
      for (const std::byte byte : timeline.frame(*entry))
        ASSERT_EQ(byte, std::byte(static_cast<int>(entry->time) % 251));
      for (const std::byte byte : timeline.state(*entry))
        ASSERT_EQ(byte, std::byte(static_cast<int>(entry->time) % 241));
    }
    // times go on after a cut
    if (k % 97 == 96) timeline.clear();
  }
  EXPECT_GT(most, 10u);
  EXPECT_FALSE(timeline.add(at(3000), make_bytes(900, 1), make_bytes(200, 1)));
}

TEST(Timeline, KeepsItsSeconds) {
  Timeline timeline(100000, 5.0, 1000);
  for (int k = 0; k <= 100; ++k) timeline.add(at(0.1 * k), make_bytes(8, 0), make_bytes(8, 0));
  EXPECT_NEAR(timeline.from(), 5.0, 0.11);
  EXPECT_EQ(timeline.to(), 10.0);
}

TEST(StateBytes, AStateThatComesBackGoesOnToTheBit) {
  const scene::Scene scene = io::load_scene(STANCE_SOURCE_DIR "/scenes/pile.yaml");
  const sim::World& world = scene.first.scene.world;
  sim::State state = scene.first.scene.start;
  sim::Scratch scratch(world);
  for (int k = 0; k < 400; ++k) (void)sim::step(world, {}, scene.spec().step, state, scratch);
  Bytes bytes;
  sim::append_bare(state, bytes);
  ASSERT_FALSE(state.warm.id.empty());
  sim::State other = scene.first.scene.start;
  sim::read_bare(bytes, other);
  sim::Scratch fresh(world);
  for (int k = 0; k < 50; ++k) {
    (void)sim::step(world, {}, scene.spec().step, state, scratch);
    (void)sim::step(world, {}, scene.spec().step, other, fresh);
  }
  EXPECT_EQ(sim::find_difference(state, other), "");
}

}  // namespace
}  // namespace stance::view
