#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "stance/cli/app.h"
#include "stance/cli/commands.h"
#include "stance/cli/terminal.h"

namespace stance::cli {
namespace {

constexpr const char* kAbout = "Measure the speed of the algorithms, beside other engines";
constexpr const char* kHelp =
    "Usage: stance bench NAME [OPTIONS]\n\n"
    "Measures the speed of the algorithms, beside other engines where they are installed. The\n"
    "benchmarks are a program of their own, stance-bench, which ./stance builds when asked for.\n\n"
    "Examples:\n"
    "  ./stance bench dynamics\n"
    "  ./stance bench delassus --json\n";

}  // namespace

void add_bench(CLI::App& app) { app.add_subcommand("bench", kAbout); }

int run_bench(int argc, char** argv) {
  // the program lies beside this one
  std::error_code code;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", code);
  const std::string program = (self.parent_path() / "stance-bench").string();

  std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
  bool asks_help = argc == 0;
  for (int k = 0; k < argc; ++k) {
    arguments.push_back(argv[k]);
    asks_help =
        asks_help || std::string_view(argv[k]) == "--help" || std::string_view(argv[k]) == "-h";
  }
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());

  // still here: there is no such program
  if (asks_help) {
    fmt::print("{}", kHelp);
    return kExitOk;
  }
  const Style style = find_style(stderr);
  fmt::print(stderr,
             "{}stance:{} the benchmarks are not built (there is no {}); ./stance bench, in "
             "the repository, builds them and runs them\n",
             style.red, style.plain, program);
  return kExitBadInput;
}

}  // namespace stance::cli
