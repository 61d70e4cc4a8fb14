#include "contact/race.h"

#include <algorithm>
#include <cmath>

#include "stance/contact/contact_system.h"
#include "stance/dynamics/kinematics.h"
#include "stance/kernel/random.h"

#include "cpus.h"
#include "progress.h"

namespace stance::bench {
namespace {

using kernel::Vec3d;

constexpr double kBatch = 2000.0;  // us
constexpr int kDriftSteps = 500;
constexpr int kPiece = 50;            // steps of a run that are timed together
constexpr double kLongRun = 15e6;     // us: a run that takes longer is not repeated
constexpr double kHopeless = 1.3;     // times its own better set-up: an engine's set-up is given up
constexpr double kTrialTime = 0.5e6;  // us, before that

// Looks at poses with our own collision code.
class Grader {
 public:
  explicit Grader(const sim::World& world)
      : world_(world),
        kin_(world.model),
        scratch_(world.model, world.shapes, world.loops, world.contact) {}

  struct View {
    double penetration = 0.0;
    std::vector<Vec3d> p_WB;
    std::vector<bool> touches;  // by body
  };
  View look(const std::vector<double>& q) {
    update_kinematics(world_.model, std::span<const double>(q), kin_);
    contact::find(world_.model, world_.shapes, kin_, world_.contact.margin, scratch_);
    View view;
    view.p_WB = scratch_.p_WB;
    view.touches.resize(world_.model.nbody);
    for (const collision::ContactPoint& point : scratch_.points.points()) {
      view.penetration = std::max(view.penetration, -point.gap);
      view.touches[point.body_a] = view.touches[point.body_b] = true;
    }
    return view;
  }

 private:
  const sim::World& world_;
  dynamics::Kinematics<double> kin_;
  contact::ContactScratch scratch_;
};

// Penetration now, and the drift from now on; moves the engine on.
void grade(Grader& grader, Engine& engine, bool has_creep, Result& result) {
  const auto q = engine.state();
  if (!q) return;
  const Grader::View before = grader.look(*q);
  result.penetration = before.penetration;
  result.contacts = engine.contacts().value_or(0);
  if (!has_creep || !engine.run(0, kDriftSteps)) return;
  const auto q_after = engine.state();
  if (!q_after) return;
  const Grader::View after = grader.look(*q_after);
  double farthest = 0.0;
  for (std::size_t i = 1; i < before.p_WB.size(); ++i)
    if (before.touches[i]) farthest = std::max(farthest, norm(after.p_WB[i] - before.p_WB[i]));
  result.creep = farthest / (kDriftSteps * kStep);
  result.penetration = std::max(before.penetration, after.penetration);
}

std::vector<pid_t> find_processes(const std::vector<Engine*>& engines) {
  std::vector<pid_t> processes;
  for (const Engine* engine : engines)
    if (engine->process_id() > 0) processes.push_back(engine->process_id());
  return processes;
}

// Numbers 0 .. n-1 in a new order every time.
void shuffle(std::vector<int>& order, kernel::Random& random) {
  for (int k = static_cast<int>(order.size()) - 1; k > 0; --k)
    std::swap(order[k], order[random.integer(k + 1)]);
}

std::vector<int> make_order(std::size_t count) {
  std::vector<int> order(count);
  for (std::size_t k = 0; k < count; ++k) order[k] = static_cast<int>(k);
  return order;
}

}  // namespace

std::vector<std::optional<Result>> race_at_rest(const sim::World& world,
                                                const std::vector<Engine*>& engines,
                                                const RestOptions& options) {
  Grader grader(world);
  const std::size_t count = engines.size();
  std::vector<std::optional<Result>> results(count);
  std::vector<int> calls(count, 1);
  {
    Progress progress(options.label + ", settling", static_cast<long>(count));
    for (std::size_t k = 0; k < count; ++k, progress.advance()) {
      Engine& engine = *engines[k];
      if (!engine.restart() || !engine.run(0, options.settle)) continue;
      Result result{engine.name(), engine.setup(), INFINITY, {}, {}, 0};
      grade(grader, engine, true, result);
      const auto us = engine.run(5, 20);
      if (!us || !result.creep) continue;
      calls[k] = static_cast<int>(std::clamp(kBatch / *us, 1.0, 1000.0));
      results[k] = result;
    }
  }

  CpuRotation cpus(find_processes(engines));
  kernel::Random random(1);
  std::vector<int> order = make_order(count);
  Progress progress(options.label, options.repeats * static_cast<long>(count));
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    cpus.move_to(repeat);
    shuffle(order, random);
    for (const int k : order) {
      progress.advance();
      if (!results[k]) continue;
      const auto us = engines[k]->run(calls[k] / 10 + 1, calls[k]);
      if (us)
        results[k]->us = std::min(results[k]->us, *us);
      else
        results[k].reset();
    }
  }
  return results;
}

std::vector<std::optional<Result>> race_through(const sim::World& world,
                                                const std::vector<Engine*>& engines,
                                                const RunOptions& options) {
  Grader grader(world);
  const std::size_t count = engines.size();
  const int pieces = (options.steps + kPiece - 1) / kPiece;
  struct Runner {
    bool is_in = true;
    std::vector<double> us;  // by piece
    double spent = 0.0;
    Result result = {};
  };
  std::vector<Runner> runners(count);
  for (Runner& runner : runners) runner.us.assign(pieces, INFINITY);

  CpuRotation cpus(find_processes(engines));
  kernel::Random random(1);
  std::vector<int> order = make_order(count);
  Progress progress(options.label,
                    static_cast<long>(options.repeats) * pieces * static_cast<long>(count));
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    std::vector<bool> runs(count);
    for (std::size_t k = 0; k < count; ++k) {
      Runner& runner = runners[k];
      runs[k] = runner.is_in && runner.spent < kLongRun;
      if (!runs[k]) continue;
      if (!engines[k]->restart() || (options.warm > 0 && !engines[k]->run(0, options.warm)))
        runs[k] = runner.is_in = false;
    }
    for (int piece = 0; piece < pieces; ++piece) {
      cpus.move_to(repeat + piece);
      shuffle(order, random);
      for (const int k : order) {
        progress.advance();
        Runner& runner = runners[k];
        if (!runs[k] || !runner.is_in) continue;
        const int steps = std::min(kPiece, options.steps - piece * kPiece);
        const auto us = engines[k]->run(0, steps);
        if (!us) {
          runner.is_in = false;
          continue;
        }
        runner.us[piece] = std::min(runner.us[piece], *us);
        runner.spent += *us * steps;
      }
      // an engine goes on with its better set-up only
      for (std::size_t k = 0; k < count; ++k)
        for (std::size_t j = 0; j < count; ++j)
          if (repeat == 0 && runners[j].is_in && engines[k]->process_id() > 0 &&
              engines[j]->name() == engines[k]->name() && runners[k].spent > kTrialTime &&
              runners[k].spent > kHopeless * runners[j].spent)
            runners[k].is_in = false;
    }
    for (std::size_t k = 0; k < count; ++k) {
      if (repeat > 0 || !runners[k].is_in) continue;
      runners[k].result.name = engines[k]->name(), runners[k].result.setup = engines[k]->setup();
      grade(grader, *engines[k], options.has_creep, runners[k].result);
    }
  }

  std::vector<std::optional<Result>> results(count);
  for (std::size_t k = 0; k < count; ++k) {
    if (!runners[k].is_in) continue;
    double sum = 0.0;
    for (int piece = 0; piece < pieces; ++piece)
      sum += runners[k].us[piece] * std::min(kPiece, options.steps - piece * kPiece);
    runners[k].result.us = sum / options.steps;
    results[k] = runners[k].result;
  }
  return results;
}

}  // namespace stance::bench
