// DART as a peer process; see peer_protocol.h for what it answers.
//
// DART's velocities of free and ball joints are in the axes of the body, ours in those of the joint
// frame; its positions are rotation vectors where ours are quaternions. DART 6.12 has no rotor
// inertia: `eval` adds it on the diagonal of M and solves densely where there is any; `time` and
// `lambda` stay with DART's own algorithms, without it.
#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <dart/config.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "peer_protocol.h"

namespace stance::bench {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Projection = Eigen::Matrix<double, 3, 6>;
using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Vector3d to_vector(const std::array<double, 3>& x) { return Vector3d(x[0], x[1], x[2]); }

std::vector<double> to_list(const VectorXd& x) { return {x.data(), x.data() + x.size()}; }

std::vector<double> to_list(const MatrixXd& A) {
  const RowMajorMatrix rows = A;
  return {rows.data(), rows.data() + rows.size()};
}

Eigen::Matrix3d calc_rotation(const double* quaternion) {
  return Eigen::Quaterniond(quaternion[0], quaternion[1], quaternion[2], quaternion[3])
      .normalized()
      .toRotationMatrix();
}

// Rotation vector of a quaternion w x y z, accurate up to half a turn.
Vector3d calc_rotation_vector(const double* quaternion) {
  const Eigen::Vector4d u = Eigen::Map<const Eigen::Vector4d>(quaternion).normalized();
  const Vector3d axis = u.tail<3>();
  const double sine = axis.norm();
  if (sine < 1e-150) return Vector3d::Zero();
  const double angle = 2 * (u[0] < 0 ? std::atan2(-sine, -u[0]) : std::atan2(sine, u[0]));
  return axis * (angle / sine);
}

template <typename JointType>
dart::dynamics::BodyNode* add_body(const PeerBody& b, dart::dynamics::BodyNode* parent,
                                   dart::dynamics::Skeleton& skeleton) {
  typename JointType::Properties joint;
  joint.mName = "joint_" + b.name;
  joint.mT_ParentBodyToJoint.linear() =
      Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(b.R_PJ.data());
  joint.mT_ParentBodyToJoint.translation() = to_vector(b.p_PJ);
  if constexpr (requires { joint.mAxis; }) joint.mAxis = to_vector(b.axis);

  dart::dynamics::BodyNode::Properties body;
  const auto& I = b.inertia;
  body.mName = b.name;
  body.mInertia = dart::dynamics::Inertia(b.mass, b.com[0], b.com[1], b.com[2], I[0], I[3], I[5],
                                          I[1], I[2], I[4]);
  return skeleton.createJointAndBodyNodePair<JointType>(parent, joint, body).second;
}

dart::dynamics::BodyNode* add_any_body(const PeerBody& b, dart::dynamics::BodyNode* parent,
                                       dart::dynamics::Skeleton& skeleton) {
  using namespace dart::dynamics;
  if (b.type == "free") return add_body<FreeJoint>(b, parent, skeleton);
  if (b.type == "revolute") return add_body<RevoluteJoint>(b, parent, skeleton);
  if (b.type == "prismatic") return add_body<PrismaticJoint>(b, parent, skeleton);
  if (b.type == "spherical") return add_body<BallJoint>(b, parent, skeleton);
  throw PeerError("body " + b.name + ": " + b.type + " joints are unsupported");
}

class DartPeer final : public Peer {
 public:
  explicit DartPeer(const PeerModel& model) : skeleton_(dart::dynamics::Skeleton::create("peer")) {
    skeleton_->setGravity(to_vector(model.gravity));
    std::vector<double> armature;
    for (const PeerBody& b : model.bodies) {
      auto* parent = b.parent < 0 ? nullptr : bodies_[b.parent];
      bodies_.push_back(add_any_body(b, parent, *skeleton_));
      types_.push_back(b.type);
      armature.insert(armature.end(), b.armature.begin(), b.armature.end());
    }

    // P x_ours = x_dart: where our degrees of freedom are in the skeleton
    const int nv = static_cast<int>(skeleton_->getNumDofs());
    P_.resize(nv);
    int v = 0;
    for (auto* body : bodies_)
      for (size_t k = 0; k < body->getParentJoint()->getNumDofs(); ++k)
        P_.indices()[v++] = static_cast<int>(body->getParentJoint()->getIndexInSkeleton(k));
    armature_ = Eigen::Map<VectorXd>(armature.data(), nv);
    T_.setZero(nv, nv);
    Tdot_v_.setZero(nv);
    for (State& s : states_)
      s = {VectorXd::Zero(nv), VectorXd::Zero(nv), VectorXd::Zero(nv), VectorXd::Zero(nv)};
  }

  std::string library() const override { return "dart " DART_VERSION; }

  void set_state(const std::vector<double>& q, const std::vector<double>& v,
                 const std::vector<double>& tau) override {
    const int nv = static_cast<int>(v.size());
    State& s = states_[0];
    s.q = P_ * calc_positions(q);
    update_velocity_map(q, Eigen::Map<const VectorXd>(v.data(), nv));
    s.v = T_ * Eigen::Map<const VectorXd>(v.data(), nv);
    s.tau = T_ * Eigen::Map<const VectorXd>(tau.data(), nv);
    loaded_ = 1;
    load_state();
    skeleton_->computeForwardDynamics();
    s.vdot = skeleton_->getAccelerations();

    // DART skips a setter that changes nothing, so timed calls alternate between two states
    states_[1] = s;
    states_[1].q.array() += 1e-9;
    states_[1].v.array() += 1e-9;
  }

  // M_ours = T^T M T, bias_ours = T^T (bias + M Tdot v), vdot_ours = T^T (ddq - Tdot v)
  PeerEval eval() override {
    loaded_ = 1;
    load_state();
    MatrixXd M = T_.transpose() * skeleton_->getMassMatrix() * T_;
    const VectorXd bias = T_.transpose() * (skeleton_->getCoriolisAndGravityForces() +
                                            skeleton_->getMassMatrix() * Tdot_v_);
    VectorXd vdot = T_.transpose() * (states_[0].vdot - Tdot_v_);
    if (!armature_.isZero(0)) {
      M.diagonal() += armature_;
      vdot = M.llt().solve(T_.transpose() * states_[0].tau - bias);
    }
    return {to_list(M), to_list(bias), to_list(vdot)};
  }

  void set_contacts(const std::vector<PeerContact>& contacts) override {
    contacts_ = contacts;
    const auto rows = static_cast<Eigen::Index>(3 * contacts.size());
    J_.setZero(rows, skeleton_->getNumDofs());
    lambda_.setZero(rows, rows);
    projections_.resize(contacts.size());
    touched_.clear();
    slots_.clear();
    for (const PeerContact& c : contacts) {
      const auto found = std::find(touched_.begin(), touched_.end(), c.body);
      slots_.push_back(found - touched_.begin());
      if (found == touched_.end()) touched_.push_back(c.body);
    }
    omega_.resize(touched_.size() * touched_.size());
  }

  // Three ways to the same matrix; they must agree.
  std::vector<double> calc_lambda() override {
    std::vector<MatrixXd> answers;
    for (auto update : {&DartPeer::update_lambda_inverse, &DartPeer::update_lambda_rows,
                        &DartPeer::update_lambda}) {
      loaded_ = 1;
      (this->*update)();
      answers.push_back(lambda_);
    }
    for (const MatrixXd& answer : answers)
      if (!answer.isApprox(lambda_, 1e-8)) throw PeerError("DART's three matrices disagree");
    return to_list(lambda_);
  }

  std::function<void()> find_algorithm(const std::string& name) override {
    if (name == "state") return [this] { load_state(); };
    if (name == "fk")
      return [this] { load_positions(), skeleton_->computeForwardKinematics(true, false, false); };
    if (name == "crba") return [this] { load_positions(), skeleton_->getMassMatrix(); };
    if (name == "rnea") return [this] { calc_inverse(); };
    if (name == "aba" || name == "fwd")
      return [this] { load_state(), skeleton_->computeForwardDynamics(); };
    if (contacts_.empty()) return {};
    if (name == "omega") return [this] { update_omega(); };
    if (name == "lambda") return [this] { update_lambda(); };
    if (name == "lambda_rows") return [this] { update_lambda_rows(); };
    if (name == "lambda_inverse") return [this] { update_lambda_inverse(); };
    return {};
  }

 private:
  struct State {
    VectorXd q, v, tau, vdot;
  };

  VectorXd calc_positions(const std::vector<double>& q) const {
    VectorXd x(skeleton_->getNumDofs());
    int from = 0, to = 0;
    for (const std::string& type : types_) {
      if (joint_nv(type) == 1) {
        x[to] = q[from];
      } else {
        x.segment<3>(to) = calc_rotation_vector(&q[from]);
        if (type == "free") x.segment<3>(to + 3) = Eigen::Map<const Vector3d>(&q[from + 4]);
      }
      from += joint_nq(type);
      to += joint_nv(type);
    }
    return x;
  }

  // dq = T v with T orthogonal, and Tdot v. Of a free joint w_B = R_JB^T w_J, v_B = R_JB^T v_J, so
  // that d/dt (R_JB^T v_J) = R_JB^T vdot_J - w_B x v_B.
  void update_velocity_map(const std::vector<double>& q, const VectorXd& v) {
    T_.setZero();
    Tdot_v_.setZero();
    int from = 0, to = 0;
    for (const std::string& type : types_) {
      const int nv = joint_nv(type);
      if (nv == 1) {
        T_(to, to) = 1;
      } else {
        const Eigen::Matrix3d R_JB = calc_rotation(&q[from]);
        for (int k = to; k < to + nv; k += 3) T_.block<3, 3>(k, k) = R_JB.transpose();
        if (type == "free")
          Tdot_v_.segment<3>(to + 3) =
              -R_JB.transpose() * v.segment<3>(to).cross(v.segment<3>(to + 3));
      }
      from += joint_nq(type);
      to += nv;
    }
    T_ = P_ * T_;
    Tdot_v_ = P_ * Tdot_v_;
  }

  void load_positions() {
    loaded_ = 1 - loaded_;
    skeleton_->setPositions(states_[loaded_].q);
  }

  void load_state() {
    load_positions();
    skeleton_->setVelocities(states_[loaded_].v);
    skeleton_->setForces(states_[loaded_].tau);
  }

  void calc_inverse() {
    load_positions();
    skeleton_->setVelocities(states_[loaded_].v);
    skeleton_->setAccelerations(states_[loaded_].vdot);
    skeleton_->computeInverseDynamics();
  }

  // J M^-1 J^T
  void update_lambda_inverse() {
    load_positions();
    for (size_t i = 0; i < contacts_.size(); ++i)
      J_.middleRows<3>(3 * i) =
          skeleton_->getLinearJacobian(bodies_[contacts_[i].body], to_vector(contacts_[i].point));
    X_.noalias() = J_ * skeleton_->getInvMassMatrix();
    lambda_.noalias() = X_ * J_.transpose();
  }

  // A column per unit impulse at a point, as DART's constraint solver does.
  void update_lambda_rows() {
    load_positions();
    update_projections();
    for (size_t j = 0; j < contacts_.size(); ++j)
      for (int k = 0; k < 3; ++k) {
        apply_impulse(bodies_[contacts_[j].body], projections_[j].row(k).transpose());
        for (size_t i = 0; i < contacts_.size(); ++i)
          lambda_.block<3, 1>(3 * i, 3 * j + k) =
              projections_[i] * bodies_[contacts_[i].body]->getBodyVelocityChange();
      }
  }

  // Six unit impulses per body in contact: the fewest DART needs. Block (b, a) of n by n maps an
  // impulse on body a to the velocity of body b, both in body axes.
  void update_omega() {
    load_positions();
    const size_t n = touched_.size();
    for (size_t a = 0; a < n; ++a)
      for (int k = 0; k < 6; ++k) {
        apply_impulse(bodies_[touched_[a]], Eigen::Vector6d::Unit(k));
        for (size_t b = 0; b < n; ++b)
          omega_[b * n + a].col(k) = bodies_[touched_[b]]->getBodyVelocityChange();
      }
  }

  // From there the points, by projection.
  void update_lambda() {
    update_omega();
    update_projections();
    const size_t n = touched_.size();
    for (size_t i = 0; i < contacts_.size(); ++i)
      for (size_t a = 0; a < n; ++a) {
        const Projection G = projections_[i] * omega_[slots_[i] * n + a];
        for (size_t j = 0; j < contacts_.size(); ++j)
          if (slots_[j] == a)
            lambda_.block<3, 3>(3 * i, 3 * j).noalias() = G * projections_[j].transpose();
      }
  }

  void apply_impulse(dart::dynamics::BodyNode* body, const Eigen::Vector6d& F_B) {
    skeleton_->clearConstraintImpulses();
    skeleton_->updateBiasImpulse(body, F_B);
    skeleton_->updateVelocityChange();
  }

  // velocity of a point in the world from that of its body in B: R_WB (v_B + w_B x p)
  void update_projections() {
    for (size_t i = 0; i < contacts_.size(); ++i) {
      const auto& R_WB = bodies_[contacts_[i].body]->getWorldTransform().linear();
      projections_[i] << -R_WB * dart::math::makeSkewSymmetric(to_vector(contacts_[i].point)), R_WB;
    }
  }

  dart::dynamics::SkeletonPtr skeleton_;
  std::vector<dart::dynamics::BodyNode*> bodies_;
  std::vector<std::string> types_;
  Eigen::PermutationMatrix<Eigen::Dynamic> P_;
  VectorXd armature_;  // ours
  MatrixXd T_;         // dq = T v, by set_state
  VectorXd Tdot_v_;
  State states_[2];  // in DART's order; the second a hair away
  int loaded_ = 0;   // which of them DART has
  std::vector<PeerContact> contacts_;
  std::vector<int> touched_;   // bodies in contact, each once
  std::vector<size_t> slots_;  // of each contact's body in touched_
  std::vector<Projection> projections_;
  std::vector<Eigen::Matrix6d> omega_;
  MatrixXd J_, X_, lambda_;
};

}  // namespace
}  // namespace stance::bench

int main() {
  using namespace stance::bench;
  std::cerr.rdbuf(nullptr);  // DART warns of massless links, which are legal here
  return serve([](const PeerModel& model) -> std::unique_ptr<Peer> {
    return std::make_unique<DartPeer>(model);
  });
}
