#include "measure.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <benchmark/benchmark.h>

#include "cpus.h"
#include "progress.h"

namespace stance::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 8;  // each on the next processor

double time_calls(const std::function<void()>& call, int calls) {
  const auto start = Clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls;
}

// Untimed calls at the start of a batch: caches and branch predictors as in steady use. The peers
// do as many (peers/peer_protocol.h).
int warm_up_calls(int calls) { return calls / 10 + 1; }

// Hands every batch to whoever asked.
class Collector : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(std::function<void(int subject, double us)> take) : take_(std::move(take)) {}

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred || run.iterations == 0) continue;
      const double seconds = run.real_accumulated_time / static_cast<double>(run.iterations);
      take_(std::atoi(run.run_name.function_name.c_str()), 1e6 * seconds);
    }
  }

 private:
  std::function<void(int, double)> take_;
};

// Once per process: repetitions of all benchmarks in random order.
void initialise_library() {
  static bool done = false;
  if (std::exchange(done, true)) return;
  char program[] = "stance-bench", interleave[] = "--benchmark_enable_random_interleaving=true";
  char* arguments[] = {program, interleave, nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
}

}  // namespace

int Comparison::add(std::string name, std::function<void()> call) {
  subjects_.push_back({std::move(name), std::move(call), {}});
  return static_cast<int>(subjects_.size()) - 1;
}

int Comparison::add_remote(std::string name, RemoteBatch batch) {
  subjects_.push_back({std::move(name), {}, std::move(batch)});
  return static_cast<int>(subjects_.size()) - 1;
}

void Comparison::calibrate(double batch_us) {
  for (Subject& subject : subjects_) {
    double us = 0.0;
    for (int calls = 1; calls <= 1 << 14; calls *= 4) {
      us = subject.call ? time_calls(subject.call, calls) : subject.batch(calls).value_or(1e9);
      if (us * calls > batch_us / 4) break;
    }
    subject.calls = static_cast<int>(std::clamp(batch_us / std::max(us, 1e-3), 1.0, 1e5));
  }
}

void Comparison::register_all(int repeats, Progress& progress) {
  benchmark::ClearRegisteredBenchmarks();
  for (std::size_t k = 0; k < subjects_.size(); ++k) {
    const Subject& subject = subjects_[k];
    const auto run_here = [&subject, &progress](benchmark::State& state) {
      progress.advance();
      for (int i = warm_up_calls(subject.calls); i > 0; --i) subject.call();
      for ([[maybe_unused]] auto _ : state) subject.call();
    };
    const auto run_there = [&subject, &progress](benchmark::State& state) {
      progress.advance();
      for ([[maybe_unused]] auto _ : state) {
        const std::optional<double> us = subject.batch(subject.calls);
        if (!us) return state.SkipWithError("the peer is lost");
        state.SetIterationTime(1e-6 * *us);
      }
    };
    const std::string name = std::to_string(k) + " " + subject.name;
    if (subject.call)
      benchmark::RegisterBenchmark(name.c_str(), run_here)
          ->Iterations(subject.calls)
          ->Repetitions(repeats)
          ->UseRealTime();
    else
      benchmark::RegisterBenchmark(name.c_str(), run_there)
          ->Iterations(1)
          ->Repetitions(repeats)
          ->UseManualTime();
  }
}

void Comparison::measure(const MeasureOptions& options) {
  if (subjects_.empty()) return;
  initialise_library();
  calibrate(options.batch_us);
  Progress progress(options.label, static_cast<long>(subjects_.size()) * options.repeats);
  Collector collector([this](int k, double us) {
    auto& best = subjects_[k].best_us;
    best = std::min(best.value_or(us), us);
  });

  // in several rounds, from one processor to the next
  CpuRotation cpus(processes_);
  const int rounds = std::min(kRounds, options.repeats);
  for (int round = 0; round < rounds; ++round) {
    cpus.move_to(round);
    register_all((options.repeats + round) / rounds, progress);
    benchmark::RunSpecifiedBenchmarks(&collector);
  }
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace stance::bench
