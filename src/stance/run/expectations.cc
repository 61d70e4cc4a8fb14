#include "stance/run/expectations.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stance/kernel/names.h"
#include "stance/run/channel_choice.h"
#include "stance/sim/penetration.h"

namespace stance::run {
namespace {

using kernel::Vec3d;

// One number that a body or joint must have come to.
struct FinalExpectation {
  enum class Quantity { kPosition, kVelocity, kSpin, kJoint, kRate };

  std::string name;
  Quantity quantity = Quantity::kPosition;
  int component = 0;  // x, y or z; 0 for joints
  double wanted = 0.0, tolerance = 0.0;
};

std::vector<FinalExpectation> list_final(const scene::FinalSpec& spec) {
  using Quantity = FinalExpectation::Quantity;
  std::vector<FinalExpectation> out;
  const double rate_tolerance = spec.rate_tolerance.value_or(spec.tolerance);
  const auto add = [&](Quantity quantity, int component, double wanted) {
    const bool is_rate = quantity == Quantity::kVelocity || quantity == Quantity::kSpin ||
                         quantity == Quantity::kRate;
    out.push_back(
        {spec.name, quantity, component, wanted, is_rate ? rate_tolerance : spec.tolerance});
  };
  const auto add_vector = [&](const std::optional<Vec3d>& wanted, Quantity quantity) {
    for (int k = 0; k < 3 && wanted; ++k) add(quantity, k, (*wanted)[k]);
  };
  add_vector(spec.position, Quantity::kPosition);
  int axis = 0;
  for (const std::optional<double>* wanted : {&spec.x, &spec.y, &spec.z}) {
    if (*wanted) add(Quantity::kPosition, axis, **wanted);
    ++axis;
  }
  add_vector(spec.velocity, Quantity::kVelocity);
  add_vector(spec.spin, Quantity::kSpin);
  if (spec.value) add(Quantity::kJoint, 0, *spec.value);
  if (spec.rate) add(Quantity::kRate, 0, *spec.rate);
  return out;
}

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

// Of the final state, from sensors.
void add_readings(const Simulation& simulation, std::vector<ExpectationResult>& results) {
  const std::vector<scene::ReadingSpec>& readings = simulation.spec().expect.readings;
  if (readings.empty()) return;
  const bool has_any =
      simulation.report().passes > 0 && !(simulation.report().status & sim::kNotFinite);
  for (const scene::ReadingSpec& reading : readings) {
    const std::vector<double> values = ChannelReader(simulation, reading.name).read();
    for (std::size_t k = 0; k < reading.values.size(); ++k) {
      const double found = has_any ? values[k] : NAN;
      const double wanted = reading.values[k];
      results.push_back({fmt::format("readings.{}.{}", reading.name, k),
                         std::abs(found - wanted) <= reading.tolerance,
                         fmt::format("{:g} within {:g}", wanted, reading.tolerance), found});
    }
  }
}

}  // namespace

sim::RunSummary summarize(const Simulation& simulation) {
  sim::RunSummary summary = simulation.monitor().summary();
  const double now = calc_penetration(simulation.part().scene.world, simulation.state());
  summary.worst_penetration = std::max(summary.worst_penetration, now);
  return summary;
}

std::vector<ExpectationResult> judge(const Simulation& simulation) {
  const scene::ExpectSpec& expect = simulation.spec().expect;
  const sim::RunSummary summary = summarize(simulation);
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
  const Reader reader(simulation.part().scene.world, simulation.state());
  if (expect.max_final_speed)
    add_limit("max_final_speed", expect.max_final_speed, reader.find_fastest());
  add_flag("converged", expect.converged, summary.unconverged == 0);
  add_limit("max_unconverged", expect.max_unconverged, static_cast<double>(summary.unconverged));
  add_limit("max_dropped", expect.max_dropped, static_cast<double>(summary.contacts_dropped));
  add_limit("max_missed", expect.max_missed, static_cast<double>(summary.contacts_missed));
  if (expect.after) return results;
  for (const scene::FinalSpec& spec : expect.final)
    for (const FinalExpectation& final : list_final(spec)) {
      const double found = reader.read(final);
      results.push_back({name_final(final), std::abs(found - final.wanted) <= final.tolerance,
                         fmt::format("{:g} within {:g}", final.wanted, final.tolerance), found});
    }
  add_readings(simulation, results);
  return results;
}

// ---- whether they make sense --------------------------------------------------------------------

namespace {

// Names of expectations exist, as what they are used for.
void check_final(const scene::Scene& scene, const scene::Part& last) {
  const model::Model& model = last.scene.world.model;
  std::vector<std::string> bodies, joints;
  for (const model::Frame& frame : model.frames) bodies.push_back(frame.name);
  for (int i = 1; i < model.nbody; ++i)
    if (model.joint_nq(i) == 1) joints.push_back(model.joint_name[i]);
  const auto is_gone = [&](const std::string& name) {
    return !scene.later.empty() && std::any_of(scene.channels.begin(), scene.channels.end(),
                                               [&](const sim::Channel& channel) {
                                                 return channel.name == name + "/position";
                                               });
  };
  for (const scene::FinalSpec& spec : scene.spec().expect.final) {
    const auto demand = [&](const std::vector<std::string>& known, const char* what) {
      if (std::find(known.begin(), known.end(), spec.name) == known.end())
        throw make_error(scene.sources(), {"expect", "final", spec.name},
                         fmt::format("there is no {} '{}'{}", what, spec.name,
                                     is_gone(spec.name) ? " at the end of the run"
                                                        : kernel::suggest_name(spec.name, known)));
    };
    if (spec.position || spec.x || spec.y || spec.z || spec.velocity || spec.spin)
      demand(bodies, "object or link");
    if (spec.value || spec.rate) demand(joints, "joint");
    if (list_final(spec).empty())
      throw make_error(scene.sources(), {"expect", "final", spec.name},
                       fmt::format("'{}' expects nothing; give it a position, velocity, spin, "
                                   "value or rate",
                                   spec.name));
  }
}

// Channels that the scene's readings name exist, with as many columns.
void check_readings(const scene::Scene& scene, const scene::Part& last) {
  if (scene.spec().expect.readings.empty()) return;
  const scene::Modules modules = last.make_modules();
  const std::vector<sim::Channel>& channels = modules.sensors->channels();
  std::vector<std::string> known;
  for (const sim::Channel& channel : channels) known.push_back(channel.name);
  for (const scene::ReadingSpec& reading : scene.spec().expect.readings) {
    const auto it = std::find(known.begin(), known.end(), reading.name);
    if (it == known.end())
      throw make_error(scene.sources(), {"expect", "readings", reading.name},
                       fmt::format("no sensor has the channel '{}'{}", reading.name,
                                   kernel::suggest_name(reading.name, known)));
    const std::size_t columns = channels[it - known.begin()].columns.size();
    if (reading.values.size() != columns)
      throw make_error(
          scene.sources(), {"expect", "readings", reading.name, "values"},
          fmt::format("'{}' has {} columns, not {}", reading.name, columns, reading.values.size()));
  }
}

}  // namespace

void check_expectations(const scene::Scene& scene) {
  const scene::SceneSpec& spec = scene.spec();
  const double end = spec.expect.after.value_or(spec.duration);
  const scene::Part& last = scene.find_part(std::llround(end / spec.step));
  check_final(scene, last);
  check_readings(scene, last);
}

void check_record(const scene::Scene& scene) {
  const std::vector<std::string>& channels = scene.spec().record.channels;
  if (channels.empty()) return;
  std::vector<Place> places;
  for (std::size_t k = 0; k < channels.size(); ++k)
    places.push_back(scene.sources().find({"record", "channels", std::to_string(k)}));
  (void)choose_channels(scene.channels, channels, places);
}

}  // namespace stance::run
