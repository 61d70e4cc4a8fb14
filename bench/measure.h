#pragma once

// Times many things in one run, by google benchmark.
//
// Every repeat times one batch of calls of each subject, all subjects in random order and on the
// same processor, so that whatever slows the machine for a while slows all alike. What counts is
// the smallest mean of a batch: noise only adds.

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "progress.h"

namespace stance::bench {

struct MeasureOptions {
  int repeats = 300;        // batches per subject
  double batch_us = 200.0;  // how long a batch is to take
  std::string label = {};   // what the progress line says; shown on a terminal only
};

class Comparison {
 public:
  // Makes calls elsewhere and answers their mean in microseconds, or nothing when it cannot.
  using RemoteBatch = std::function<std::optional<double>(int calls)>;

  // Each returns the number of the subject.
  int add(std::string name, std::function<void()> call);
  int add_remote(std::string name, RemoteBatch batch);

  // Another process in which calls are made.
  void add_process(pid_t process) { processes_.push_back(process); }

  void measure(const MeasureOptions& options);

  // Mean time of one call in the best batch; nothing for a subject that could not be measured.
  std::optional<double> best_us(int subject) const { return subjects_[subject].best_us; }

 private:
  struct Subject {
    std::string name;
    std::function<void()> call;  // or
    RemoteBatch batch;
    int calls = 1;  // in a batch
    std::optional<double> best_us = {};
  };

  void calibrate(double batch_us);
  void register_all(int repeats, Progress& progress);

  std::vector<Subject> subjects_;
  std::vector<pid_t> processes_;
};

}  // namespace stance::bench
