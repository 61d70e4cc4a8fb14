#include "view/live_tape.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>

#include "stance/run/simulation.h"
#include "stance/view/pacer.h"

namespace stance::bench {
namespace {

std::uint64_t calc_digest(const sim::State& state) {
  std::uint64_t out = 0xcbf29ce484222325;  // FNV-1a, a number at a time
  for (const std::vector<double>* part : {&state.q, &state.v})
    for (const double x : *part) out = (out ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3;
  return out;
}

std::int64_t read_processor_ns() { return view::wall_clock().used(); }

double find_quantile(std::vector<double> values, double share) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

LiveTape::LiveTape(double seconds) {
  const auto steps = static_cast<std::size_t>(std::ceil(1000.0 * seconds));
  steps_.resize(steps), steps_.clear();  // touched, so that it is there
  changes_.resize(2 * steps + 1000), changes_.clear();
}

void LiveTape::start_clock() {
  if (std::exchange(has_begun_, true)) return;
  began_ = read_processor_ns();
}

void LiveTape::on_change(const run::StepAhead&, const run::Change& change) {
  is_full_ = is_full_ || changes_.size() == changes_.capacity();
  if (!is_full_) changes_.push_back(change);
  start_clock();
}

void LiveTape::before_step(const run::StepAhead&, std::vector<run::Change>&) {
  is_full_ = is_full_ || steps_.size() == steps_.capacity();
  start_clock();
}

bool LiveTape::after_step(const run::Simulation&, const sim::StepView& view) {
  const std::int64_t used = read_processor_ns() - began_;
  has_begun_ = false;
  if (!is_full_) steps_.push_back({changes_.size(), used, calc_digest(view.state)});
  return true;
}

namespace {

// Does again what is on a tape.
class TapePlayer final : public run::Observer {
 public:
  explicit TapePlayer(const LiveTape& tape) : tape_(tape) {}

  void before_step(const run::StepAhead& step, std::vector<run::Change>& changes) override {
    const std::size_t end = tape_.steps()[step.number - 1].changes;
    for (; next_ < end; ++next_) changes.push_back(tape_.changes()[next_]);
  }

 private:
  const LiveTape& tape_;
  std::size_t next_ = 0;
};

}  // namespace

TapeWork run_again(scene::Scene scene, const LiveTape& tape, int repeats) {
  TapeWork out;
  const std::vector<LiveTape::Step>& steps = tape.steps();
  if (steps.empty()) return out;
  out.least.assign(steps.size(), INFINITY);
  const auto shared = std::make_shared<const scene::Scene>(std::move(scene));
  for (int repeat = 0; repeat < repeats; ++repeat) {
    run::Simulation run(shared);
    TapePlayer player(tape);
    run.attach(player);
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const std::int64_t began = read_processor_ns();
      run.advance();
      out.least[k] =
          std::min(out.least[k], 1e-3 * static_cast<double>(read_processor_ns() - began));
      out.is_same = out.is_same && calc_digest(run.state()) == steps[k].digest;
    }
  }
  // a step begins late when the work of those before it is not over
  const double period = 1e6 * shared->spec().step;
  std::vector<double> late(steps.size(), 0.0);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (k > 0) late[k] = std::max(0.0, late[k - 1] + out.least[k - 1] - period);
    if (steps[k].used <= view::Lateness::kTooLate) continue;
    ++out.live_long;
    out.longest_again = std::max(out.longest_again, out.least[k]);
  }
  out.longest = static_cast<std::size_t>(std::max_element(out.least.begin(), out.least.end()) -
                                         out.least.begin());
  out.p999 = find_quantile(out.least, 0.999), out.late_p999 = find_quantile(late, 0.999);
  return out;
}

}  // namespace stance::bench
