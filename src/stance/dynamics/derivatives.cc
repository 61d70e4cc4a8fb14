#include "stance/dynamics/derivatives.h"

#include <algorithm>

#include "stance/kernel/assert.h"

namespace stance::dynamics {

using kernel::Dual;

DerivativesWork::DerivativesWork(const Model& model)
    : kin(model),
      inertias(model),
      vel(model),
      newton_euler(model),
      q(model.nq),
      v(model.nv),
      vdot(model.nv),
      tau(model.nv),
      step(model.nv) {}

namespace {

// tau and its derivatives along the directions that work.q and work.v carry, into the columns
// first .. first+3 of `out`.
void run_pass(const Model& model, const Vec3d& gravity, int first, DerivativesWork& work,
              Eigen::Ref<Eigen::MatrixXd> out) {
  using In = std::span<const Dual>;
  update_kinematics(model, In(work.q), work.kin);
  update_inertias(model, work.kin, work.inertias);
  update_velocities(model, work.kin, In(work.v), work.vel);
  calc_inverse_dynamics(model, gravity, work.kin, work.inertias, work.vel, In(work.vdot),
                        std::span<const Force<Dual>>(), work.newton_euler,
                        std::span<Dual>(work.tau));
  const int count = std::min(Dual::kDirections, model.nv - first);
  for (int k = 0; k < model.nv; ++k)
    for (int n = 0; n < count; ++n) out(k, first + n) = work.tau[k].d[n];
}

}  // namespace

void calc_inverse_dynamics_derivatives(const Model& model, const Vec3d& gravity,
                                       std::span<const double> q, std::span<const double> v,
                                       std::span<const double> vdot, DerivativesWork& work,
                                       Eigen::Ref<Eigen::MatrixXd> dtau_dq,
                                       Eigen::Ref<Eigen::MatrixXd> dtau_dv) {
  STANCE_ASSERT(static_cast<int>(q.size()) == model.nq && static_cast<int>(v.size()) == model.nv);
  for (int k = 0; k < model.nv; ++k) {
    work.v[k] = Dual(v[k]);
    work.vdot[k] = Dual(vdot[k]);
  }

  // by q: start from q (+) epsilon e_k
  for (int first = 0; first < model.nv; first += Dual::kDirections) {
    std::fill(work.step.begin(), work.step.end(), Dual());
    for (int n = 0; n < Dual::kDirections && first + n < model.nv; ++n)
      work.step[first + n].d[n] = 1.0;
    for (int k = 0; k < model.nq; ++k) work.q[k] = Dual(q[k]);
    model::integrate(model, work.q.data(), work.step.data(), work.q.data());
    run_pass(model, gravity, first, work, dtau_dq);
  }

  // by v
  for (int k = 0; k < model.nq; ++k) work.q[k] = Dual(q[k]);
  for (int first = 0; first < model.nv; first += Dual::kDirections) {
    const int count = std::min(Dual::kDirections, model.nv - first);
    for (int n = 0; n < count; ++n) work.v[first + n].d[n] = 1.0;
    run_pass(model, gravity, first, work, dtau_dv);
    for (int n = 0; n < count; ++n) work.v[first + n] = Dual(v[first + n]);
  }
}

void calc_forward_dynamics_derivatives(const Model& model, const Vec3d& gravity,
                                       std::span<const double> q, std::span<const double> v,
                                       std::span<const double> vdot, const MassFactor& factor,
                                       DerivativesWork& work,
                                       Eigen::Ref<Eigen::MatrixXd> dvdot_dq,
                                       Eigen::Ref<Eigen::MatrixXd> dvdot_dv,
                                       Eigen::Ref<Eigen::MatrixXd> dvdot_dtau) {
  // M dvdot = -(dtau/dq dq + dtau/dv dv) at constant tau
  calc_inverse_dynamics_derivatives(model, gravity, q, v, vdot, work, dvdot_dq, dvdot_dv);
  dvdot_dtau.setIdentity();
  for (int k = 0; k < model.nv; ++k) {
    dvdot_dq.col(k) = -dvdot_dq.col(k);
    dvdot_dv.col(k) = -dvdot_dv.col(k);
    const auto column = [&](Eigen::Ref<Eigen::MatrixXd>& m) {
      return std::span<double>(m.col(k).data(), model.nv);
    };
    solve_mass(model, factor, column(dvdot_dq));
    solve_mass(model, factor, column(dvdot_dv));
    solve_mass(model, factor, column(dvdot_dtau));
  }
}

}  // namespace stance::dynamics
