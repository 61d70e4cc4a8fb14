// Friction identified as on a real robot (row A21): a foot on a floor and a hand on a pillar are
// pulled by dynamometers until they slide, 50 times, each time in another direction, under another
// load, with other noise. The friction is the pull over the press, mu = f / f_n, both as sensors
// read them.
//
//   dynamometer [--check] SCENE [FOLDER]
//
// SCENE is scenes/dynamometer.yaml. Prints a line per pull and writes figures (CSV, and SVG where
// gnuplot is installed) to FOLDER (default dynamometer). With --check nothing is drawn unless a
// FOLDER is given, and the exit code says whether the means are right to 1e-3.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "stance/stance.h"

#include "figure.h"

using namespace stance;

namespace {

constexpr int kPulls = 50;
constexpr double kTolerance = 1e-3;  // of the friction that was set
const std::array<const char*, 2> kBodies = {"foot", "hand"};
constexpr std::array<double, 2> kSet = {0.983, 0.1};  // as the paper found them

// What the sensors of one body showed.
struct Log {
  std::vector<double> time, pull, press, x, y;  // s, N, N, m, m
};

// One run of the scene; the seed draws direction, load and noise.
std::array<Log, 2> measure(Scene scene) {
  Simulation simulation(std::move(scene));
  std::vector<std::string> wanted;
  for (const std::string body : kBodies)
    wanted.insert(wanted.end(),
                  {body + "/position", body + "_pull/reading_force", body + "_press/force"});
  const ChannelReader reader(simulation, wanted);  // each of three columns
  std::vector<double> values(reader.width());
  const auto find = [&](const std::string& name) {
    std::size_t k = 0;
    while (reader.channels()[k].name != name) ++k;
    return &values[3 * k];
  };
  std::array<Log, 2> logs;
  for (long k = std::lround(simulation.spec().duration / simulation.spec().step); k > 0; --k) {
    simulation.advance();
    if (simulation.report().status != sim::kStepFine) throw std::runtime_error("a step failed");
    reader.read(values);
    for (int b = 0; b < 2; ++b) {
      const std::string body = kBodies[b];
      logs[b].time.push_back(simulation.time());
      logs[b].x.push_back(find(body + "/position")[0]);
      logs[b].y.push_back(find(body + "/position")[1]);
      logs[b].pull.push_back(-find(body + "_pull/reading_force")[0]);  // along the spring
      logs[b].press.push_back(find(body + "_press/force")[2]);
    }
  }
  return logs;
}

struct Friction {
  double time = 0.0;                   // s, when it broke away
  double force = 0.0, press = 0.0;     // N then
  double breaking = 0.0, sliding = 0;  // mu = f / f_n at that moment, and while it slides
};

// A straight line through `count` values before `end`, taken at its end.
double extrapolate(const std::vector<double>& values, std::size_t end, std::size_t count) {
  double mean = 0.0, slope = 0.0, spread = 0.0;
  const double middle = 0.5 * static_cast<double>(count - 1);
  for (std::size_t k = 0; k < count; ++k) {
    const double t = static_cast<double>(k) - middle, value = values[end - count + k];
    mean += value / static_cast<double>(count), slope += t * value, spread += t * t;
  }
  return mean + slope / spread * middle;
}

// It breaks away in the first step in which it moves faster than stuck bodies creep (below 1e-9 m/s
// here); the force then is that of the line through the readings of the last 0.2 s before, which
// takes noise out. It slides for the last 0.3 s of the run.
Friction identify(const Log& log, double h) {
  constexpr std::size_t kFit = 200, kSlide = 300, kStuck = 400;  // steps
  constexpr double kMoves = 1e-6;                                // m/s
  std::size_t k = kStuck;
  const auto calc_speed = [&] {
    return std::hypot(log.x[k] - log.x[k - 1], log.y[k] - log.y[k - 1]) / h;
  };
  while (k < log.time.size() && calc_speed() < kMoves) ++k;
  if (k + kSlide > log.time.size()) throw std::runtime_error("it does not slide");
  Friction out;
  out.time = log.time[k];
  out.force = extrapolate(log.pull, k, kFit), out.press = log.press[k - 1];
  out.breaking = out.force / out.press;
  double pull = 0.0, press = 0.0;
  for (std::size_t n = log.time.size() - kSlide; n < log.time.size(); ++n)
    pull += log.pull[n], press += log.press[n];
  out.sliding = pull / press;
  return out;
}

}  // namespace

int main(int argc, char** argv) try {
  const bool check = argc > 1 && std::strcmp(argv[1], "--check") == 0;
  const int rest = check ? 2 : 1;
  if (argc < rest + 1 || argc > rest + 2 || argv[rest][0] == '-') {
    std::fprintf(stderr, "usage: dynamometer [--check] SCENE [FOLDER]\n");
    return 2;
  }
  Figure forces{"pull",
                "Five pulls of the foot, under five loads, until it slides",
                "time (s)",
                "reading of the dynamometer (N)",
                "set xrange [0:5]\n",
                {}};
  Figure found{"friction",
               "Friction of 50 pulls",
               "number of the pull",
               "identified friction over the set one",
               "set xrange [0:51]\n",
               {}};
  std::printf("%4s | %-38s | %s\n", "", "foot on floor", "hand on pillar");
  std::printf("%4s | %7s %8s %9s %9s  | %7s %8s %9s %9s\n", "pull", "f (N)", "f_n (N)", "breaking",
              "sliding", "f (N)", "f_n (N)", "breaking", "sliding");
  std::array<Friction, 2> mean;
  std::array<Curve, 4> dots;
  for (int b = 0; b < 2; ++b)
    for (int way = 0; way < 2; ++way)
      dots[2 * b + way] = {std::string(kBodies[b]) + (way ? ", sliding" : ", breaking away"),
                           way ? "points pt 6 ps 0.7 lw 1.5" : "points pt 7 ps 0.5",
                           {},
                           {}};
  for (int pull = 1; pull <= kPulls; ++pull) {
    Settings settings{.file = argv[rest]};
    settings.seed = static_cast<std::uint64_t>(pull);
    for (int b = 0; b < 2; ++b)
      settings.set.emplace_back(std::string(kBodies[b]) + "_friction", std::to_string(kSet[b]));
    Scene scene = load_scene(settings);
    const double h = scene.spec().step;
    const std::array<Log, 2> logs = measure(std::move(scene));
    std::printf("%4d", pull);
    for (int b = 0; b < 2; ++b) {
      const Friction mu = identify(logs[b], h);
      std::printf(" | %7.3f %8.3f %9.5f %9.5f ", mu.force, mu.press, mu.breaking, mu.sliding);
      mean[b].breaking += mu.breaking / kPulls, mean[b].sliding += mu.sliding / kPulls;
      for (int way = 0; way < 2; ++way) {
        dots[2 * b + way].x.push_back(pull);
        dots[2 * b + way].y.push_back((way ? mu.sliding : mu.breaking) / kSet[b]);
      }
    }
    std::printf("\n");
    if (pull > 5) continue;
    Curve curve{"pull " + std::to_string(pull), "lines lw 1.5", {}, {}};
    for (std::size_t k = 0; k < logs[0].time.size(); k += 10)
      curve.x.push_back(logs[0].time[k]), curve.y.push_back(logs[0].pull[k]);
    forces.curves.push_back(curve);
  }
  int failures = 0;
  for (int b = 0; b < 2; ++b) {
    for (const double value : {mean[b].breaking, mean[b].sliding})
      failures += !(std::abs(value - kSet[b]) <= kTolerance * kSet[b]);
    std::printf("%s: set %g; mean of %d pulls: %.5f breaking away, %.5f sliding\n", kBodies[b],
                kSet[b], kPulls, mean[b].breaking, mean[b].sliding);
  }
  if (!check || argc > rest + 1) {
    const std::string folder = argc > rest + 1 ? argv[rest + 1] : "dynamometer";
    for (const Curve& curve : dots) found.curves.push_back(curve);
    const bool drawn = write_figure(folder, forces) && write_figure(folder, found);
    std::printf("2 figures in %s: CSV%s\n", folder.c_str(),
                drawn ? " and SVG" : "; pictures need gnuplot");
  }
  if (failures > 0) std::printf("%d means are off by more than %g\n", failures, kTolerance);
  return failures > 0 ? 1 : 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
