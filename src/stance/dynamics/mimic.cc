#include "stance/dynamics/mimic.h"

#include <algorithm>

namespace stance::dynamics {

MimicWork::MimicWork(const Model& model)
    : unit(model.nv, 0.0),
      Y(model.nv, model.mimics.size()),
      A(model.mimics.size(), model.mimics.size()),
      lambda(model.mimics.size()),
      factor(static_cast<Eigen::Index>(model.mimics.size())) {}

void apply_mimics(const Model& model, const Kinematics<double>& kin, const Articulated<double>& art,
                  std::span<const double> v, double h, ForwardDynamics<double>& forward,
                  MimicWork& work, std::span<double> vdot) {
  const int count = static_cast<int>(model.mimics.size());
  if (count == 0) return;
  const auto row_times = [&](int m, const auto& x) {
    const model::Mimic& mimic = model.mimics[m];
    return x[model.v_start[mimic.follower]] - mimic.ratio * x[model.v_start[mimic.leader]];
  };

  // columns M^-1 G^T, then G M^-1 G^T
  for (int m = 0; m < count; ++m) {
    const model::Mimic& mimic = model.mimics[m];
    double& follower = work.unit[model.v_start[mimic.follower]];
    double& leader = work.unit[model.v_start[mimic.leader]];
    follower = 1.0, leader = -mimic.ratio;
    apply_inverse_mass(model, kin, art, std::span<const double>(work.unit),
                       std::span<const Force<double>>(), forward,
                       std::span<double>(work.Y.col(m).data(), model.nv));
    follower = leader = 0.0;
  }
  for (int m = 0; m < count; ++m) {
    for (int n = 0; n < count; ++n) work.A(m, n) = row_times(m, work.Y.col(n));
    work.lambda[m] = -row_times(m, vdot) - (h > 0.0 ? row_times(m, v) / h : 0.0);
  }

  work.factor.compute(work.A);
  work.factor.solveInPlace(work.lambda);
  for (int m = 0; m < count; ++m)
    for (int k = 0; k < model.nv; ++k) vdot[k] += work.Y(k, m) * work.lambda[m];
}

void set_mimic_positions(const Model& model, std::span<double> q) {
  for (const model::Mimic& mimic : model.mimics)
    q[model.q_start[mimic.follower]] = mimic.ratio * q[model.q_start[mimic.leader]] + mimic.offset;
}

void set_mimic_velocities(const Model& model, std::span<double> v) {
  for (const model::Mimic& mimic : model.mimics)
    v[model.v_start[mimic.follower]] = mimic.ratio * v[model.v_start[mimic.leader]];
}

}  // namespace stance::dynamics
