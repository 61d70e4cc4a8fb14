#pragma once

// What the user asked for, and the benches there are.

#include <string>
#include <vector>

namespace stance::bench {

struct Options {
  bool json = false;
  std::string robot = {};  // URDF file; empty for our humanoid
  std::vector<std::string> contacts = {};
  int repeats = 0;  // 0: what the bench thinks fit
  bool peers = true;
  std::string plot = {};                   // SVG file
  std::vector<std::string> problems = {};  // contact problems: files and folders
  double tolerance = 1e-8;                 // residual to reach
  std::vector<std::string> scenes = {};    // of bench contact; empty for all
  double seconds = 60.0;                   // of bench realtime
};

// Each measures, prints on stdout and throws stance::Error on bad input.
void run_dynamics(const Options& options);   // dynamics/dynamics_bench.cc
void run_delassus(const Options& options);   // dynamics/delassus_bench.cc
void run_chain(const Options& options);      // dynamics/chain_bench.cc
void run_solvers(const Options& options);    // solver/solver_bench.cc
void run_contact(const Options& options);    // contact/contact_bench.cc
void run_groups(const Options& options);     // contact/groups_bench.cc
void run_pulled(const Options& options);     // contact/pulled_bench.cc
void run_recording(const Options& options);  // io/recording_bench.cc
void run_order(const Options& options);      // sim/order_bench.cc
void run_realtime(const Options& options);   // view/realtime_bench.cc

}  // namespace stance::bench
