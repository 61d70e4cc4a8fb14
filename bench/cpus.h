#pragma once

// Which processors a measurement runs on.
//
// A processor may be slow for as long as its neighbour is busy (they share a core, or caches), so a
// process that happens to stay there looks slow. All processes of a comparison therefore sit on one
// processor at a time, and move on together.

#include <sched.h>
#include <sys/types.h>

#include <vector>

namespace stance::bench {

class CpuRotation {
 public:
  explicit CpuRotation(std::vector<pid_t> others);  // this process counts as well
  ~CpuRotation();                                   // all as they were
  CpuRotation(const CpuRotation&) = delete;
  CpuRotation& operator=(const CpuRotation&) = delete;

  int count() const { return static_cast<int>(cpus_.size()); }
  void move_to(int k);  // all to the k-th processor

 private:
  void apply(const cpu_set_t& set) const;

  std::vector<pid_t> processes_;
  cpu_set_t allowed_;
  std::vector<int> cpus_;  // at most four of the allowed, spread out; empty when unknown
};

}  // namespace stance::bench
