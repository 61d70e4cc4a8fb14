// `stance bench pulled`: the humanoid with a beam while people pull, at the accuracy and the sweeps
// that scenes have by default: what converged, how long steps took, how much a hand feels of it.

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/cli/terminal.h"
#include "stance/io/scene.h"
#include "stance/run/simulation.h"

#include "contact/puller.h"
#include "machine.h"
#include "options.h"
#include "peers/scene_protocol.h"
#include "progress.h"

namespace stance::bench {
namespace {

using kernel::Vec3d;

constexpr int kPulls = 10;        // unless --repeats says otherwise
constexpr double kSeconds = 3.0;  // of each
constexpr double kSettled = 0.1;  // s, before anybody pulls
constexpr const char* kScenes[] = {"humanoid_table", "humanoid_follows"};

// What some pulls came to.
struct Figures {
  int unconverged = 0;
  double residual = 0.0, gap_velocity = 0.0, impulse_error = 0.0;  // the worst
  std::vector<double> ms;                                          // of every step, processor
  double jump2 = 0.0, most_jump = 0.0;  // N^2, N: change of the force on a finger from step to step

  void add(const Figures& other) {
    unconverged += other.unconverged;
    residual = std::max(residual, other.residual);
    gap_velocity = std::max(gap_velocity, other.gap_velocity);
    impulse_error = std::max(impulse_error, other.impulse_error);
    ms.insert(ms.end(), other.ms.begin(), other.ms.end());
    jump2 += other.jump2, most_jump = std::max(most_jump, other.most_jump);
  }
  double find_quantile(double part) const {
    std::vector<double> sorted = ms;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
  }
  double calc_speed(double h) const {  // times real time
    double sum = 0.0;
    for (const double each : ms) sum += each;
    return 1e3 * h * static_cast<double>(ms.size()) / sum;
  }
  double calc_jump() const { return std::sqrt(jump2 / static_cast<double>(ms.size())); }
};

// Forces of fingers and palms on the beam, by the body that presses, N.
std::map<int, Vec3d> find_forces(const sim::StepView& view, int beam) {
  std::map<int, Vec3d> forces;
  const contact::ContactScratch& s = view.scratch.contact;
  for (int i = 0; i < s.points.size(); ++i) {
    const collision::ContactPoint& point = s.points[i];
    if (point.body_a != beam && point.body_b != beam) continue;
    const contact::PointContact& contact = s.contacts[i];
    const Vec3d p =
        contact.p[0] * point.n_W + contact.p[1] * contact.t1 + contact.p[2] * contact.t2;
    const bool is_a = point.body_a == beam;
    forces[is_a ? point.body_b : point.body_a] += ((is_a ? 1.0 : -1.0) / view.h) * p;
  }
  return forces;
}

Figures run_pull(const std::string& scene, std::uint64_t seed) {
  kernel::Random random(seed);
  scene::Settings settings;
  settings.file = fmt::format("{}/scenes/{}.yaml", STANCE_SOURCE_DIR, scene);
  settings.set = {{"friction", fmt::format("{}", random.uniform(0.3, 1.2))},
                  {"grip", fmt::format("{}", random.uniform(4.0, 16.0))},
                  {"beam_mass", fmt::format("{}", random.uniform(0.3, 2.5))}};
  run::Simulation run(io::load_scene(settings));
  Puller puller(seed, {"beam", "humanoid/right_hand", "humanoid/left_hand", "humanoid/chest"});
  run.attach(puller);
  const int beam = run.part().scene.world.model.find_body("beam");
  Figures figures;
  std::map<int, Vec3d> before;
  while (run.time() < kSeconds) {
    const double start = read_work_clock();
    run.advance();
    figures.ms.push_back(1e3 * (read_work_clock() - start));
    const sim::StepReport& report = run.report();
    figures.unconverged += (report.status & sim::kNotConverged) != 0;
    figures.residual = std::max(figures.residual, report.contact.residual);
    figures.gap_velocity = std::max(figures.gap_velocity, report.contact.gap_velocity);
    figures.impulse_error = std::max(figures.impulse_error, report.contact.impulse_error);
    const std::map<int, Vec3d> forces = find_forces(run.view(), beam);
    for (const auto& [body, force] : forces) {
      if (run.time() < kSettled || !before.contains(body)) continue;
      const Vec3d jump = force - before[body];
      figures.jump2 += dot(jump, jump);
      figures.most_jump = std::max(figures.most_jump, norm(jump));
    }
    before = forces;
  }
  return figures;
}

}  // namespace

void run_pulled(const Options& options) {
  const int pulls = options.repeats ? options.repeats : kPulls;
  std::vector<std::vector<std::string>> table = {{"scene", "steps", "unconverged", "residual",
                                                  "gap m/s", "times real time", "99.9 % ms",
                                                  "max ms", "jump N", "most N"}};
  nlohmann::json json = nlohmann::json::array();
  for (const char* scene : kScenes) {
    Figures all;
    Progress progress(scene, pulls);
    for (int seed = 1; seed <= pulls; ++seed, progress.advance())
      all.add(run_pull(scene, static_cast<std::uint64_t>(seed)));
    const double speed = all.calc_speed(1e-3), late = all.find_quantile(0.999),
                 most = all.find_quantile(1.0);
    table.push_back({scene, std::to_string(all.ms.size()), std::to_string(all.unconverged),
                     fmt::format("{:.1e}", all.residual), fmt::format("{:.0e}", all.gap_velocity),
                     fmt::format("{:.1f}", speed), fmt::format("{:.2f}", late),
                     fmt::format("{:.2f}", most), fmt::format("{:.1f}", all.calc_jump()),
                     fmt::format("{:.0f}", all.most_jump)});
    json.push_back({{"scene", scene},
                    {"steps", all.ms.size()},
                    {"not_converged", all.unconverged},
                    {"residual", all.residual},
                    {"gap_velocity", all.gap_velocity},
                    {"impulse_error", all.impulse_error},
                    {"times_real_time", speed},
                    {"late_ms", late},
                    {"most_ms", most},
                    {"force_jump", all.calc_jump()},
                    {"most_force_jump", all.most_jump}});
  }
  if (options.json) {
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{} pulls of {} s on each scene, seeds 1 to {}\n{}\n\n{}", pulls, kSeconds, pulls,
             describe_machine(), cli::format_table(table, 1, cli::find_style(stdout)));
}

}  // namespace stance::bench
