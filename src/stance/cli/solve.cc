#include "stance/solver/solve.h"

#include <chrono>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/cli/app.h"
#include "stance/cli/arguments.h"
#include "stance/cli/commands.h"
#include "stance/cli/terminal.h"
#include "stance/io/contact_problem.h"
#include "stance/kernel/error.h"
#include "stance/solver/faceted.h"

namespace stance::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

struct Options {
  std::string file, law = "exact", out;
  double tolerance = 1e-8;
  double max_seconds = 60.0;
  int facets = 8;
  bool json = false;
};

struct Deadline {
  Clock::time_point end;
  static bool is_over(void* deadline) {
    return Clock::now() >= static_cast<Deadline*>(deadline)->end;
  }
};

// What is printed, whatever solved it.
struct Outcome {
  solver::ContactSolution solution;
  solver::Residual residual;
  int iterations = 0;
  bool is_converged = false;
  double law_residual = 0.0;  // of the law's own equations; `residual` is of the exact law
  std::string method;
  double seconds = 0.0;
  std::optional<solver::SolveStatistics> statistics{};  // of the exact law
};

Outcome solve_problem(const solver::ContactProblem& problem, const Options& options) {
  Outcome outcome;
  outcome.solution.p.resize(problem.num_blocks());
  outcome.solution.u.resize(problem.num_blocks());
  const Clock::time_point start = Clock::now();
  Deadline deadline{start + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(options.max_seconds))};
  if (options.law == "lcp") {
    solver::FacetedOptions faceted;
    faceted.facets = options.facets;
    faceted.should_stop = Deadline::is_over;
    faceted.stop_argument = &deadline;
    const solver::FacetedStatus status = solve_faceted(problem, faceted, outcome.solution.p);
    outcome.iterations = status.pivots;
    outcome.is_converged = status.is_solved && status.residual <= options.tolerance;
    outcome.law_residual = status.residual;
    outcome.method = fmt::format("lemke, {} facets", options.facets);
  } else {
    solver::SolveOptions exact;
    exact.tolerance = options.tolerance;
    exact.max_sweeps = 1'000'000'000;  // time decides
    exact.should_stop = Deadline::is_over;
    exact.stop_argument = &deadline;
    solver::Solver work;
    const solver::SolveStatus status = work.solve(problem, exact, outcome.solution.p);
    outcome.iterations = status.sweeps + status.newton_steps;
    outcome.is_converged = status.is_converged;
    outcome.method = solve_method_name(status.method);
    outcome.statistics = status;
  }
  outcome.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  calc_velocities(problem, outcome.solution.p, outcome.solution.u);
  outcome.residual = calc_residual(problem, outcome.solution.p);
  if (options.law != "lcp") outcome.law_residual = outcome.residual.relative;
  return outcome;
}

// Blocks that give way.
int count_soft(const solver::ContactProblem& problem) {
  int count = 0;
  for (int i = 0; i < problem.num_blocks(); ++i) count += problem.C.has(i);
  return count;
}

void print_json(const solver::ContactProblem& problem, const Outcome& outcome) {
  nlohmann::ordered_json result;
  result["contacts"] = problem.num_blocks();
  result["residual"] = outcome.residual.relative;
  result["law_residual"] = outcome.law_residual;
  result["iterations"] = outcome.iterations;
  result["seconds"] = outcome.seconds;
  result["converged"] = outcome.is_converged;
  result["method"] = outcome.method;
  result["penetration_speed"] = outcome.residual.penetration_speed;
  result["cone_violation"] = outcome.residual.cone_violation;
  result["complementarity"] = outcome.residual.complementarity;
  result["dissipation"] = outcome.residual.dissipation;
  if (const auto& took = outcome.statistics)
    result["statistics"] = {{"sweeps", took->sweeps},
                            {"newton_tries", took->newton_tries},
                            {"newton_steps", took->newton_steps},
                            {"grades", took->grades},
                            {"proposals", took->proposals},
                            {"taken_back", took->taken_back},
                            {"restarts", took->restarts},
                            {"relaxed_sweeps", took->relaxed_sweeps}};
  if (const int soft = count_soft(problem); soft > 0) result["compliant"] = soft;
  fmt::print("{}\n", result.dump());
}

void print_text(const solver::ContactProblem& problem, const Options& options,
                const Outcome& outcome) {
  const Style style = find_style(stdout);
  int open = 0, sliding = 0, contacts = 0;
  for (int i = 0; i < problem.num_blocks(); ++i) {
    if (problem.blocks[i].law != solver::Law::kContact) continue;
    const kernel::Vec3d& p = outcome.solution.p[i];
    ++contacts;
    open += p[0] == 0.0;
    sliding += p[0] > 0.0 && std::hypot(p[1], p[2]) > (1.0 - 1e-6) * problem.blocks[i].mu * p[0];
  }
  fmt::print("{}{}{}: {} contacts, {} other constraints, {} blocks of W\n", style.bold,
             options.file, style.plain, contacts, problem.num_blocks() - contacts,
             problem.W.block.size());
  if (const int soft = count_soft(problem); soft > 0)
    fmt::print("  {} of the blocks give way\n", soft);
  if (outcome.is_converged)
    fmt::print("  solved in {:.3g} ms, {} iterations ({})\n", 1e3 * outcome.seconds,
               outcome.iterations, outcome.method);
  else
    fmt::print("  {}not solved{} to {:g} after {:.3g} s and {} iterations ({})\n", style.red,
               style.plain, options.tolerance, outcome.seconds, outcome.iterations, outcome.method);
  fmt::print("  {} open, {} sliding, {} sticking\n", open, sliding, contacts - open - sliding);
  fmt::print("  residual {:.2e} (natural map over the largest of |q|, |p|, |u|)\n",
             outcome.residual.relative);
  if (options.law == "lcp")
    fmt::print(
        "  residual {:.2e} of the pyramids' own problem (|min(z, w)| over the largest of |q|, "
        "|z|, |w|)\n",
        outcome.law_residual);
  fmt::print(
      "  worst penetration speed {:.1e} m/s, cone violation {:.1e} N s, complementarity "
      "{:.1e} J, dissipation {:.1e} J\n",
      outcome.residual.penetration_speed, outcome.residual.cone_violation,
      outcome.residual.complementarity, outcome.residual.dissipation);
}

int run_solve(const Options& options) {
  const solver::ContactProblem problem = io::read_contact_problem(options.file);
  if (!options.out.empty()) check_target(options.out, Target::kFileOrDevice);
  const Outcome outcome = solve_problem(problem, options);
  if (!options.out.empty()) io::write_contact_solution(outcome.solution, options.out);
  options.json ? print_json(problem, outcome) : print_text(problem, options, outcome);
  return outcome.is_converged ? kExitOk : kExitUnsolved;
}

}  // namespace

void add_solve(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("solve", "Solve a contact problem from a file");
  command->add_option("file", options->file, "Siconos .dat or FCLIB .hdf5")
      ->required()
      ->type_name("FILE");
  command->add_option("--law", options->law, "exact: Coulomb's cones; lcp: faceted cones, by Lemke")
      ->check(CLI::IsMember({"exact", "lcp"}))
      ->capture_default_str();
  command->add_option("--tol", options->tolerance, "Residual of the law's own equations to reach")
      ->check(number_above(0.0, kUnbounded))
      ->capture_default_str();
  command->add_option("--facets", options->facets, "Facets of a cone (lcp)")
      ->check(whole_number_in(4, 64))
      ->capture_default_str();
  command
      ->add_option("--max-seconds", options->max_seconds,
                   "Stop after this time with the current answer")
      ->check(number_above(0.0, kUnbounded))
      ->capture_default_str();
  command->add_option("--out", options->out, "Write impulses and velocities, N T1 T2 per contact")
      ->check(not_empty())
      ->type_name("FILE.txt|FILE.hdf5");
  command->add_flag("--json", options->json, "Print one JSON object instead of text");
  command->footer(
      "\nReads local and global problems, with rolling friction, too; what it does not know it "
      "refuses.\n"
      "A separate function grades the answer. The exit code is 0 only when the problem is "
      "solved.\n\n"
      "Examples:\n"
      "  stance solve Capsules-i100-1090.dat\n"
      "  stance solve Box_Stacks.hdf5 --tol 1e-10 --out answer.txt\n"
      "  stance solve NESpheres_10_1.dat --law lcp --facets 16 --json\n");
  command->callback([options, &status] { status = run_solve(*options); });
}

}  // namespace stance::cli
