#pragma once

#include "stance/sim/step.h"

#include "contact/engine.h"

namespace stance::bench {

class OwnEngine final : public Engine {
 public:
  OwnEngine(const BenchScene& scene, double tolerance);

  const std::string& name() const override { return name_; }
  std::string setup() const override { return {}; }
  std::optional<double> run(int warm, int steps) override;
  bool restart() override;
  bool set_start(const std::vector<double>& q, const std::vector<double>& v) override;
  std::optional<std::vector<double>> state() override { return state_.q; }
  std::optional<int> contacts() override { return report_.contact.points; }

  double tolerance() const { return world_.contact.tolerance; }
  const sim::World& world() const { return world_; }
  const std::vector<double>& velocities() const { return state_.v; }

  // Since the last restart.
  struct Record {
    double residual = 0.0;  // the worst
    long steps = 0, unconverged = 0, sweeps = 0;
    int groups = 0;  // of the last step
  };
  const Record& record() const { return record_; }

  void step();

 private:
  std::string name_ = "ours";
  sim::World world_;
  Drive drive_;
  sim::State start_, state_;
  sim::Scratch scratch_;
  sim::StepReport report_;
  Record record_;
};

}  // namespace stance::bench
