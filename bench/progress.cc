#include "progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace stance::bench {

Progress::Progress(std::string label, long steps)
    : label_(std::move(label)), steps_(steps), shown_(!label_.empty() && isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (!shown_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void Progress::advance() {
  ++done_;
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  fmt::print(stderr, "\r\033[K{} {:3} %", label_, 100 * done_ / steps_);
  std::fflush(stderr);
}

}  // namespace stance::bench
