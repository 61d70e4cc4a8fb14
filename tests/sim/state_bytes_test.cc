// The one list of a State's members: what is in it survives bytes, is compared and goes over to
// other worlds.

#include "stance/sim/state_bytes.h"

#include <cstring>

#include <gtest/gtest.h>

#include "stance/kernel/error.h"
#include "stance/sim/state_members.h"
#include "stance/sim/step.h"
#include "stance/sim/transfer.h"

#include "mechanisms.h"

namespace stance::sim {
namespace {

using Bytes = std::vector<std::byte>;

// ---- states in which every member has something ------------------------------------------------

template <class T>
std::span<T> as_span(T& value) {
  return {&value, 1};
}
template <class T>
std::span<T> as_span(std::vector<T>& values) {
  return values;
}
std::span<double> as_span(ControllerMemory& memory) { return memory.values; }

// Two boxes tied to each other on a floor, and an arm.
Scene make_scene() {
  SceneBuilder builder("all");
  builder.add_fixed(collision::make_plane(), {}, 0, "floor");
  for (int k = 0; k < 2; ++k)
    builder.add_body({.name = k == 0 ? "left" : "right",
                      .shape = collision::make_box({0.05, 0.05, 0.05}),
                      .pose = {.p = {0.5 * k, 0.0, 0.05}}});
  builder.add_loop(
      {.kind = contact::LoopKind::kDistance, .link_a = "left", .link_b = "right", .length = 0.5});
  Scene scene = builder.build();
  scene.start.memory = {{{"robot/controllers/arm", 2}, {"sway/1", 1}}, {0.0, 0.0, 0.0}};
  return scene;
}

// After some steps, so that contacts and loops have impulses; mimics there are none of.
State make_state(const Scene& scene) {
  State x = scene.start;
  Scratch scratch(scene.world);
  for (int k = 0; k < 5; ++k) EXPECT_EQ(step(scene.world, {}, 1e-3, x, scratch).status, kStepFine);
  x.memory.values = {1.0, 2.0, 3.0};
  return x;
}

constexpr std::size_t kMembers = std::tuple_size_v<decltype(list_members(std::declval<State&>()))>;

// Another state, by one bit of the k-th member; the member's name, empty where it has no elements.
std::string change_member(State& x, std::size_t k) {
  std::string name;
  std::size_t n = 0;
  for_each_member(x, [&](const auto& member) {
    if (n++ != k) return;
    const auto row = as_span(member.values);
    if (row.empty()) return;
    using T = std::remove_reference_t<decltype(row[0])>;
    Words<T> words = to_words(row.back());
    words.back() ^= 1;
    from_words(words, row.back());
    name = member.name;
  });
  return name;
}

// ---- bytes ------------------------------------------------------------------------------------

TEST(StateBytes, EveryMemberSurvivesAndIsCompared) {
  const Scene scene = make_scene();
  const State x = make_state(scene);
  ASSERT_FALSE(x.warm.id.empty());
  EXPECT_EQ(find_difference(read_state(write_state(x), scene.world, scene.start), x), "");
  int changed = 0;
  for (std::size_t k = 0; k < kMembers; ++k) {
    State other = x;
    const std::string name = change_member(other, k);
    if (name.empty()) continue;
    ++changed;
    EXPECT_EQ(find_difference(x, other).rfind(name, 0), 0u) << find_difference(x, other);
    const State back = read_state(write_state(other), scene.world, scene.start);
    EXPECT_EQ(find_difference(back, other), "") << name;
    Bytes bare;
    append_bare(other, bare);
    State from = scene.start;
    read_bare(bare, from);
    EXPECT_EQ(find_difference(from, other), "") << name;
  }
  EXPECT_EQ(changed, int(kMembers) - 1);  // all but mimics
}

TEST(StateBytes, TheDifferenceHasAPlaceAndBothValues) {
  const Scene scene = make_scene();
  State a = make_state(scene);
  a.q[3] = 0.5;
  State b = a;
  b.q[3] = 0.25;
  EXPECT_EQ(find_difference(a, b), "q[3]: 0.5 and 0.25");
  b = a, b.memory.values[2] = 4.0;
  EXPECT_EQ(find_difference(a, b), "memory of sway/1[0]: 3 and 4");
  b = a, b.memory.parts[1].name = "sway/2";
  EXPECT_EQ(find_difference(a, b), "memory: of 'sway/1' and of 'sway/2', or of other sizes");
  b = a, b.v.push_back(0.0);
  EXPECT_EQ(find_difference(a, b), "v: 12 entries and 13");
  b = a, b.v[1] = a.v[1] == 0.0 ? -a.v[1] : -0.0;  // bits, not values
  EXPECT_NE(find_difference(a, b), "");
}

std::string read_wrong(const Bytes& bytes, const Scene& scene) {
  try {
    (void)read_state(bytes, scene.world, scene.start);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(StateBytes, DamageToAnyByteIsFound) {
  const Scene scene = make_scene();
  const Bytes whole = write_state(make_state(scene));
  for (std::size_t k = 0; k < whole.size(); ++k)
    for (const int change : {0x01, 0x80, 0xff}) {
      Bytes bytes = whole;
      bytes[k] ^= std::byte(change);
      ASSERT_NE(read_wrong(bytes, scene), "") << "byte " << k;
    }
  for (std::size_t size = 0; size < whole.size(); ++size)
    ASSERT_NE(read_wrong(Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(size)), scene), "")
        << size << " bytes";
  Bytes longer = whole;
  longer.push_back(std::byte(0));
  EXPECT_NE(read_wrong(longer, scene), "");
}

TEST(StateBytes, SayWhatIsWrong) {
  const Scene scene = make_scene();
  const State x = make_state(scene);
  EXPECT_EQ(read_wrong({}, scene), "the state is none: it does not begin as one");
  Bytes bytes = write_state(x);
  bytes[8] = std::byte(77);
  EXPECT_EQ(read_wrong(bytes, scene), "the state is of version 77, this program reads version 3");
  bytes = write_state(x), bytes[40] ^= std::byte(1);
  EXPECT_EQ(read_wrong(bytes, scene), "the state is damaged: its checksum is another");

  State other = x;
  other.q.push_back(0.0);
  EXPECT_EQ(read_wrong(write_state(other), scene),
            "the state is of another world: q has 15 entries, not 14");
  other = x, other.v[2] = NAN;
  EXPECT_EQ(read_wrong(write_state(other), scene), "the state is damaged: v[2] is no such number");
  other = x, other.at_limit[1] = 2;
  EXPECT_EQ(read_wrong(write_state(other), scene),
            "the state is damaged: at_limit[1] is no such number");
  other = x, other.memory.parts[1].name = "other";
  EXPECT_EQ(read_wrong(write_state(other), scene),
            "the state has nothing of the controller 'sway/1'");
  other = x, other.memory.parts.push_back({"third", 1}), other.memory.values.push_back(1.0);
  EXPECT_EQ(read_wrong(write_state(other), scene),
            "the state is of another world: nothing here is named memory/third");
  other = x;
  other.warm.id.resize(scene.world.contact.most_points + 1);
  EXPECT_EQ(read_wrong(write_state(other), scene),
            "the state has more contacts than there is room for");
}

// ---- other worlds -----------------------------------------------------------------------------

TEST(StateBytes, EveryMemberGoesOverToTheSameWorld) {
  const Scene scene = make_scene();
  const State x = make_state(scene);
  for (std::size_t k = 0; k < kMembers; ++k) {
    State other = x;
    if (change_member(other, k).empty()) continue;
    other.energy.start = 0.0, other.energy.is_open = false;  // goes on with the bodies' energy
    State moved = transfer(scene.world, other, scene);
    for (const contact::RestPlan& plan : moved.warm.rest) EXPECT_EQ(plan.wait, 0);
    EXPECT_FALSE(moved.is_way_clear);
    moved.warm.rest = other.warm.rest, moved.is_way_clear = other.is_way_clear;  // begin anew
    EXPECT_EQ(find_difference(moved, other), "");
  }
}

// Every loop's impulses go with it, whatever its number.
TEST(StateBytes, LoopsGoOverByTheirLinks) {
  const auto make = [](std::initializer_list<const char*> held) {
    SceneBuilder builder("held");
    for (const char* name : {"a", "b", "c"})
      builder.add_body({.name = name, .shape = collision::make_sphere(0.1)});
    for (const char* name : held) builder.add_loop({.link_a = name, .link_b = ""});
    return builder.build();
  };
  const Scene before = make({"a", "b"}), after = make({"c", "b", "a"});
  State x = before.start;
  for (int k = 0; k < 4; ++k) x.warm.loop[k] = {1.0 + k, 0.0, 0.0};
  const State moved = transfer(before.world, x, after);
  const double wanted[] = {0.0, 0.0, 3.0, 4.0, 1.0, 2.0};
  for (int k = 0; k < 6; ++k) EXPECT_EQ(moved.warm.loop[k][0], wanted[k]) << k;
}

// ---- controllers ------------------------------------------------------------------------------

// Counts steps, in as many numbers as it is told to.
class Counter final : public Controller {
 public:
  explicit Counter(int size) : size_(size) {}
  int memory_size() const override { return size_; }
  void start(const World&, const State&, std::span<double> memory) const override {
    for (double& value : memory) value = -1.0;
  }
  void act(const StepStart&, std::span<double> memory, Drive&) override {
    for (double& value : memory) value += 1.0;
  }

 private:
  int size_;
};

Actuation make_actuation(const Scene& scene, Actuation::Controllers controllers) {
  return {scene.world, Drive(scene.world), std::move(controllers)};
}

TEST(ControllerMemory, IsKeptByName) {
  const Scene scene = test::make_arm({});
  Actuation first = make_actuation(scene, {{"left", std::make_shared<Counter>(2)},
                                           {"right", std::make_shared<Counter>(1)},
                                           {"goes", std::make_shared<Counter>(3)},
                                           {"grows", std::make_shared<Counter>(1)}});
  State x = scene.start;
  Scratch scratch(scene.world);
  first.start(scene.world, x);
  for (int k = 0; k < 7; ++k) (void)first.update(scene.world, 1e-3, x, scratch);

  // in another order, with one more and one less, and as many numbers in all
  Scene next = scene;
  make_actuation(next, {{"right", std::make_shared<Counter>(1)},
                        {"comes", std::make_shared<Counter>(2)},
                        {"grows", std::make_shared<Counter>(2)},
                        {"left", std::make_shared<Counter>(2)}})
      .start(next.world, next.start);
  ASSERT_EQ(next.start.memory.values.size(), x.memory.values.size());
  const State moved = transfer(scene.world, x, next);
  EXPECT_EQ(moved.memory.values, (std::vector<double>{6, -1, -1, -1, -1, 6, 6}));
  EXPECT_EQ(moved.memory.find("left").size(), 2u);
  EXPECT_EQ(moved.memory.find("right")[0], 6.0);
  EXPECT_TRUE(moved.memory.find("goes").empty());
}

TEST(ControllerMemory, NamesDiffer) {
  const Scene scene = test::make_arm({});
  const Actuation actuation = make_actuation(
      scene, {std::make_shared<Counter>(1), NamedController("arm", std::make_shared<Counter>(1)),
              NamedController("arm", std::make_shared<Counter>(1)), std::make_shared<Counter>(1)});
  State x = scene.start;
  actuation.start(scene.world, x);
  std::vector<std::string> names;
  for (const auto& part : x.memory.parts) names.push_back(part.name);
  EXPECT_EQ(names, (std::vector<std::string>{"controller 1", "arm", "arm 2", "controller 4"}));
}

}  // namespace
}  // namespace stance::sim
