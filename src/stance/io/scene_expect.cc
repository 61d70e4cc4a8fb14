#include "stance/io/scene_expect.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace stance::io {
namespace {

using kernel::Vec3d;

// Position, velocity and spin of named things in a state.
class Reader {
 public:
  Reader(const sim::World& world, const sim::State& state)
      : model_(world.model), state_(state), kin_(world.model), vel_(world.model) {
    update_kinematics(model_, std::span<const double>(state.q), kin_);
    update_velocities(model_, kin_, std::span<const double>(state.v), vel_);
  }

  double read(const FinalExpectation& wanted) const {
    using Quantity = FinalExpectation::Quantity;
    if (wanted.quantity == Quantity::kJoint || wanted.quantity == Quantity::kRate) {
      const model::BodyIndex body = model_.find_joint(wanted.name);
      if (!body.valid()) return NAN;
      return wanted.quantity == Quantity::kJoint ? state_.q[model_.q_start[body]]
                                                 : state_.v[model_.v_start[body]];
    }
    // a run that ended early may not have what is expected at the end
    const model::FrameIndex index = model_.find_frame(wanted.name);
    if (!index.valid()) return NAN;
    const model::Frame& frame = model_.frames[index];
    const Vec3d p_W = kin_.calc_position(model_, frame.body, frame.p_BF);
    if (wanted.quantity == Quantity::kPosition) return p_W[wanted.component];
    if (frame.body == 0) return 0.0;
    const kernel::Motion<double>& V = vel_.V[frame.body];
    if (wanted.quantity == Quantity::kSpin) return V.ang[wanted.component];
    const Vec3d p_OP = p_W - kin_.p_WO[model_.tree[frame.body]];
    return (V.lin + cross(V.ang, p_OP))[wanted.component];
  }

  double find_fastest() const {
    double fastest = 0.0;
    for (int i = 1; i < model_.nbody; ++i) {
      const Vec3d p_OC = kin_.p_OB[i] + kin_.R_WB[i] * model_.com[i];
      fastest = std::max(fastest, norm(vel_.V[i].lin + cross(vel_.V[i].ang, p_OC)));
    }
    return fastest;
  }

 private:
  const model::Model& model_;
  const sim::State& state_;
  dynamics::Kinematics<double> kin_;
  dynamics::Velocities<double> vel_;
};

std::string name_final(const FinalExpectation& final) {
  using Quantity = FinalExpectation::Quantity;
  const char axis = "xyz"[final.component];
  switch (final.quantity) {
    case Quantity::kPosition: return fmt::format("final.{}.{}", final.name, axis);
    case Quantity::kVelocity: return fmt::format("final.{}.velocity.{}", final.name, axis);
    case Quantity::kSpin: return fmt::format("final.{}.spin.{}", final.name, axis);
    case Quantity::kJoint: return fmt::format("final.{}.value", final.name);
    case Quantity::kRate: return fmt::format("final.{}.rate", final.name);
  }
  return "";
}

}  // namespace

std::vector<double> read_sensors(const LoadedScene& scene, const sim::StepView& view) {
  if (scene.expect.readings.empty() || (view.report.status & sim::kNotFinite)) return {};
  const auto suite = scene.make_sensors();
  std::vector<double> values(suite->width());
  suite->read(view, values);
  return values;
}

std::vector<ExpectationResult> judge(const LoadedScene& scene, const sim::State& end,
                                     const sim::RunSummary& summary,
                                     std::span<const double> readings) {
  const SceneExpectations& expect = scene.expect;
  std::vector<ExpectationResult> results;
  const auto add_flag = [&](const char* name, std::optional<bool> wanted, bool found) {
    if (wanted)
      results.push_back({name, found == *wanted, *wanted ? "true" : "false", found ? 1.0 : 0.0});
  };
  const auto add_limit = [&](const char* name, std::optional<double> most, double found) {
    if (most) results.push_back({name, found <= *most, fmt::format("at most {:g}", *most), found});
  };
  add_flag("no_fall", expect.no_fall, !summary.has_fallen);
  add_limit("max_slip", expect.max_slip, summary.most_slip);
  add_limit("max_penetration", expect.max_penetration, summary.worst_penetration);
  add_limit("max_residual", expect.max_residual, summary.worst_residual);
  add_limit("max_energy_error", expect.max_energy_error, std::abs(summary.energy_error));
  const Reader reader(scene.scene.world, end);
  if (expect.max_final_speed)
    add_limit("max_final_speed", expect.max_final_speed, reader.find_fastest());
  add_flag("converged", expect.converged, summary.unconverged == 0);
  add_limit("max_unconverged", expect.max_unconverged, static_cast<double>(summary.unconverged));
  for (const FinalExpectation& final : expect.final) {
    const double found = reader.read(final);
    results.push_back({name_final(final), std::abs(found - final.wanted) <= final.tolerance,
                       fmt::format("{:g} within {:g}", final.wanted, final.tolerance), found});
  }
  const auto suite = scene.make_sensors();
  for (const ReadingExpectation& reading : expect.readings) {
    const int first = suite->find(reading.channel);
    for (std::size_t k = 0; k < reading.wanted.size(); ++k) {
      const double found = readings.empty() || first < 0 ? NAN : readings[first + k];
      const double wanted = reading.wanted[k];
      results.push_back({fmt::format("readings.{}.{}", reading.channel, k),
                         std::abs(found - wanted) <= reading.tolerance,
                         fmt::format("{:g} within {:g}", wanted, reading.tolerance), found});
    }
  }
  return results;
}

}  // namespace stance::io
