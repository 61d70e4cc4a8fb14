#pragma once

// The program's commands. Each adds itself to the command line; when chosen it runs and leaves its
// exit code in `status`.

#include <CLI/App.hpp>

namespace stance::cli {

void add_info(CLI::App& app, int& status);
void add_check(CLI::App& app, int& status);
void add_run(CLI::App& app, int& status);
void add_view(CLI::App& app, int& status);
void add_replay(CLI::App& app, int& status);
void add_plot(CLI::App& app, int& status);
void add_solve(CLI::App& app, int& status);
void add_device_emulator(CLI::App& app, int& status);

// `stance bench` belongs to another program, which may not be built; here is only its entry in the
// list. run_bench replaces this process by that program.
void add_bench(CLI::App& app);
int run_bench(int argc, char** argv);

}  // namespace stance::cli
