#include "stance/sim/drives.h"

#include <algorithm>
#include <cmath>

namespace stance::sim {
namespace {

using Doubles = std::span<const double>;

// A joint leaves its limit when less than this part of it is missing: rounding must not decide.
constexpr double kLeave = 1e-6;
// Passes in which all joints that disagree change sides; then the first one alone, which ends for
// every problem whose matrix has positive principal minors (Murty's rule); then none leaves.
constexpr int kAllPasses = 8, kOnePasses = 64;

double at(Doubles values, int k) { return values.empty() ? 0.0 : values[k]; }

// In the step's frame.
double find_coordinate(const model::Model& model, const Scratch& s, int k) {
  const int i = model.dof_body[k];
  return s.q_frame[model.q_start[i] + k - model.v_start[i]];
}

// How a spring and a damper weigh the velocities before and after the step.
struct Weights {
  explicit Weights(double lag)
      : reach_after(0.25 + 0.75 * lag),
        reach_before(0.25 - 0.25 * lag),
        after(0.5 + 0.5 * lag),
        before(0.5 - 0.5 * lag) {}
  double reach_after, reach_before;  // of q_s, times h
  double after, before;              // of v_s
};

// Where a spring starts to ring, as h sqrt(K / m), and a damper, as h D / m.
constexpr double kSpringRings = 0.3, kDamperRings = 1.0;

double calc_lag(double stiffness, double damping, double h, double inertia) {
  double lag = 0.0;
  if (const double z = h * damping; z > kDamperRings * inertia)
    lag = 1.0 - kDamperRings * inertia / z;
  if (const double x2 = h * h * stiffness; x2 > kSpringRings * kSpringRings * inertia)
    lag = std::max(lag, 1.0 - kSpringRings * std::sqrt(inertia / x2));
  return lag;
}

// The drive's torque without its limit, for a velocity v at the end.
double calc_law(const model::Model& model, const Input& in, double h, const State& x,
                const Scratch& s, int k, double v) {
  const Weights weights(s.lag[k]);
  double torque = at(in.tau, k) - at(in.damping, k) * (weights.after * v + weights.before * x.v[k]);
  if (const double stiffness = at(in.stiffness, k); stiffness != 0.0)
    torque += stiffness * (at(in.target, k) - find_coordinate(model, s, k) -
                           h * (weights.reach_after * v - weights.reach_before * x.v[k]));
  return torque;
}

// The side that a joint should be on. One that leaves its limit is within first: a stiff one that
// lost its diagonal often looks as if it had to be at the other limit.
std::int8_t find_side(double torque, double limit, std::int8_t side) {
  if (side != 0) return side * torque >= (1.0 - kLeave) * limit ? side : std::int8_t(0);
  return torque > limit ? 1 : torque < -limit ? -1 : 0;
}

bool is_zero(const kernel::Mat3d& a) {
  return dot(a.c[0], a.c[0]) + dot(a.c[1], a.c[1]) + dot(a.c[2], a.c[2]) == 0.0;
}
bool gives_way(const PointWrench& wrench) {
  return !is_zero(wrench.damping) || !is_zero(wrench.turn_damping);
}

// Forces and torques less what the bodies' change of velocity takes of them.
void give_way(const model::Model& model, Doubles v_before, const dynamics::Kinematics<double>& kin,
              Doubles v_after, std::span<PointWrench> wrenches) {
  for (PointWrench& wrench : wrenches) {
    if (!gives_way(wrench)) continue;
    kernel::Motion<double> change;
    for (int i = wrench.body; i != 0; i = model.parent[i])
      for (int k = model.v_start[i], end = k + model.joint_nv(i); k < end; ++k)
        change = madd(v_after[k] - v_before[k], kin.S[k], change);
    const Vec3d r = kin.p_OB[wrench.body] + kin.R_WB[wrench.body] * wrench.p_BP;
    wrench.force = wrench.force - wrench.damping * (change.lin + cross(change.ang, r));
    wrench.torque = wrench.torque - wrench.turn_damping * change.ang;
  }
}

}  // namespace

bool calc_external(const model::Model& model, const dynamics::Kinematics<double>& kin,
                   std::span<const PointWrench> given, std::span<kernel::Force<double>> wrenches,
                   std::span<double> tau) {
  if (given.empty()) return false;
  std::fill(wrenches.begin(), wrenches.end(), kernel::Force<double>{});
  for (const PointWrench& wrench : given) {
    const Vec3d r = kin.p_OB[wrench.body] + kin.R_WB[wrench.body] * wrench.p_BP;
    wrenches[wrench.body] +=
        kernel::Force<double>{wrench.torque + cross(r, wrench.force), wrench.force};
  }
  for (int n = model.nbody - 2; n >= 0; --n) {
    const int i = model.sweep[n];
    for (int k = model.v_start[i], end = k + model.joint_nv(i); k < end; ++k)
      tau[k] = dot(kin.S[k], wrenches[i]);
    if (model.parent[i] != 0) wrenches[model.parent[i]] += wrenches[i];
  }
  return true;
}

void start_drives(const World& w, const Input& in, double h, const State& x, Scratch& s) {
  calc_external(w.model, s.frame.kin(), in.wrenches, s.wrenches, s.external);
  s.added.clear();
  for (const PointWrench& wrench : in.wrenches) {
    if (!gives_way(wrench)) continue;
    const Vec3d r = s.frame.kin().p_OB[wrench.body] + s.frame.kin().R_WB[wrench.body] * wrench.p_BP;
    s.added.push_back({wrench.body, dynamics::make_point_inertia(r, h * wrench.damping,
                                                                 h * wrench.turn_damping)});
  }
  if (in.limit.empty())
    std::fill(s.at_limit.begin(), s.at_limit.end(), std::int8_t(0));
  else
    std::copy(x.at_limit.begin(), x.at_limit.end(), s.at_limit.begin());
}

std::vector<double> calc_lightest(const model::Model& model) {
  const std::vector<double> q = model::make_neutral(model), still(model.nv);
  dynamics::Bodies bodies(model);
  bodies.update(model, q, still);
  dynamics::ForwardDynamics<double> forward(model);
  std::vector<double> unit(model.nv), answer(model.nv), out(model.nv);
  for (int k = 0; k < model.nv; ++k) {
    const int body = model.dof_body[k];
    if (dynamics::is_free_root(model, body)) {
      const auto inertia = calc_rigid_inertia(model, bodies.inertias(), body);
      out[k] = dot(bodies.kin().S[k], inertia * bodies.kin().S[k]) + model.rotor_inertia[k];
      continue;
    }
    unit[k] = 1.0;
    apply_inverse_mass(model, bodies.kin(), bodies.find_articulated(model), Doubles(unit),
                       std::span<const kernel::Force<double>>(), forward,
                       std::span<double>(answer));
    unit[k] = 0.0;
    out[k] = answer[k] > 0.0 ? 1.0 / answer[k] : 0.0;
  }
  return out;
}

void calc_drives(const World& w, const Input& in, double h, const State& x, Scratch& s) {
  const model::Model& model = w.model;
  const bool is_euler = w.integrator == Integrator::kEuler;
  for (int k = 0; k < model.nv; ++k) {
    const bool is_limited = s.at_limit[k] != 0;
    double d = model.damping[k] + at(in.damping, k), stiffness = at(in.stiffness, k);
    s.lag[k] = is_euler ? 1.0 : calc_lag(stiffness, d, h, s.lightest[k]);
    if (is_limited) d = model.damping[k], stiffness = 0.0;
    const Weights weights(s.lag[k]);
    s.diagonal[k] = h * weights.after * d + h * h * weights.reach_after * stiffness;
    s.tau[k] = (is_limited ? s.at_limit[k] * in.limit[k] : at(in.tau, k)) - d * x.v[k];
    if (stiffness != 0.0)
      s.tau[k] +=
          stiffness * (at(in.target, k) - find_coordinate(model, s, k) - h * s.lag[k] * x.v[k]);
  }
  if (in.wrenches.empty()) return;
  for (int k = 0; k < model.nv; ++k) s.tau[k] += s.external[k];
}

bool revise_limits(const model::Model& model, const Input& in, double h, const State& x, int pass,
                   Scratch& s) {
  bool has_changed = false;
  if (in.limit.empty()) return has_changed;
  for (int k = 0; k < model.nv; ++k) {
    if (!(in.limit[k] < model::kInfinity)) continue;
    const double torque = calc_law(model, in, h, x, s, k, s.v_next[k]);
    const std::int8_t side = find_side(torque, in.limit[k], s.at_limit[k]);
    if (side == s.at_limit[k] || (pass > kOnePasses && s.at_limit[k] != 0)) continue;
    s.at_limit[k] = side;
    has_changed = true;
    if (pass > kAllPasses && pass <= kOnePasses) return true;
  }
  return has_changed;
}

int find_broken_drive(const model::Model& model, const Input& in, double h, const State& x,
                      const Scratch& s) {
  if (in.limit.empty()) return -1;
  for (int k = 0; k < model.nv; ++k)
    if (s.at_limit[k] != 0 && find_side(calc_law(model, in, h, x, s, k, s.v_next[k]), in.limit[k],
                                        s.at_limit[k]) != s.at_limit[k])
      return k;
  return -1;
}

void book_drives(const model::Model& model, const Input& in, double h, State& x, Scratch& s) {
  double input = 0.0, joints = 0.0;
  for (int k = 0; k < model.nv; ++k) {
    const double after = s.v_next[k], mean = 0.5 * h * (x.v[k] + after);
    const Weights weights(s.lag[k]);
    joints -= model.damping[k] * (weights.after * after + weights.before * x.v[k]) * mean;
    s.drive[k] =
        s.at_limit[k] != 0 ? s.at_limit[k] * in.limit[k] : calc_law(model, in, h, x, s, k, after);
    input += s.drive[k] * mean;
  }
  s.pushes.assign(in.wrenches.begin(), in.wrenches.end());
  if (!s.added.empty()) {
    give_way(model, x.v, s.frame.kin(), s.v_next, s.pushes);
    calc_external(model, s.frame.kin(), s.pushes, s.wrenches, s.external);
  }
  if (!in.wrenches.empty())
    for (int k = 0; k < model.nv; ++k) input += s.external[k] * 0.5 * h * (x.v[k] + s.v_next[k]);
  x.energy.joints += joints;
  x.energy.input += input;
}

}  // namespace stance::sim
