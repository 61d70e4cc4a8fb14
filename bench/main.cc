// stance-bench: what `stance bench` runs.

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "stance/cli/app.h"
#include "stance/cli/terminal.h"
#include "stance/kernel/error.h"
#include "stance/kernel/names.h"

#include "options.h"

namespace {

using stance::bench::Options;

using stance::cli::kExitBadInput;
using stance::cli::kExitBadUsage;
using stance::cli::kExitOk;

struct Bench {
  const char* name;
  const char* about;
  void (*run)(const Options&);
};
constexpr Bench kBenches[] = {
    {"dynamics", "Kinematics, RNEA, CRBA, ABA and the inverse inertia, beside other engines",
     stance::bench::run_dynamics},
    {"delassus", "Five ways to the inverse inertia at the contacts: times and operation counts",
     stance::bench::run_delassus},
    {"chain", "How the cost grows along chains of 1 to 1000 links", stance::bench::run_chain},
    {"solvers", "Contact problems: our solver, Siconos' solvers and a faceted LCP",
     stance::bench::run_solvers},
    {"contact", "Steps of scenes in contact: robots, stacks and piles, beside MuJoCo and Bullet",
     stance::bench::run_contact},
    {"groups", "What collision groups are worth: 1 to 30 cubes on a floor",
     stance::bench::run_groups},
    {"order", "Errors of motions with a known answer, and how they fall with the step",
     stance::bench::run_order},
    {"pulled", "A humanoid with a beam while people pull: what converges, how long steps take",
     stance::bench::run_pulled},
    {"recording", "What recording costs: steps of our humanoid with and without",
     stance::bench::run_recording},
    {"realtime", "How late the steps of a live simulation begin, with a device and viewers",
     stance::bench::run_realtime},
};

constexpr const char* kFooter =
    "\nExamples:\n"
    "  stance bench dynamics                             our humanoid on its two feet\n"
    "  stance bench dynamics --robot my_robot.urdf       another robot, contacts picked for you\n"
    "  stance bench dynamics --robot my_robot.urdf --contacts foot:0.1,0,-0.1 foot:-0.1,0,-0.1\n"
    "  stance bench delassus --plot methods.svg          with a figure, by gnuplot\n"
    "  stance bench chain --json                         figures for a script\n"
    "  stance bench solvers --problems a.dat b.hdf5      contact problems of your own\n"
    "  stance bench contact --scenes standing stack-10   whole steps, beside MuJoCo and Bullet\n"
    "  stance bench groups --plot groups.svg             one group against many\n"
    "  stance bench pulled --repeats 20                  twenty people pull at its beam\n";

void complain(const std::string& what) {
  const stance::cli::Style style = stance::cli::find_style(stderr);
  fmt::print(stderr, "{}stance bench:{} {}\n", style.red, style.plain, what);
}

int refuse_unknown(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Bench& bench : kBenches) names.push_back(bench.name);
  names.push_back("list");
  const std::string_view nearest = stance::kernel::find_nearest_name(word, names);
  complain(fmt::format("there is no bench '{}'{}; there are {} (stance bench --help)", word,
                       nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest),
                       fmt::join(names, ", ")));
  return kExitBadUsage;
}

void add_options(CLI::App& command, Options& options, bool has_robot, bool has_peers,
                 bool has_plot) {
  command.add_flag("--json", options.json, "Print figures for scripts");
  command.add_option("--repeats", options.repeats, "Batches per figure; the best one counts")
      ->check(CLI::Range(1, 1000000).description(""))
      ->type_name("N");
  if (has_robot) {
    command.add_option("--robot", options.robot, "A robot description; default our humanoid")
        ->type_name("FILE.urdf");
    command
        .add_option("--contacts", options.contacts,
                    "Points of contact, in metres in the frame of the link; default the corners "
                    "of its feet")
        ->type_name("LINK:x,y,z");
  }
  if (has_peers)
    command.add_flag_callback(
        "--no-peers", [&options] { options.peers = false; }, "Leave the other engines out");
  if (has_plot)
    command.add_option("--plot", options.plot, "Draw a figure with gnuplot")->type_name("FILE.svg");
}

void add_solver_options(CLI::App& command, Options& options) {
  command
      .add_option("--problems", options.problems,
                  "Contact problems; default the public ones where they are, and some heaps")
      ->type_name("FILE|FOLDER");
  command.add_option("--tol", options.tolerance, "Residual to reach")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.footer(
      "\nEvery answer is graded by our own residual; a solver that does not reach it counts as "
      "failed.\n\n"
      "Examples:\n"
      "  stance bench solvers\n"
      "  stance bench solvers --problems my_folder --tol 1e-6 --plot solvers.svg\n"
      "  stance bench solvers --problems Capsules-i100-1090.dat --json\n");
}

void add_contact_options(CLI::App& command, Options& options) {
  command.add_option("--scenes", options.scenes, "Some of the scenes; default all")
      ->type_name("NAME");
  command.footer(
      "\nScenes: standing, carrying (humanoid; -dry with dry joint friction), cubes-10, cubes-100, "
      "cubes-300, stack-10, "
      "pile-100, "
      "pile-300,\nsettled-100, settled-210, points-8 (the contact problem alone). All of them take "
      "some minutes.\n\n"
      "Examples:\n"
      "  stance bench contact\n"
      "  stance bench contact --scenes standing cubes-100 --repeats 200\n"
      "  stance bench contact --no-peers --json\n"
      "  stance bench contact --plot contact.svg\n");
}

void add_groups_options(CLI::App& command) {
  command.footer(
      "\nThe cubes as one problem with its whole matrix, as a problem per cube, and as we do it, "
      "apart and\non one slab. Exponents over 8 to 30 cubes.\n\n"
      "Examples:\n"
      "  stance bench groups --plot groups.svg\n"
      "  stance bench groups --json\n");
}

void add_realtime_options(CLI::App& command, Options& options) {
  command.set_help_flag("-h,--help", "Print this text and exit");
  command.add_flag("--json", options.json, "Print figures for scripts");
  command.add_option("--seconds", options.seconds, "How long to look on")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
  command.footer(
      "\nServes the humanoid to four viewers of its own, one of whom pulls at a hand, with an "
      "emulated haptic\ndevice. A quiet machine shows the program's own share.\n\n"
      "Examples:\n"
      "  stance bench realtime\n"
      "  stance bench realtime --seconds 10 --json\n");
}

void add_order_options(CLI::App& command, Options& options) {
  command.set_help_flag("-h,--help", "Print this text and exit");
  command.add_flag("--json", options.json, "Print figures for scripts");
  command.footer(
      "\nRuns at the default accuracy, with steps of 2, 1, 0.5 and 0.25 ms. Takes half a "
      "minute.\n\n"
      "Examples:\n"
      "  stance bench order\n"
      "  stance bench order --json\n");
}

void print_list() {
  std::vector<std::vector<std::string>> rows = {{"name", "what"}};
  for (const Bench& bench : kBenches) rows.push_back({bench.name, bench.about});
  fmt::print("{}", stance::cli::format_table(rows, 2, stance::cli::find_style(stdout)));
}

bool is_known(const CLI::App& app, std::string_view word) {
  for (const CLI::App* command : app.get_subcommands(nullptr))
    if (command->get_name() == word) return true;
  return false;
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Measures the speed of the algorithms, beside other engines where installed.",
               "stance bench");
  app.set_help_flag("-h,--help", "Print this text and exit");
  app.require_subcommand(0, 1);
  app.footer(kFooter);
  for (const Bench& bench : kBenches) {
    CLI::App* command = app.add_subcommand(bench.name, bench.about);
    const std::string_view name = bench.name;
    if (name == "realtime") {
      add_realtime_options(*command, options);
      command->callback([&options, &bench] { bench.run(options); });
      continue;
    }
    if (name == "order") {
      add_order_options(*command, options);
      command->callback([&options, &bench] { bench.run(options); });
      continue;
    }
    const bool has_robot = name == "dynamics" || name == "delassus";
    const bool has_peers =
        name != "chain" && name != "groups" && name != "recording" && name != "pulled";
    add_options(*command, options, has_robot, has_peers,
                name != "dynamics" && name != "recording" && name != "pulled");
    if (name == "solvers") add_solver_options(*command, options);
    if (name == "contact") add_contact_options(*command, options);
    if (name == "groups") add_groups_options(*command);
    command->callback([&options, &bench] { bench.run(options); });
  }
  app.add_subcommand("list", "Names of the benches")->callback(print_list);

  const std::string_view first = argc > 1 ? argv[1] : "";
  if (!first.empty() && !first.starts_with('-') && !is_known(app, first))
    return refuse_unknown(first);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help
    app.exit(asked);
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    complain(fmt::format("{} (stance bench {}{}--help)", error.what(),
                         chosen.empty() ? "" : chosen.front()->get_name(),
                         chosen.empty() ? "" : " "));
    return kExitBadUsage;
  }
  if (app.get_subcommands().empty()) fmt::print("{}", app.help());
  return kExitOk;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const stance::Error& error) {
    complain(error.what());
  } catch (const std::exception& error) {
    complain(fmt::format("something went wrong that should not have: {}", error.what()));
  }
  return kExitBadInput;
}
