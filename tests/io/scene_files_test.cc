// The shipped scenes: each does what it expects, and those that exist in code too are the same.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stance/io/scene.h"
#include "stance/io/scene_snapshot.h"
#include "stance/run/expectations.h"
#include "stance/run/simulation.h"
#include "stance/scene/digest.h"
#include "stance/sim/monitor.h"
#include "stance/sim/sample_scenes.h"
#include "stance/sim/state_bytes.h"
#include "stance/sim/step.h"

#include "run_program.h"
#include "support/slow.h"

namespace stance::io {
namespace {

const std::filesystem::path kFolder = STANCE_SOURCE_DIR "/scenes";

std::vector<std::string> list_scenes() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

scene::Scene load(const std::string& name, scene::Settings options = {}) {
  options.file = (kFolder / (name + ".yaml")).string();
  return load_scene(options);
}

TEST(SceneFiles, ThereAreEnough) { EXPECT_GE(list_scenes().size(), 15u); }

class SceneFile : public ::testing::TestWithParam<std::string> {};

TEST_P(SceneFile, DoesWhatItExpects) {
  const scene::Scene scene = load(GetParam());
  EXPECT_FALSE(scene.spec().about.empty());
  EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0].text();
  const sim::World& world = scene.first.scene.world;
  if (test::kIsSlow && scene.spec().duration > 1.0 && world.model.nv > 6)
    GTEST_SKIP() << "too slow here";
  run::Simulation run(scene);
  for (std::int64_t k = std::llround(scene.spec().duration / scene.spec().step); k > 0; --k)
    (void)run.step();
  const std::vector<run::ExpectationResult> results = judge(run);
  EXPECT_GE(results.size(), 2u) << "a shipped scene expects something";
  for (const run::ExpectationResult& result : results)
    EXPECT_TRUE(result.holds) << result.name << ": " << result.wanted << ", found " << result.found;
}

// Goes on from a file, with new working memory and on another number of threads, as if nothing had
// been between.
TEST_P(SceneFile, GoesOnFromASnapshotBitForBit) {
  const testing::TemporaryFolder folder;
  const scene::Scene scene = load(GetParam());
  scene::Settings options;
  options.threads = 2;
  const scene::Scene again = load(GetParam(), options);
  EXPECT_EQ(calc_digest(scene.spec()), calc_digest(again.spec()));

  const int steps =
      std::min<int>(test::kIsSlow ? 60 : 1200,
                    static_cast<int>(std::llround(scene.spec().duration / scene.spec().step)));
  const std::string file = folder.path("state.h5");
  run::Simulation first(scene);
  while (first.steps() < steps) {
    (void)first.step();
    if (first.steps() == steps / 2 + 1) save_snapshot(scene, first.moment(), file);
  }
  run::Simulation second(again, load_snapshot(again, file));
  while (second.steps() < steps) (void)second.step();
  EXPECT_EQ(sim::find_difference(first.state(), second.state()), "");
}

// Just before, at, and just after a moment at which objects come or go.
TEST(Snapshot, GoesOnAcrossWhatComesAndGoes) {
  const testing::TemporaryFolder folder;
  const scene::Scene scene = load("come_and_go");
  const std::string file = folder.path("state.h5");
  run::Simulation whole(scene);
  std::vector<std::pair<int, sim::State>> states;
  const std::vector<int> wanted = {499, 500, 501, 800, 1000, 1299, 1301, 1800};
  while (whole.steps() < 2000) {
    (void)whole.step();
    for (const int step : wanted)
      if (whole.steps() == step) states.emplace_back(step, whole.state());
  }
  for (const auto& [step, state] : states) {
    save_snapshot(scene, {state}, file);
    run::Simulation part(scene, load_snapshot(scene, file));
    EXPECT_EQ(part.steps(), step);
    while (part.steps() < 2000) (void)part.step();
    EXPECT_EQ(part.state().q, whole.state().q) << step;
    EXPECT_EQ(part.state().v, whole.state().v) << step;
    EXPECT_EQ(part.state().warm.id, whole.state().warm.id) << step;
    EXPECT_EQ(part.state().energy.start, whole.state().energy.start) << step;
  }
  scene::Settings options;
  options.set = {{"stay", "0.9"}};
  EXPECT_THROW(load_snapshot(load("come_and_go", options), file), Error) << "another future";
}

TEST(Snapshot, IsOfItsSceneOnly) {
  const testing::TemporaryFolder folder;
  const scene::Scene scene = load("brick_on_ramp");
  const std::string file = folder.path("state.h5");
  save_snapshot(scene, {scene.first.scene.start}, file);
  EXPECT_NO_THROW(load_snapshot(scene, file));
  EXPECT_THROW(load_snapshot(load("stack"), file), Error);
  scene::Settings options;
  options.set = {{"friction", "0.6"}};
  EXPECT_THROW(load_snapshot(load("brick_on_ramp", options), file), Error);
  options.set.clear();
  options.law = "lcp";
  EXPECT_THROW(load_snapshot(load("brick_on_ramp", options), file), Error);
  options.law.clear();
  options.duration = 3.0;
  EXPECT_NO_THROW(load_snapshot(load("brick_on_ramp", options), file));
}

TEST(Snapshot, EveryOtherSceneHasAnotherHash) {
  std::set<std::string> hashes;
  for (const std::string& name : list_scenes()) hashes.insert(calc_digest(load(name).spec()));
  EXPECT_EQ(hashes.size(), list_scenes().size());
}

// Cut short, or no snapshot at all: an error, never a state.
TEST(Snapshot, BrokenFilesAreRefused) {
  const testing::TemporaryFolder folder;
  const scene::Scene scene = load("stack");
  const std::string file = folder.path("state.h5");
  save_snapshot(scene, {scene.first.scene.start}, file);
  const std::string whole = testing::read_file(file);
  ASSERT_GT(whole.size(), 1000u);
  for (std::size_t size = 0; size < whole.size(); size += whole.size() / 40)
    EXPECT_THROW(load_snapshot(scene, folder.write("cut.h5", whole.substr(0, size))), Error);
  // any byte
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ 1);
    EXPECT_THROW(run::read_snapshot(scene, other), Error) << at;
  }
  EXPECT_THROW(load_snapshot(scene, folder.write("text.h5", "version: 1\n")), Error);
  EXPECT_THROW(load_snapshot(scene, folder.path("nowhere.h5")), Error);
  EXPECT_THROW(save_snapshot(scene, {scene.first.scene.start}, folder.path("no/such/folder.h5")),
               Error);
}

// What docs/scenes.md shows works.
TEST(SceneDocs, TheirScenesRun) {
  const std::string text = testing::read_file(STANCE_SOURCE_DIR "/docs/scenes.md");
  int found = 0;
  for (std::size_t at = text.find("```yaml\n"); at != std::string::npos;
       at = text.find("```yaml\n", at + 1)) {
    const std::size_t start = at + 8, end = text.find("```", start);
    std::string block = text.substr(start, end - start);
    if (block.starts_with("# yaml-language-server")) continue;
    if (!block.starts_with("version: 1")) block = "version: 1\n" + block;
    ++found;
    EXPECT_NO_THROW(parse_scene(block, STANCE_SOURCE_DIR "/docs.yaml")) << block;
  }
  EXPECT_GE(found, 3);
}

INSTANTIATE_TEST_SUITE_P(All, SceneFile, ::testing::ValuesIn(list_scenes()),
                         [](const auto& scene) { return scene.param; });

// ---- the same as by code ----------------------------------------------------------------------

struct Twin {
  std::string name;
  std::vector<std::pair<std::string, std::string>> set = {};  // where its defaults differ
};

class SceneTwin : public ::testing::TestWithParam<Twin> {};

// Nothing differs today; expressions may round where another compiler's code does not.
constexpr double kRounding = 1e-12;

TEST_P(SceneTwin, IsTheSceneThatCodeBuilds) {
  const auto samples = sim::sample_scenes();
  const auto sample = std::find_if(samples.begin(), samples.end(),
                                   [](const auto& s) { return s.name == GetParam().name; });
  ASSERT_NE(sample, samples.end());
  const sim::Sample code = sample->make();
  scene::Settings options;
  options.set = GetParam().set;
  const scene::Scene file = load(GetParam().name, options);

  const sim::World &a = code.scene.world, &b = file.first.scene.world;
  ASSERT_EQ(a.model.nq, b.model.nq);
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  sim::State x = code.scene.start, y = file.first.scene.start;
  sim::Scratch s(a), t(b);
  scene::Modules modules = file.first.make_modules();
  sim::Actuation& actuation = modules.actuation;
  for (int k = 0; k < 500; ++k) {
    (void)sim::step(a, code.input(), 1e-3, x, s);
    (void)sim::step(b, actuation.update(b, 1e-3, y, t), 1e-3, y, t);
    ASSERT_EQ(s.contact.points.size(), t.contact.points.size()) << "step " << k;
  }
  double worst = 0.0;
  for (int k = 0; k < a.model.nq; ++k) worst = std::max(worst, std::abs(x.q[k] - y.q[k]));
  for (int k = 0; k < a.model.nv; ++k) worst = std::max(worst, std::abs(x.v[k] - y.v[k]));
  EXPECT_LE(worst, kRounding);
  RecordProperty("worst", fmt::format("{:.1e}", worst));
}

INSTANTIATE_TEST_SUITE_P(
    All, SceneTwin,
    ::testing::Values(Twin{"bouncing_ball"}, Twin{"ball_on_ramp"}, Twin{"thrown_ball"},
                      Twin{"billiard_ball"}, Twin{"spinning_ball"}, Twin{"rolling_ball"},
                      Twin{"cradle"}, Twin{"brick_on_ramp"}, Twin{"block_on_ramp"}, Twin{"stack"},
                      Twin{"masonry_arch"}, Twin{"rimless_wheel", {{"spin", "2"}}},
                      Twin{"coulomb_oscillator"}, Twin{"pinch_grasp"}, Twin{"wedge_grasp"},
                      Twin{"painleve_rod", {{"speed", "1"}}}),
    [](const auto& scene) { return scene.param.name; });

}  // namespace
}  // namespace stance::io
