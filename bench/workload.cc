#include "workload.h"

#include <random>
#include <utility>

namespace stance::bench {

MotionState make_motion(const Model& model, std::vector<double> q) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  MotionState state{std::move(q), std::vector<double>(model.nv), std::vector<double>(model.nv)};
  for (double& x : state.v) x = unit(generator);
  for (double& x : state.tau) x = 10.0 * unit(generator);
  return state;
}

Workload::Workload(const Model& model, MotionState state, std::vector<ContactPoint> contacts)
    : model_(model),
      states_{state, state},
      points_(std::move(contacts)),
      vdot_(model.nv),
      result_(model.nv),
      kin_(model),
      inertias_(model),
      vel_(model),
      newton_euler_(model),
      art_(model),
      forward_(model),
      mass_(model),
      factor_(model),
      contacts_(model),
      delassus_(model),
      direct_(model) {
  const std::vector<double> hair(model.nv, 1e-9);
  model::integrate(model, state.q.data(), hair.data(), states_[1].q.data());
  for (double& x : states_[1].v) x += 1e-9;

  // the accelerations that rnea is to explain
  run_aba();
  vdot_ = result_;
}

void Workload::run_fk() { dynamics::update_kinematics<double>(model_, next_state().q, kin_); }

void Workload::update_motion(const MotionState& x) {
  dynamics::update_kinematics<double>(model_, x.q, kin_);
  dynamics::update_inertias(model_, kin_, inertias_);
  dynamics::update_velocities<double>(model_, kin_, x.v, vel_);
}

void Workload::run_rnea() {
  update_motion(next_state());
  dynamics::calc_inverse_dynamics<double>(model_, kGravity, kin_, inertias_, vel_, vdot_, {},
                                          newton_euler_, result_);
}

void Workload::run_crba() {
  dynamics::update_kinematics<double>(model_, next_state().q, kin_);
  dynamics::update_inertias(model_, kin_, inertias_);
  dynamics::update_mass_matrix(model_, kin_, inertias_, mass_);
}

void Workload::run_crba_factor() {
  run_crba();
  dynamics::update_mass_factor(model_, mass_.M, {}, factor_);
}

void Workload::run_aba() {
  const MotionState& x = next_state();
  update_motion(x);
  dynamics::update_articulated<double>(model_, kin_, inertias_, {}, art_);
  dynamics::calc_forward_dynamics<double>(model_, kGravity, kin_, inertias_, vel_, art_, x.tau, {},
                                          forward_, result_);
}

void Workload::update_free_pass() {
  dynamics::update_kinematics<double>(model_, next_state().q, kin_);
  dynamics::update_inertias(model_, kin_, inertias_);
  dynamics::update_articulated<double>(model_, kin_, inertias_, {}, art_);
}

void Workload::update_contacts() {
  contacts_.set(model_, points_);
  dynamics::update_points(model_, kin_, contacts_, delassus_);
}

void Workload::update_omega(DelassusMethod method) {
  dynamics::update_omega(method, model_, kin_, art_, contacts_, delassus_);
}

void Workload::update_lambda(DelassusMethod method) {
  if (method == DelassusMethod::kDirect)
    dynamics::update_lambda_direct(model_, kin_, inertias_, {}, contacts_, direct_, delassus_);
  else
    dynamics::update_lambda(method, model_, kin_, art_, contacts_, delassus_);
}

void Workload::run_omega(DelassusMethod method) {
  update_free_pass();
  update_contacts();
  update_omega(method);
}

void Workload::run_lambda(DelassusMethod method) {
  dynamics::update_kinematics<double>(model_, next_state().q, kin_);
  dynamics::update_inertias(model_, kin_, inertias_);
  // the direct method takes the mass matrix instead of the articulated inertias
  if (method != DelassusMethod::kDirect)
    dynamics::update_articulated<double>(model_, kin_, inertias_, {}, art_);
  update_contacts();
  update_lambda(method);
}

Workload::Answers Workload::calc_answers() {
  Answers answers;
  turn_ = 1;
  run_crba();
  answers.M.assign(mass_.M.data(), mass_.M.data() + mass_.M.size());
  turn_ = 1;
  run_aba();
  answers.vdot = result_;
  dynamics::calc_inverse_dynamics<double>(model_, kGravity, kin_, inertias_, vel_, {}, {},
                                          newton_euler_, result_);
  answers.bias = result_;
  return answers;
}

}  // namespace stance::bench
