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

double find_coordinate(const model::Model& model, const State& x, int k) {
  const int i = model.dof_body[k];
  return x.q[model.q_start[i] + k - model.v_start[i]];
}

// The drive's torque without its limit, for a velocity v at the end.
double calc_law(const model::Model& model, const Input& in, double h, const State& x, int k,
                double v) {
  double torque = at(in.tau, k) - at(in.damping, k) * v;
  if (const double stiffness = at(in.stiffness, k); stiffness != 0.0)
    torque += stiffness * (at(in.target, k) - find_coordinate(model, x, k) - h * v);
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
  calc_external(w.model, s.start.kin(), in.wrenches, s.wrenches, s.external);
  s.added.clear();
  for (const PointWrench& wrench : in.wrenches) {
    if (!gives_way(wrench)) continue;
    const Vec3d r = s.start.kin().p_OB[wrench.body] + s.start.kin().R_WB[wrench.body] * wrench.p_BP;
    s.added.push_back({wrench.body, dynamics::make_point_inertia(r, h * wrench.damping,
                                                                 h * wrench.turn_damping)});
  }
  if (in.limit.empty())
    std::fill(s.at_limit.begin(), s.at_limit.end(), std::int8_t(0));
  else
    std::copy(x.at_limit.begin(), x.at_limit.end(), s.at_limit.begin());
}

void calc_drives(const model::Model& model, const Input& in, double h, const State& x, Scratch& s) {
  for (int k = 0; k < model.nv; ++k) {
    if (s.at_limit[k] != 0) {
      s.diagonal[k] = h * model.damping[k];
      s.tau[k] = s.at_limit[k] * in.limit[k] - model.damping[k] * x.v[k];
      continue;
    }
    const double d = model.damping[k] + at(in.damping, k), stiffness = at(in.stiffness, k);
    s.diagonal[k] = h * d + h * h * stiffness;
    s.tau[k] = at(in.tau, k) - d * x.v[k];
    if (stiffness != 0.0)
      s.tau[k] += stiffness * (at(in.target, k) - find_coordinate(model, x, k) - h * x.v[k]);
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
    const double torque = calc_law(model, in, h, x, k, s.v_next[k]);
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
    if (s.at_limit[k] != 0 && find_side(calc_law(model, in, h, x, k, s.v_next[k]), in.limit[k],
                                        s.at_limit[k]) != s.at_limit[k])
      return k;
  return -1;
}

void book_drives(const model::Model& model, const Input& in, double h, State& x, Scratch& s) {
  double input = 0.0, joints = 0.0;
  for (int k = 0; k < model.nv; ++k) {
    const double after = s.v_next[k], mean = 0.5 * h * (x.v[k] + after);
    joints -= model.damping[k] * after * mean;
    s.drive[k] =
        s.at_limit[k] != 0 ? s.at_limit[k] * in.limit[k] : calc_law(model, in, h, x, k, after);
    input += s.drive[k] * mean;
  }
  s.pushes.assign(in.wrenches.begin(), in.wrenches.end());
  if (!s.added.empty()) {
    give_way(model, x.v, s.start.kin(), s.v_next, s.pushes);
    calc_external(model, s.start.kin(), s.pushes, s.wrenches, s.external);
  }
  if (!in.wrenches.empty())
    for (int k = 0; k < model.nv; ++k) input += s.external[k] * 0.5 * h * (x.v[k] + s.v_next[k]);
  x.energy.joints += joints;
  x.energy.input += input;
}

}  // namespace stance::sim
