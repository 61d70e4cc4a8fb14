#include "stance/control/walk_plan.h"

#include <algorithm>
#include <cmath>

#include "stance/kernel/error.h"

namespace stance::control {

using kernel::Vec3d;

double calc_minimum_jerk(double s) {
  s = std::clamp(s, 0.0, 1.0);
  return s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

double calc_bump(double s) {
  s = std::clamp(s, 0.0, 1.0);
  const double r = s * (1.0 - s);
  return 64.0 * r * r * r;
}

WalkPlan::WalkPlan(const WalkOptions& options) : options_(options) {
  const WalkOptions& o = options_;
  if (o.steps < 1 || !(o.swing > 0.0) || !(o.both > 0.0) || !(o.start > 0.0) || !(o.end > 0.0) ||
      !(o.sample > 0.0))
    throw Error("a walk needs at least one step, and times above 0");
  double x[2] = {0.0, 0.0};
  for (int k = 0; k < o.steps; ++k) {
    const Foot foot = k % 2 == 0 ? Foot::kLeft : Foot::kRight;
    const double from = o.start + k * (o.swing + o.both);
    double& own = x[static_cast<int>(foot)];
    const double other = x[1 - static_cast<int>(foot)];
    // the last step brings the feet together
    const double to = k + 1 < o.steps ? other + o.step_length : other;
    swings_.push_back({foot, from, from + o.swing, own, to});
    own = to;
  }
  duration_ = swings_.back().until + o.end;
}

double WalkPlan::calc_y(Foot foot) const {
  return (foot == Foot::kLeft ? 0.5 : -0.5) * options_.foot_spacing;
}

bool WalkPlan::is_flat(Foot foot, double time, double margin) const {
  return std::none_of(swings_.begin(), swings_.end(), [&](const Swing& swing) {
    return swing.foot == foot && time + margin > swing.from && time - margin < swing.until;
  });
}

SolePose WalkPlan::calc_sole(Foot foot, double time) const {
  SolePose pose{{0.0, calc_y(foot), 0.0}};
  for (const Swing& swing : swings_) {
    if (swing.foot != foot || time <= swing.from) continue;
    const double s = (time - swing.from) / (swing.until - swing.from), up = calc_bump(s);
    const double x = swing.x_from + calc_minimum_jerk(s) * (swing.x_to - swing.x_from);
    pose.p = {x, pose.p[1], options_.clearance * up};
    pose.pitch = options_.swing_pitch * up * (1.0 - 2.0 * std::min(s, 1.0));
  }
  return pose;
}

Vec3d WalkPlan::calc_zmp(double time) const {
  // where it is between steps: the middle, each foot that carries, the middle
  const auto below = [&](Foot foot, double x) {
    return Vec3d(x + options_.zmp_forward, calc_y(foot), 0.0);
  };
  Vec3d zmp(options_.zmp_forward, 0.0, 0.0);
  double x[2] = {0.0, 0.0};
  for (const Swing& swing : swings_) {
    const Foot other = swing.foot == Foot::kLeft ? Foot::kRight : Foot::kLeft;
    const double s = calc_minimum_jerk((time - swing.from + options_.both) / options_.both);
    zmp = madd(s, below(other, x[static_cast<int>(other)]) - zmp, zmp);
    x[static_cast<int>(swing.foot)] = swing.x_to;
  }
  const double s = calc_minimum_jerk((time - swings_.back().until) / options_.both);
  const Vec3d rest(0.5 * (x[0] + x[1]) + options_.zmp_forward, 0.0, 0.0);
  return madd(s, rest - zmp, zmp);
}

namespace {

// c - z/g c'' = zmp with c = zmp at both ends, by Thomas' algorithm.
std::vector<double> solve_cart(const std::vector<double>& zmp, double z_over_g, double dt) {
  const int n = static_cast<int>(zmp.size());
  const double a = z_over_g / (dt * dt);
  std::vector<double> c(n), upper(n);
  c[0] = zmp[0];
  for (int k = 1; k < n - 1; ++k) {
    const double pivot = 1.0 + 2.0 * a - a * upper[k - 1];
    upper[k] = a / pivot;
    c[k] = (zmp[k] + a * c[k - 1]) / pivot;
  }
  c[n - 1] = zmp[n - 1];
  for (int k = n - 2; k > 0; --k) c[k] += upper[k] * c[k + 1];
  return c;
}

}  // namespace

CartPath calc_cart_path(std::vector<double> zmp, const std::vector<double>& first,
                        const std::vector<double>& last, double z_over_g, double dt) {
  const int n = static_cast<int>(zmp.size());
  if (n < 3) throw Error("a path needs three samples or more");
  const std::vector<double> c = solve_cart(zmp, z_over_g, dt);
  const std::vector<double> a = solve_cart(first, z_over_g, dt);
  const std::vector<double> b = solve_cart(last, z_over_g, dt);
  // rest at both ends: two equations for how much of each shape
  const auto start = [](const std::vector<double>& x) { return x[1] - x[0]; };
  const auto stop = [n](const std::vector<double>& x) { return x[n - 1] - x[n - 2]; };
  const double det = start(a) * stop(b) - start(b) * stop(a);
  const double alpha = -(start(c) * stop(b) - start(b) * stop(c)) / det;
  const double beta = -(start(a) * stop(c) - start(c) * stop(a)) / det;
  CartPath path{c, std::move(zmp)};
  for (int k = 0; k < n; ++k) {
    path.c[k] += alpha * a[k] + beta * b[k];
    path.zmp[k] += alpha * first[k] + beta * last[k];
  }
  return path;
}

}  // namespace stance::control
