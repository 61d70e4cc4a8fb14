#pragma once

// Stance's algorithms on one robot in one state, called as a user calls them.

#include <vector>

#include "stance/dynamics/aba.h"
#include "stance/dynamics/crba.h"
#include "stance/dynamics/delassus.h"
#include "stance/dynamics/rnea.h"

namespace stance::bench {

using dynamics::ContactPoint;
using dynamics::DelassusMethod;
using model::Model;
using model::Vec3d;

inline const Vec3d kGravity(0.0, 0.0, -9.81);

struct MotionState {
  std::vector<double> q, v, tau;
};

// Velocities and torques of a robot in motion: seeded random numbers of order one and ten.
MotionState make_motion(const Model& model, std::vector<double> q);

class Workload {
 public:
  Workload(const Model& model, MotionState state, std::vector<ContactPoint> contacts = {});

  // From q, v and tau, sines and cosines included. Calls alternate between two states a hair
  // apart, as they must for peers that skip what did not change.
  void run_fk();
  void run_rnea();
  void run_crba();
  void run_crba_factor();
  void run_aba();
  void run_omega(DelassusMethod method);
  void run_lambda(DelassusMethod method);

  // The stages of the last two by themselves.
  void update_free_pass();  // from q to the articulated inertias
  void update_contacts();   // ContactSet::set and update_points
  void update_omega(DelassusMethod method);
  void update_lambda(DelassusMethod method);

  void set_contacts(std::vector<ContactPoint> contacts) { points_ = std::move(contacts); }

  const Model& model() const { return model_; }
  const MotionState& state() const { return states_[0]; }
  const std::vector<ContactPoint>& points() const { return points_; }
  const dynamics::ContactSet& contacts() const { return contacts_; }
  const dynamics::Delassus<double>& delassus() const { return delassus_; }

  // What M, bias and vdot are in state(), row-major, for comparing with others.
  struct Answers {
    std::vector<double> M, bias, vdot;
  };
  Answers calc_answers();

 private:
  const MotionState& next_state() { return states_[turn_ = 1 - turn_]; }
  void update_motion(const MotionState& x);

  const Model& model_;
  MotionState states_[2];
  int turn_ = 0;
  std::vector<ContactPoint> points_;
  std::vector<double> vdot_, result_;

  dynamics::Kinematics<double> kin_;
  dynamics::Inertias<double> inertias_;
  dynamics::Velocities<double> vel_;
  dynamics::NewtonEuler<double> newton_euler_;
  dynamics::Articulated<double> art_;
  dynamics::ForwardDynamics<double> forward_;
  dynamics::MassMatrix<double> mass_;
  dynamics::MassFactor factor_;
  dynamics::ContactSet contacts_;
  dynamics::Delassus<double> delassus_;
  dynamics::DirectDelassus direct_;
};

}  // namespace stance::bench
