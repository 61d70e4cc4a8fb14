#include <CLI/CLI.hpp>

#include "stance/cli/commands.h"
namespace stance::cli {
void add_plot(CLI::App&, int&) {}
}  // namespace stance::cli
