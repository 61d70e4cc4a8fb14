// Our side of peer_siconos, one solver on one problem. The conversation, line by line:
//
//   problem SOLVER STORAGE TWEAK TOLERANCE FILE      names of siconos_setups.h, a Siconos .dat file
//       solved US ITERATIONS                         one solve, from zero
//   impulses
//       p ..                                         N T1 T2 of every contact
//   time REPEATS
//       us X                                         mean microseconds of one solve from zero
//   quit
//
// Whether an answer is one is for us to say: the peer is not asked for its error.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "peer_pipe.h"
#include "siconos_setups.h"

namespace stance::bench {

class SiconosProcess : public PeerPipe {
 public:
  // Starts the executable and has the problem solved; false when that takes longer than the
  // timeout, or Siconos gives up by ending the process.
  [[nodiscard]] bool start(const std::string& executable, const SiconosSetup& setup,
                           double tolerance, const std::string& file);

  double first_us() const { return first_us_; }
  int iterations() const { return iterations_; }

  // Three per contact.
  std::optional<std::vector<double>> impulses(int num_contacts);

  // Mean microseconds of one solve over a batch.
  std::optional<double> time_us(int repeats);

 private:
  double first_us_ = 0.0;
  int iterations_ = 0;
};

}  // namespace stance::bench
