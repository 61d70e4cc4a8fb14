#pragma once

namespace stance::cli {

// What the program's exit status says.
enum ExitCode : int {
  kExitOk = 0,
  kExitBadInput = 1,   // a file, or something in it, cannot be used
  kExitBadUsage = 2,   // the command line cannot be understood
  kExitUnfit = 3,      // the processor lacks instructions the build needs (main.cc)
  kExitUnsolved = 4,   // a solver did not reach its tolerance, or a simulation lost its numbers
  kExitUnmet = 5,      // a run did not do what its scene expects, or its recording tells
  kExitUntrusted = 6,  // steps did not converge, or contacts were dropped or missed
};

// The whole program: reads the command line, does the work, reports errors on stderr.
int run(int argc, char** argv);

}  // namespace stance::cli
