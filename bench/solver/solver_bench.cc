// `stance bench solvers`: contact problems by our solver, by Siconos' and by a faceted LCP, every
// answer graded by our residual.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stance/cli/terminal.h"
#include "stance/io/contact_problem.h"
#include "stance/kernel/error.h"
#include "stance/solver/faceted.h"
#include "stance/solver/solve.h"

#include "heap_counter.h"
#include "machine.h"
#include "measure.h"
#include "options.h"
#include "plot.h"
#include "progress.h"
#include "record.h"
#include "solver/bench_problems.h"
#include "solver/siconos_trial.h"

namespace stance::bench {
namespace {

using Clock = std::chrono::steady_clock;
using solver::ContactProblem;
using solver::Vec3d;

constexpr int kMostRepeats = 200, kFewestRepeats = 3;
constexpr double kTimePerProblem = 6.0;  // s, for measuring what the trials found
constexpr double kLimit = 10.0;          // s, for one solve
constexpr double kFarBehind = 10.0;      // times the best: a trial's time will do
constexpr double kRival = 1.5;           // times the best peer: a trial may have been unlucky
constexpr double kQuick = 1000.0;        // us: as cheap to time as the best
constexpr double kShort = 0.5;           // s
constexpr int kMostLemkeContacts = 60;   // beyond, the dictionary no longer fits the caches
constexpr int kFacets = 8;

struct Deadline {
  Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(kLimit));
  static bool is_over(void* deadline) {
    return Clock::now() >= static_cast<Deadline*>(deadline)->end;
  }
};

// What one way to solve came to.
struct Outcome {
  bool was_tried = false;
  bool is_solved = false;
  double us = 0.0;
  double residual = 0.0;
  int sweeps = 0, newton_steps = 0;  // pivots of Lemke's method count as sweeps
};

struct Line {
  std::string name;
  int contacts = 0;
  Outcome ours, plain, lcp;
  std::vector<SiconosTrial> siconos;  // without those that could not take the problem
  long long heap_calls = 0;

  // The fastest that reached the tolerance, or nothing.
  const SiconosTrial* find_best() const {
    const SiconosTrial* best = nullptr;
    for (const SiconosTrial& trial : siconos)
      if (trial.is_solved && (!best || trial.us < best->us)) best = &trial;
    return best;
  }

  std::optional<double> calc_ratio() const {
    const SiconosTrial* best = find_best();
    if (!best || !ours.is_solved) return std::nullopt;
    return ours.us / best->us;
  }
};

double calc_seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

// The three ways of our own, from zero; the work space is kept from one call to the next.
class OwnSolvers {
 public:
  OwnSolvers(const ContactProblem& problem, double tolerance)
      : problem_(problem), p_(problem.num_blocks()) {
    exact_.tolerance = plain_.tolerance = tolerance;
    exact_.max_sweeps = plain_.max_sweeps = 1'000'000'000;  // time decides
    plain_.accelerate = plain_.use_newton = false;
  }

  void run_exact() { last_ = run(exact_solver_, exact_); }
  void run_plain() { last_ = run(plain_solver_, plain_); }
  bool run_lcp() {
    solver::FacetedOptions options;
    options.facets = kFacets;
    Deadline deadline;
    options.should_stop = Deadline::is_over;
    options.stop_argument = &deadline;
    const solver::FacetedStatus status = solve_faceted(problem_, options, p_);
    last_ = {};
    last_.sweeps = status.pivots;
    return status.is_solved;
  }

  Outcome try_exact() { return try_sweeps(exact_solver_, exact_); }
  Outcome try_plain() { return try_sweeps(plain_solver_, plain_); }
  Outcome try_lcp() {
    Outcome outcome;
    if (problem_.num_blocks() > kMostLemkeContacts) return outcome;
    time_twice(outcome, [&] { outcome.is_solved = run_lcp(); });
    return finish(outcome);
  }

 private:
  solver::SolveStatus run(solver::Solver& work, const solver::SolveOptions& options) {
    std::fill(p_.begin(), p_.end(), Vec3d());
    return work.solve(problem_, options, p_);
  }

  // The second time memory is there and warm; long solves do not feel it.
  template <class Call>
  static void time_twice(Outcome& outcome, Call&& call) {
    for (int k = 0; k < 2 && outcome.us < 1e6 * kShort; ++k) {
      const auto start = Clock::now();
      call();
      outcome.us = 1e6 * calc_seconds(start);
    }
  }

  Outcome try_sweeps(solver::Solver& work, solver::SolveOptions options) {
    Deadline deadline;
    options.should_stop = Deadline::is_over;
    options.stop_argument = &deadline;
    Outcome outcome;
    time_twice(outcome, [&] { last_ = run(work, options); });
    outcome.is_solved = last_.is_converged;
    return finish(outcome);
  }

  Outcome finish(Outcome outcome) {
    outcome.was_tried = true;
    outcome.residual = calc_residual(problem_, p_).relative;
    outcome.sweeps = last_.sweeps;
    outcome.newton_steps = last_.newton_steps;
    return outcome;
  }

  const ContactProblem& problem_;
  std::vector<Vec3d> p_;
  solver::Solver exact_solver_, plain_solver_;
  solver::SolveOptions exact_, plain_;
  solver::SolveStatus last_;
};

// A folder that goes with the benchmark.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "stance_bench_XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw Error("cannot make a temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

bool is_all_contacts(const ContactProblem& problem) {
  return std::all_of(problem.blocks.begin(), problem.blocks.end(),
                     [](const auto& block) { return block.law == solver::Law::kContact; });
}

// Times again, interleaved, whoever solved the problem and was not far behind in the trials.
void measure_line(OwnSolvers& own, int most_repeats, const std::string& place, Line& line) {
  double best = line.ours.is_solved ? line.ours.us : INFINITY;
  double best_peer = INFINITY;
  for (const SiconosTrial& trial : line.siconos)
    if (trial.is_solved) best_peer = std::min(best_peer, trial.us);
  best = std::min(best, best_peer);

  Comparison comparison;
  struct Subject {
    int number;
    double* us;
  };
  std::vector<Subject> subjects;
  double sum_us = 0.0;
  const auto takes_part = [&](bool is_solved, double us, bool is_rival = false) {
    const bool yes = is_solved && (is_rival || us <= kFarBehind * std::max(best, kQuick));
    if (yes) sum_us += std::max(us, 200.0);
    return yes;
  };
  const auto add_own = [&](const char* name, Outcome& outcome, auto run) {
    if (takes_part(outcome.is_solved, outcome.us))
      subjects.push_back({comparison.add(name, run), &outcome.us});
  };
  add_own("ours", line.ours, [&own] { own.run_exact(); });
  add_own("plain", line.plain, [&own] { own.run_plain(); });
  add_own("lcp", line.lcp, [&own] { own.run_lcp(); });
  for (SiconosTrial& trial : line.siconos) {
    // whoever may be the best of them is timed, however far behind us
    if (!takes_part(trial.is_solved, trial.us, trial.us <= kRival * best_peer)) continue;
    trial.process.set_timeout(600.0);
    comparison.add_process(trial.process.process_id());
    subjects.push_back(
        {comparison.add_remote(trial.solver,
                               [&trial](int calls) { return trial.process.time_us(calls); }),
         &trial.us});
  }

  // a batch is warmed up by about as many calls
  const double repeats = std::floor(1e6 * kTimePerProblem / std::max(2.0 * sum_us, 1.0));
  comparison.measure({static_cast<int>(std::clamp<double>(repeats, kFewestRepeats, most_repeats)),
                      200.0, place + "measuring " + line.name});
  for (const Subject& subject : subjects)
    if (const auto us = comparison.best_us(subject.number)) *subject.us = *us;
}

Line measure_problem(const BenchProblem& problem, const Options& options,
                     const TemporaryFolder& folder, const std::string& place) {
  Line line;
  line.name = problem.name;
  line.contacts = problem.problem.num_blocks();
  OwnSolvers own(problem.problem, options.tolerance);
  line.ours = own.try_exact();
  line.plain = own.try_plain();
  line.lcp = own.try_lcp();
  if (line.ours.is_solved) {
    own.run_exact();  // warm
    line.heap_calls = count_heap_calls([&] { own.run_exact(); });
  }
  if (options.peers && has_siconos() && is_all_contacts(problem.problem)) {
    const std::string file = folder.file("problem.dat");
    io::write_contact_problem(problem.problem, file);
    Progress progress(place + "trying " + line.name, std::size(kSiconosSetups));
    line.siconos = try_siconos(problem.problem, file, options.tolerance, kLimit, progress);
  }
  measure_line(own, options.repeats ? options.repeats : kMostRepeats, place, line);
  for (SiconosTrial& trial : line.siconos) trial.process.stop();
  return line;
}

// ---------------------------------------------------------------------------------------------

std::string format_residual(double residual) { return fmt::format("{:.0e}", residual); }

std::string format_outcome(const Outcome& outcome) {
  if (!outcome.was_tried) return "-";
  return outcome.is_solved ? format_us(outcome.us) : "failed";
}

std::string format_trial(const SiconosTrial& trial) {
  if (trial.is_solved) return format_us(trial.us);
  return trial.residual ? "failed" : "no answer";
}

void print_times(const std::vector<Line>& lines) {
  std::vector<std::vector<std::string>> rows = {
      {"problem", "contacts", "ours", "sweeps", "newton", "residual"}};
  for (const char* solver : kSiconosSolvers) rows[0].push_back(solver);
  rows[0].insert(rows[0].end(), {"best", "ours/best", "heap calls"});
  for (const Line& line : lines) {
    rows.push_back({line.name, std::to_string(line.contacts), format_outcome(line.ours),
                    std::to_string(line.ours.sweeps), std::to_string(line.ours.newton_steps),
                    format_residual(line.ours.residual)});
    for (std::size_t k = 0; k < std::size(kSiconosSolvers); ++k)
      rows.back().push_back(line.siconos.empty() ? "-" : format_trial(line.siconos[k]));
    const SiconosTrial* best = line.find_best();
    rows.back().insert(rows.back().end(),
                       {best ? fmt::format("{} {}", best->solver, best->setup) : "-",
                        format_ratio(line.calc_ratio()), std::to_string(line.heap_calls)});
  }
  fmt::print("{}", cli::format_table(rows, 1, cli::find_style(stdout)));
}

void print_summary(const std::vector<Line>& lines) {
  double sum = 0.0;
  int count = 0, faster = 0;
  for (const Line& line : lines)
    if (const auto ratio = line.calc_ratio()) {
      sum += std::log(*ratio);
      ++count;
      faster += *ratio < 1.0;
    }
  if (count > 0)
    fmt::print(
        "\nFaster than the best of Siconos on {} of {}; geometric mean of the ratios {:.2f}\n",
        faster, count, std::exp(sum / count));
}

void print_residuals(const std::vector<Line>& lines) {
  std::vector<std::vector<std::string>> rows = {{"problem", "ours"}};
  for (const char* solver : kSiconosSolvers) rows[0].push_back(solver);
  rows[0].insert(rows[0].end(), {"plain", "sweeps", "residual", "lcp", "pivots", "residual",
                                 "lcp/ours", "lcp/plain"});
  for (const Line& line : lines) {
    rows.push_back({line.name, format_residual(line.ours.residual)});
    for (std::size_t k = 0; k < std::size(kSiconosSolvers); ++k)
      rows.back().push_back(line.siconos.empty() || !line.siconos[k].residual
                                ? "-"
                                : format_residual(*line.siconos[k].residual));
    rows.back().insert(rows.back().end(),
                       {format_outcome(line.plain), std::to_string(line.plain.sweeps),
                        format_residual(line.plain.residual), format_outcome(line.lcp)});
    const auto over = [&](const Outcome& other) {
      return line.lcp.is_solved && other.is_solved ? fmt::format("{:.1f}", line.lcp.us / other.us)
                                                   : "-";
    };
    if (line.lcp.was_tried)
      rows.back().insert(rows.back().end(),
                         {std::to_string(line.lcp.sweeps), format_residual(line.lcp.residual),
                          over(line.ours), over(line.plain)});
    else
      rows.back().insert(rows.back().end(), {"-", "-", "-", "-"});
  }
  fmt::print("{}", cli::format_table(rows, 1, cli::find_style(stdout)));
}

Json to_json(const Outcome& outcome, const char* counted) {
  if (!outcome.was_tried) return nullptr;
  return {{"us", outcome.us},
          {"residual", outcome.residual},
          {counted, outcome.sweeps},
          {"solved", outcome.is_solved}};
}

Json to_json(const Line& line) {
  Json json = {{"name", line.name},
               {"contacts", line.contacts},
               {"ours_us", line.ours.us},
               {"solved", line.ours.is_solved},
               {"residual", line.ours.residual},
               {"sweeps", line.ours.sweeps},
               {"newton_steps", line.ours.newton_steps},
               {"peers", Json::object()},
               {"peer_residuals", Json::object()},
               {"peer_setups", Json::object()}};
  for (const SiconosTrial& trial : line.siconos) {
    const std::string name = "siconos_" + trial.solver;
    json["peers"][name] = trial.is_solved ? Json(trial.us) : Json();
    json["peer_residuals"][name] = trial.residual ? Json(*trial.residual) : Json();
    json["peer_setups"][name] = trial.setup;
  }
  const SiconosTrial* best = line.find_best();
  json["best_peer"] = best ? Json("siconos_" + best->solver) : Json();
  const std::optional<double> ratio = line.calc_ratio();
  json["ratio_to_best"] = ratio ? Json(*ratio) : Json();
  json["plain"] = to_json(line.plain, "sweeps");
  json["lcp"] = to_json(line.lcp, "pivots");
  json["heap_calls"] = line.heap_calls;
  return json;
}

void plot_lines(const std::vector<Line>& lines, const std::string& file) {
  Figure figure{"Contact problems solved from zero", "contacts, problem", "time (µs)"};
  Curve lcp{fmt::format("LCP of {} facets by Lemke", kFacets), {}}, plain{"plain Gauss-Seidel", {}},
      siconos{"the best of Siconos' solvers", {}}, ours{"ours", {}};
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const Line& line = lines[k];
    const double x = static_cast<double>(k);
    figure.x_names.push_back(fmt::format("{} {}", line.contacts, line.name));
    if (line.lcp.is_solved) lcp.points.emplace_back(x, line.lcp.us);
    if (line.plain.is_solved) plain.points.emplace_back(x, line.plain.us);
    if (const SiconosTrial* best = line.find_best()) siconos.points.emplace_back(x, best->us);
    if (line.ours.is_solved) ours.points.emplace_back(x, line.ours.us);
  }
  for (Curve* curve : {&lcp, &plain, &siconos, &ours})
    if (!curve->points.empty()) figure.curves.push_back(*curve);
  draw_plot(figure, file);
}

}  // namespace

void run_solvers(const Options& options) {
  if (!options.plot.empty()) check_plot(options.plot);
  const std::vector<BenchProblem> problems = load_bench_problems(options.problems);
  const TemporaryFolder folder;
  std::vector<Line> lines;
  for (const BenchProblem& problem : problems) {
    const std::string place = fmt::format("{} of {}: ", lines.size() + 1, problems.size());
    lines.push_back(measure_problem(problem, options, folder, place));
  }

  const std::string note =
      options.peers && !has_siconos()
          ? "without Siconos: built without the Debian package libsiconos-numerics-dev\n"
          : "";
  if (options.json) {
    fmt::print(stderr, "{}", note);
    Json list = Json::array();
    for (const Line& line : lines) list.push_back(to_json(line));
    fmt::print("{}\n", list.dump(2));
  } else {
    fmt::print("{}\n{}", describe_machine(), note);
    fmt::print(
        "\nMicroseconds from zero to a residual of {:g}, the best of many batches; Siconos' "
        "solvers "
        "in\nother processes, each with the storage and options that suit it best\n\n",
        options.tolerance);
    print_times(lines);
    print_summary(lines);
    fmt::print(
        "\nResiduals of all answers, by our own measure; plain Gauss-Seidel; and the cones as "
        "pyramids\nof {} facets, by Lemke's method (up to {} contacts)\n\n",
        kFacets, kMostLemkeContacts);
    print_residuals(lines);
  }
  if (!options.plot.empty()) plot_lines(lines, options.plot);
}

}  // namespace stance::bench
