// Grasps converge while people pull: the humanoid with a beam, stiff and compliant, in the hands of
// seeded people, at the accuracy and the sweeps that every scene has by default.

#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stance/io/scene.h"
#include "stance/run/simulation.h"

#include "contact/puller.h"
#include "support/slow.h"

namespace stance::bench {
namespace {

struct Count {
  int steps = 0, unconverged = 0;
  double most_force = 0.0;                                             // N, of what pulls
  double residual = 0.0, gap_velocity = 0.0, most_energy_error = 0.0;  // the worst; m/s, J
};

// Takes in a step that was taken.
void look(const run::Simulation& run, Count& count) {
  const sim::StepReport& report = run.report();
  ++count.steps;
  count.unconverged += report.status != sim::kStepFine;
  count.residual = std::max(count.residual, report.contact.residual);
  count.gap_velocity = std::max(count.gap_velocity, report.contact.gap_velocity);
  count.most_energy_error = std::max(count.most_energy_error, std::abs(report.energy_error));
}

// A second of somebody with this seed, who also draws friction, grip and mass.
void pull(const std::string& scene, std::uint64_t seed, Count& count) {
  kernel::Random random(seed);
  scene::Settings settings;
  settings.file = STANCE_SOURCE_DIR "/scenes/" + scene;
  settings.set = {{"friction", fmt::format("{}", random.uniform(0.3, 1.2))},
                  {"grip", fmt::format("{}", random.uniform(4.0, 10.0))},
                  {"beam_mass", fmt::format("{}", random.uniform(0.3, 2.5))}};
  run::Simulation run(io::load_scene(settings));
  ASSERT_EQ(run.part().scene.world.contact.tolerance, 1e-8);
  ASSERT_EQ(run.part().scene.world.contact.max_sweeps, 2000);
  Puller puller(seed, {"beam", "humanoid/right_hand", "humanoid/left_hand", "humanoid/chest"});
  run.attach(puller);
  while (run.time() < 1.0) {
    run.advance();
    look(run, count);
    for (const sim::Outside::Pull& pull : run.outside().pulls())
      count.most_force = std::max(count.most_force, norm(pull.drag.force));
  }
}

class Pulled : public testing::TestWithParam<const char*> {};

// One step in a thousand may miss the tolerance; before robots had a plan of their own and faces
// that are parallel one normal, every tenth did.
TEST_P(Pulled, GraspConverges) {
  Count count;
  const std::uint64_t end = test::kIsSlow ? 6 : 10;
  for (std::uint64_t seed = 4; seed < end; ++seed) pull(GetParam(), seed, count);
  EXPECT_LE(count.unconverged, count.steps / 1000);
  EXPECT_GT(count.most_force, 10.0);
  // what is not solved to 1e-8 is solved nearly so, and nobody gains energy by it: people do some
  // joules of work
  EXPECT_LT(count.residual, 1e-4);
  EXPECT_LT(count.gap_velocity, 1e-4);
  EXPECT_LT(count.most_energy_error, 0.1);
}

// Pushes the beam forward, by nothing to `most` newtons and back every two seconds.
class Pusher final : public run::Observer {
 public:
  explicit Pusher(double most) : most_(most) {}
  void before_step(const run::StepAhead& step, std::vector<run::Change>& changes) override {
    constexpr double kBegins = 0.2;
    if (step.time < kBegins) return;
    const double angle = std::numbers::pi * (step.time - kBegins);
    changes.push_back(
        {"someone", sim::Action(sim::PushBody{
                        .body = "beam", .force = {0.5 * most_ * (1.0 - std::cos(angle)), 0, 0}})});
  }

 private:
  double most_;
};

// The beam leans on the crates, and pushes them over the table: 42 to 53 points in one group.
// Before paths were followed, 451 of 3,000 steps at 85 N missed the tolerance.
TEST(PulledBeam, GraspConvergesWhileItLeansOnCrates) {
  int steps = 0, unconverged = 0;
  for (const double most : {60.0, 80.0, 85.0}) {
    run::Simulation run(
        io::load_scene(std::string(STANCE_SOURCE_DIR "/scenes/humanoid_table.yaml")));
    Pusher pusher(most);
    run.attach(pusher);
    Count count;
    int points = 0;
    while (run.time() < (test::kIsSlow ? 2.1 : 3.0)) {
      run.advance();
      look(run, count);
      points = std::max(points, run.report().contact.points);
    }
    steps += count.steps, unconverged += count.unconverged;
    EXPECT_LT(count.residual, 1e-6) << most;
    EXPECT_LT(count.gap_velocity, 1e-6) << most;
    EXPECT_LT(count.most_energy_error, 0.03) << most;  // the hand does 20 J of work
    EXPECT_GE(points, 40) << most;
  }
  // one in a thousand is wanted over all pulls; these are the hardest, and how many miss depends on
  // the last bits of the force
  EXPECT_LE(unconverged, steps / 500);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Pulled,
                         testing::Values("humanoid_table.yaml", "humanoid_follows.yaml"));

}  // namespace
}  // namespace stance::bench
