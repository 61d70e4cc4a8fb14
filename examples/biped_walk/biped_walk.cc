// The walking biped of paper R: five steps under the paper's contact law and under the exact one,
// figures 11 to 14, false impacts counted (rows R17, R24 to R28).
//
//   biped_walk [--check] scenes/biped_r_walk.yaml [FOLDER]
//   biped_walk --reference models/biped.urdf > scenes/biped_r_walk.csv
//
// Writes CSV files, and SVG and PNG pictures where gnuplot is installed, to FOLDER (default
// biped_walk) and prints what was found beside what the paper says. With --check, nothing is drawn
// unless a FOLDER is given, and the exit code says whether all is as it should be. --reference
// prints the gait that the scene plays.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>

#include "stance/control/walk.h"
#include "stance/io/trajectory_csv.h"
#include "stance/io/urdf.h"

#include "figures.h"
#include "walk_run.h"

using namespace stance;

namespace {

int failures = 0;

void print_row(const char* what, const char* paper, const double (&found)[3], const char* format,
               bool fine) {
  std::printf("%-52s %-12s", what, paper);
  for (const double value : found) {
    std::printf("  ");
    std::printf(format, value);
  }
  std::printf("%s\n", fine ? "" : "  WRONG");
  failures += !fine;
}

void print_numbers(const WalkRun (&runs)[3]) {
  const auto &plain = runs[0], &wanted = runs[1], &exact = runs[2];
  const auto all = [&](auto holds) { return holds(plain) && holds(wanted) && holds(exact); };
  const auto row = [&](auto value) {
    return std::vector<double>{double(value(plain)), double(value(wanted)), double(value(exact))};
  };
  const auto print = [&](const char* what, const char* paper, const std::vector<double>& v,
                         const char* format, bool fine) {
    print_row(what, paper, {v[0], v[1], v[2]}, format, fine);
  };
  std::printf("%-52s %-12s  %10s  %10s  %10s\n", "rows of docs/papers.md", "paper", "fbl",
              "fbl 0.1 mm", "exact");
  print("R24 steps", "5", row([](const WalkRun& r) { return r.steps; }), "%10.0f",
        all([](const WalkRun& r) { return r.steps == 5 && !r.fell; }));
  print("R25 highest corner (m)", "below 0.1", row([](const WalkRun& r) { return r.highest; }),
        "%10.4f", all([](const WalkRun& r) { return r.highest > 0.05 && r.highest < 0.1; }));
  print("R26 stance foot, lowest corner (mm)", "-0.2",
        row([](const WalkRun& r) { return 1e3 * r.low; }), "%10.4f",
        all([](const WalkRun& r) { return r.low > -2e-4; }));
  print("R26 stance foot, highest corner (mm)", "0.2",
        row([](const WalkRun& r) { return 1e3 * r.high; }), "%10.4f",
        all([](const WalkRun& r) { return r.high < 2e-4; }));
  print("R28 false impacts, foot that stands alone", "many, none",
        row([](const WalkRun& r) { return r.false_impacts; }), "%10.0f",
        plain.false_impacts >= 10 && 10 * wanted.false_impacts <= plain.false_impacts);
  print("    feet that stand flat, 20 ms off both ends", "",
        row([](const WalkRun& r) { return r.false_impacts_flat; }), "%10.0f",
        10 * wanted.false_impacts_flat <= plain.false_impacts_flat);
  print("    all corners of such a foot at once", "",
        row([](const WalkRun& r) { return r.foot_breaks; }), "%10.0f",
        plain.foot_breaks > 0 && wanted.foot_breaks == 0 && exact.foot_breaks == 0);
  print("    with landing and taking off", "",
        row([](const WalkRun& r) { return r.false_impacts_all; }), "%10.0f", true);
  print("    deepest penetration (mm)", "",
        row([](const WalkRun& r) { return 1e3 * r.worst_penetration; }), "%10.4f",
        exact.worst_penetration < 1e-5);
  print("    slip over the walk (mm)", "", row([](const WalkRun& r) { return 1e3 * r.slip; }),
        "%10.4f", exact.slip < 1e-4);
  print("    mean vertical force / weight", "",
        row([](const WalkRun& r) { return r.mean_force / r.weight; }), "%10.6f",
        all([](const WalkRun& r) { return std::abs(r.mean_force / r.weight - 1.0) < 1e-3; }));
}

int print_reference(const char* urdf) {
  const control::Walk walk =
      control::make_walk(io::load_urdf(urdf, {}).model, control::WalkPlan({}));
  std::fputs(io::print_joint_table({walk.joints, walk.times, walk.targets}).c_str(), stdout);
  return 0;
}

int run(const char* scene, const char* folder) {
  WalkRun runs[3] = {run_walk(scene, contact::ContactLaw::kPenaltyFbl, "0"),
                     run_walk(scene, contact::ContactLaw::kPenaltyFbl, "1e-4"),
                     run_walk(scene, contact::ContactLaw::kExact, "0")};
  runs[0].name = "fbl", runs[0].title = "law of the paper, k_p = 500, k_v = 250";
  runs[1].name = "fbl_wanted", runs[1].title = "law of the paper, wanted penetration 0.1 mm";
  runs[2].name = "exact", runs[2].title = "exact law";
  print_numbers(runs);
  if (folder != nullptr) {
    for (const WalkRun& done : runs) write_run(folder, done);
    const bool drawn =
        write_figure(folder, "figure11_heights",
                     "Heights of the feet's corners over five steps (figure 11)", Shown::kBothFeet,
                     runs[0], runs[2]) &&
        write_figure(folder, "figure12_stance",
                     "Right foot around the ground after its first impact (figure 12)",
                     Shown::kStance, runs[0], runs[2]) &&
        write_figure(
            folder, "figure13_forces",
            "Normal forces on the right foot, no wanted penetration: false impacts (figure 13)",
            Shown::kForces, runs[0], runs[2]) &&
        write_figure(folder, "figure14_forces_wanted",
                     "Normal forces on the right foot, wanted penetration 0.1 mm (figure 14)",
                     Shown::kForces, runs[1], runs[2]);
    std::printf("\n4 figures in %s: CSV%s\n", folder,
                drawn ? ", SVG and PNG" : "; pictures need gnuplot");
  }
  if (failures > 0) std::printf("%d numbers are not as they should be\n", failures);
  return failures > 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 3 && std::strcmp(argv[1], "--reference") == 0) return print_reference(argv[2]);
    const bool check = argc > 1 && std::strcmp(argv[1], "--check") == 0;
    const int rest = check ? 2 : 1;
    if (argc <= rest || argc > rest + 2 || argv[rest][0] == '-') {
      std::fprintf(stderr,
                   "usage: biped_walk [--check] biped_r_walk.yaml [FOLDER]\n"
                   "       biped_walk --reference biped.urdf\n");
      return 2;
    }
    return run(argv[rest], argc > rest + 1 ? argv[rest + 1] : check ? nullptr : "biped_walk");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "biped_walk: %s\n", error.what());
    return 1;
  }
}
