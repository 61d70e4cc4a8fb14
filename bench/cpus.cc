#include "cpus.h"

#include <utility>

namespace stance::bench {
namespace {

constexpr int kMostCpus = 4;

}  // namespace

CpuRotation::CpuRotation(std::vector<pid_t> others) : processes_(std::move(others)) {
  processes_.push_back(0);
  CPU_ZERO(&allowed_);
  if (sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) return;
  std::vector<int> all;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed_)) all.push_back(cpu);
  const int n = static_cast<int>(all.size());
  for (int k = 0; k < n && k < kMostCpus; ++k)
    cpus_.push_back(all[n <= kMostCpus ? k : k * n / kMostCpus]);
}

CpuRotation::~CpuRotation() {
  if (!cpus_.empty()) apply(allowed_);
}

void CpuRotation::move_to(int k) {
  if (cpus_.empty()) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpus_[k % cpus_.size()], &one);
  apply(one);
}

// A process that cannot be moved is measured where it is.
void CpuRotation::apply(const cpu_set_t& set) const {
  for (pid_t process : processes_) static_cast<void>(sched_setaffinity(process, sizeof set, &set));
}

}  // namespace stance::bench
