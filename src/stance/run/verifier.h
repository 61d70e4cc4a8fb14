#pragma once

// Compares a run with a recording of it: every number, to the bit.

#include <optional>
#include <string>
#include <vector>

#include "stance/run/channels.h"
#include "stance/run/outcome.h"
#include "stance/run/simulation.h"

namespace stance::run {

// A recorded run, as plain data.
struct Recorded {
  std::string file, program;  // for messages: where it is, what made it
  std::vector<sim::Channel> channels{};
  std::vector<std::uint64_t> step{};          // by row
  std::vector<double> time{};                 // by row, s
  std::vector<std::vector<double>> values{};  // by channel: rows x columns
  struct EventText {
    double time = 0.0, value = 0.0;
    std::string kind, what;
  };
  std::vector<EventText> events{};
  bool is_complete = false;  // the run came to its end
};

// Where a run first did something else.
struct Difference {
  double time = 0.0;
  std::string channel, column;
  std::string recorded, found;  // values
};

class Verifier final : public Observer {
 public:
  // Throws stance::Error when the simulation does not offer what was recorded.
  Verifier(Recorded recorded, Simulation& simulation);

  bool after_step(const Simulation& simulation, const sim::StepView& view) override;

  // What the run came to, once every row was the same.
  void compare_end(const Outcome& outcome);

  const std::optional<Difference>& difference() const { return difference_; }
  void set_difference(Difference difference) { difference_ = std::move(difference); }
  std::size_t rows() const { return row_; }
  std::size_t width() const { return 1 + values_.size(); }

 private:
  struct Table {
    const sim::Channel* channel;
    std::size_t at;  // in values_
    const double* recorded;
  };

  void add_table(const sim::Channel& channel, std::size_t at);
  void compare(std::uint64_t step, const sim::StepView& view);

  Recorded recorded_;
  std::optional<ChannelReader> reader_;
  std::vector<double> values_;
  std::vector<Table> tables_;
  std::size_t row_ = 0;
  std::optional<Difference> difference_;
};

}  // namespace stance::run
