#include "stance/cli/app.h"

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "stance/cli/commands.h"
#include "stance/cli/terminal.h"
#include "stance/cli/version.h"
#include "stance/kernel/error.h"
#include "stance/kernel/names.h"

namespace stance::cli {
namespace {

constexpr const char* kFooter =
    "\nExamples:\n"
    "  stance                               look at the humanoid in a browser\n"
    "  stance view scenes/stack.yaml        look at a scene, or a robot on a floor\n"
    "  stance info models/humanoid.urdf     what a robot consists of\n"
    "  stance check my_robot.urdf           what is wrong with a description\n"
    "  stance run scenes/stack.yaml         simulate a scene, or a robot on a floor\n"
    "  stance plot log.h5 --channel com     draw what --out recorded\n"
    "  stance solve problem.hdf5            impulses of a contact problem\n"
    "  stance COMMAND --help                help for one command\n";

void complain(const std::string& what) {
  const Style style = find_style(stderr);
  fmt::print(stderr, "{}stance:{} {}\n", style.red, style.plain, what);
}

// Commands are the first word; anything else there is a slip of the finger.
int refuse_unknown_command(const CLI::App& app, std::string_view word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view nearest = kernel::find_nearest_name(word, candidates);
  complain(fmt::format("there is no command '{}'{}; there are {} (stance --help)", word,
                       nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest),
                       fmt::join(names, ", ")));
  return kExitBadUsage;
}

bool is_command(const CLI::App& app, std::string_view word) {
  for (const CLI::App* command : app.get_subcommands(nullptr))
    if (command->get_name() == word) return true;
  return false;
}

int parse_and_run(CLI::App& app, int argc, char** argv, const int& status) {
  std::string_view first = argc > 1 ? argv[1] : "";
  // without a word: the main thing
  char view[] = "view";
  char* alone[] = {argv[0], view, nullptr};
  if (argc <= 1) argc = 2, argv = alone, first = view;
  if (first == "bench") return run_bench(argc - 2, argv + 2);
  if (!first.empty() && !first.starts_with('-') && !is_command(app, first))
    return refuse_unknown_command(app, first);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    complain(fmt::format("{} (stance {}{}--help)", error.what(),
                         chosen.empty() ? "" : chosen.front()->get_name(),
                         chosen.empty() ? "" : " "));
    return kExitBadUsage;
  }
  return status;
}

}  // namespace

int run(int argc, char** argv) {
  try {
    int status = kExitOk;
    CLI::App app("Simulates robots in contact.", "stance");
    app.set_version_flag("--version", fmt::format("stance {}", version_text()));
    app.set_help_flag("-h,--help", "Print this text and exit");
    app.require_subcommand(0, 1);
    app.footer(kFooter);
    add_view(app, status);
    add_info(app, status);
    add_check(app, status);
    add_run(app, status);
    add_replay(app, status);
    add_plot(app, status);
    add_solve(app, status);
    add_device_emulator(app, status);
    add_bench(app);
    return parse_and_run(app, argc, argv, status);
  } catch (const Error& error) {
    complain(error.what());
  } catch (const std::exception& error) {
    complain(
        fmt::format("something went wrong that should not have: {}; please report it with the "
                    "file that you used",
                    error.what()));
  }
  return kExitBadInput;
}

}  // namespace stance::cli
