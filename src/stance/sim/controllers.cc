#include "stance/sim/controllers.h"

#include <algorithm>

#include "stance/sim/drives.h"
#include "stance/sim/link_wrenches.h"

namespace stance::sim {
namespace {

using Doubles = std::span<const double>;

double find_q(const World& world, const State& state, int k) {
  return state.q[world.model.q_start[world.model.dof_body[k]]];
}

}  // namespace

// ---- reference --------------------------------------------------------------------------------

Reference::Reference(const World& world, const State& start, std::vector<int> coordinates,
                     std::optional<control::Trajectory> trajectory)
    : coordinates_(std::move(coordinates)), trajectory_(std::move(trajectory)) {
  for (const int k : coordinates_) start_.push_back(find_q(world, start, k));
}

void Reference::sample(double time, std::span<double> values) const {
  if (trajectory_)
    trajectory_->sample(time, values);
  else
    std::copy(start_.begin(), start_.end(), values.begin());
}

// ---- PD ---------------------------------------------------------------------------------------

FollowReference::FollowReference(Reference reference)
    : reference_(std::move(reference)),
      now_(reference_.coordinates().size()),
      next_(reference_.coordinates().size()) {}

void FollowReference::act(const StepStart& at, std::span<double>, Drive& drive) {
  reference_.sample(at.state.time, now_);
  reference_.sample(at.state.time + at.h, next_);
  for (std::size_t j = 0; j < now_.size(); ++j) {
    const int k = reference_.coordinates()[j];
    drive.target[k] = next_[j];
    drive.tau[k] += drive.damping[k] * (next_[j] - now_[j]) / at.h;
  }
}

// ---- computed torque --------------------------------------------------------------------------

ComputedTorque::ComputedTorque(const World& world, Reference reference, double kp, double kv)
    : reference_(std::move(reference)),
      kp_(kp),
      kv_(kv),
      before_(reference_.coordinates().size()),
      now_(before_.size()),
      next_(before_.size()),
      vdot_(world.model.nv),
      tau_(world.model.nv),
      work_(world.model) {}

void ComputedTorque::act(const StepStart& at, std::span<double>, Drive& drive) {
  const model::Model& model = at.world.model;
  const double h = at.h, t = at.state.time;
  reference_.sample(t - h, before_);
  reference_.sample(t, now_);
  reference_.sample(t + h, next_);
  const std::vector<int>& coordinates = reference_.coordinates();
  for (std::size_t j = 0; j < coordinates.size(); ++j) {
    const int k = coordinates[j];
    const double v_ref = (now_[j] - before_[j]) / h, v_next = (next_[j] - now_[j]) / h;
    vdot_[k] = (v_next - v_ref) / h + kv_ * (v_ref - at.state.v[k]) +
               kp_ * (now_[j] - find_q(at.world, at.state, k));
  }
  calc_inverse_dynamics(model, at.world.gravity, at.bodies.kin(), at.bodies.inertias(),
                        at.bodies.vel(), Doubles(vdot_), std::span<const kernel::Force<double>>(),
                        work_, std::span<double>(tau_));
  for (const int k : coordinates) {
    drive.stiffness[k] = drive.damping[k] = 0.0;
    drive.tau[k] += tau_[k] + model.damping[k] * (at.state.v[k] + h * vdot_[k]);
  }
}

// ---- gravity ----------------------------------------------------------------------------------

GravityCompensation::GravityCompensation(const World& world, std::vector<int> coordinates)
    : coordinates_(std::move(coordinates)),
      tau_(world.model.nv),
      rest_(world.model),
      work_(world.model) {}

void GravityCompensation::act(const StepStart& at, std::span<double>, Drive& drive) {
  const model::Model& model = at.world.model;
  calc_inverse_dynamics(model, at.world.gravity, at.bodies.kin(), at.bodies.inertias(), rest_,
                        Doubles(), std::span<const kernel::Force<double>>(), work_,
                        std::span<double>(tau_));
  for (const int k : coordinates_) drive.tau[k] += tau_[k];
}

// ---- admittance -------------------------------------------------------------------------------

JointAdmittance::JointAdmittance(const World& world, std::vector<int> coordinates,
                                 std::vector<double> mass, std::vector<double> damping,
                                 Carried carried, bool feels_contacts)
    : coordinates_(std::move(coordinates)),
      mass_(std::move(mass)),
      damping_(std::move(damping)),
      carried_(std::move(carried)),
      feels_contacts_(feels_contacts),
      wrenches_(world.model.nbody),
      tau_(world.model.nv) {}

void JointAdmittance::start(const World& world, const State& state,
                            std::span<double> memory) const {
  for (std::size_t j = 0; j < coordinates_.size(); ++j)
    memory[2 * j] = find_q(world, state, coordinates_[j]), memory[2 * j + 1] = 0.0;
}

void JointAdmittance::act(const StepStart& at, std::span<double> memory, Drive& drive) {
  const model::Model& model = at.world.model;
  const double h = at.h;
  const dynamics::Kinematics<double>& kin = at.bodies.kin();
  felt_.assign(drive.wrenches.begin(), drive.wrenches.end());
  if (!carried_.hands.empty())
    for (const PointWrench& wrench : drive.wrenches) {
      if (wrench.body != carried_.body) continue;
      const Vec3d p_W = kin.calc_position(model, wrench.body, wrench.p_BP);
      const double share = 1.0 / static_cast<double>(carried_.hands.size());
      for (const model::BodyIndex hand : carried_.hands)
        felt_.push_back(
            {hand, transpose_mul(kin.R_WB[hand], p_W - kin.calc_position(model, hand, Vec3d())),
             share * wrench.force, share * wrench.torque});
    }
  if (!calc_external(model, kin, felt_, wrenches_, tau_)) std::fill(tau_.begin(), tau_.end(), 0.0);
  for (std::size_t j = 0; j < coordinates_.size(); ++j) {
    const int k = coordinates_[j];
    double &q = memory[2 * j], &v = memory[2 * j + 1];
    const double torque = tau_[k] + (feels_contacts_ ? memory[2 * coordinates_.size() + j] : 0.0);
    v = (mass_[j] * v + h * torque) / (mass_[j] + h * damping_[j]);
    const double moved = q + h * v, kept = std::clamp(moved, model.lower[k], model.upper[k]);
    if (kept != moved) v = 0.0;
    q = kept;
    drive.target[k] = q;
    drive.tau[k] += drive.damping[k] * v;
  }
}

void JointAdmittance::watch(const StepView& view, std::span<double> memory) {
  if (!feels_contacts_) return;
  const model::Model& model = view.world.model;
  const auto& kin = view.scratch.frame.kin();
  const contact::ContactScratch& s = view.scratch.contact;
  felt_.clear();
  const auto feel = [&](const LinkWrench& w) {
    if (w.body == 0) return;
    const model::BodyIndex body(w.body);
    const Vec3d p_WB = kin.calc_position(model, body, Vec3d());
    felt_.push_back({body, transpose_mul(kin.R_WB[body], w.p_W - p_WB), w.force, w.torque});
  };
  for (int k = 0; k < s.points.size(); ++k) {
    const LinkWrench on_a = calc_contact_force(s, k, view.h);
    feel(on_a), feel(make_opposite(on_a, s.points[k].body_b, {}, on_a.p_W));
  }
  const bool is_touched = calc_external(model, kin, felt_, wrenches_, tau_);
  for (std::size_t j = 0; j < coordinates_.size(); ++j)
    memory[2 * coordinates_.size() + j] = is_touched ? tau_[coordinates_[j]] : 0.0;
}

// ---- looking ----------------------------------------------------------------------------------

LookAt::LookAt(std::vector<int> coordinates, Point eyes, kernel::Mat3d R_BE, Point at, double speed)
    : coordinates_(std::move(coordinates)), eyes_(eyes), R_BE_(R_BE), at_(at), speed_(speed) {}

void LookAt::start(const World& world, const State& state, std::span<double> memory) const {
  const std::size_t n = coordinates_.size();
  for (std::size_t j = 0; j < n; ++j) memory[j] = find_q(world, state, coordinates_[j]);
  memory[n] = -1.0;  // until when it looks at a touch, s
}

void LookAt::notice(const StepStart& at, const Touch& touch, std::span<double> memory) {
  const model::Model& model = at.world.model;
  if (model.tree[touch.body] != model.tree[eyes_.body]) return;
  const Vec3d p_W = at.bodies.kin().calc_position(model, touch.body, touch.p_B);
  const std::size_t n = coordinates_.size();
  memory[n] = at.state.time + kNoticed;
  for (int k = 0; k < 3; ++k) memory[n + 1 + k] = p_W[k];
}

void LookAt::act(const StepStart& at, std::span<double> memory, Drive& drive) {
  const model::Model& model = at.world.model;
  const std::size_t n = coordinates_.size();
  const dynamics::Kinematics<double>& kin = at.bodies.kin();
  bool is_any = true;
  Vec3d goal;
  if (at.state.time < memory[n])
    goal = {memory[n + 1], memory[n + 2], memory[n + 3]};
  else if (!drive.probes.empty())
    goal = drive.probes.front();
  else if (at_.body.valid())
    goal = kin.calc_position(model, at_.body, at_.p_B);
  else
    is_any = false;

  const Vec3d eyes = kin.calc_position(model, eyes_.body, eyes_.p_B);
  const Vec3d ahead = (kin.R_WB[eyes_.body] * R_BE_).c[0], there = goal - eyes;
  const double far = norm(there);
  // the turn that is left, as a rotation vector
  Vec3d left;
  if (is_any && far > 1e-3) {
    left = cross(ahead, (1.0 / far) * there);
    if (dot(ahead, there) < 0.0 && norm(left) > 0.0) left = (1.0 / norm(left)) * left;  // behind
  }
  for (std::size_t j = 0; j < n; ++j) {
    const int k = coordinates_[j];
    const double rate = std::clamp(kGain * dot(kin.S[k].ang, left), -speed_, speed_);
    const double moved = memory[j] + at.h * rate;
    const double kept = std::clamp(moved, model.lower[k], model.upper[k]);
    drive.tau[k] += drive.damping[k] * (kept - memory[j]) / at.h;
    memory[j] = kept;
    drive.target[k] = kept;
  }
}

// ---- pushes -----------------------------------------------------------------------------------

void Push::act(const StepStart& at, std::span<double>, Drive& drive) {
  const double middle = at.state.time + 0.5 * at.h;
  if (middle >= from_ && middle < until_) drive.wrenches.push_back(wrench_);
}

}  // namespace stance::sim
