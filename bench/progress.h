#pragma once

#include <chrono>
#include <string>

namespace stance::bench {

// A line that says how far a long work has come. It shows on a terminal only, on stderr, and is
// wiped out at the end.
class Progress {
 public:
  Progress(std::string label, long steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance();  // one step more; draws at most ten times a second

 private:
  std::string label_;
  long steps_, done_ = 0;
  bool shown_;
  std::chrono::steady_clock::time_point last_ = {};
};

}  // namespace stance::bench
