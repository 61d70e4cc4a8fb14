#include "stance/haptics/local_model.h"

#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "stance/dynamics/jacobian.h"

namespace stance::haptics {

// ---- after a step -----------------------------------------------------------------------------

void LocalModelMaker::update(const sim::StepView& view, model::BodyIndex body, const Vec3d& p_B,
                             const Vec3d& force, LocalModel& local) {
  const model::Model& model = view.world.model;
  const sim::Scratch& s = view.scratch;
  local.is_known = false, local.num_contacts = 0;

  // a body that hangs on nothing and carries nothing
  int members = 0;
  for (int b = 1; b < model.nbody; ++b) members += model.tree[b] == model.tree[body];
  if (members != 1) return;

  struct Pressed {
    int point;
    double sign;  // the body is a: 1
  };
  Pressed pressed[kMostContacts];
  int count = 0;
  list_.clear();
  list_.push_back({body, p_B});
  const Vec3d origin = s.kin.calc_position(model, body, Vec3d());
  for (std::size_t k = 0; k < s.contact.contacts.size(); ++k) {
    const collision::ContactPoint& point = s.contact.points[static_cast<int>(k)];
    const bool is_a = point.body_a == body, is_b = point.body_b == body;
    if (!is_a && !is_b) continue;
    if ((is_a ? point.body_b : point.body_a) != 0) return;
    if (!(s.contact.contacts[k].p[0] > 0.0)) continue;
    if (count == kMostContacts) return;
    pressed[count++] = {static_cast<int>(k), is_a ? 1.0 : -1.0};
    list_.push_back({body, transpose_mul(s.kin.R_WB[body], point.p_W - origin)});
  }

  points_.set(model, list_);
  update_points(model, s.kin, points_, lambda_);
  update_lambda(dynamics::DelassusMethod::kSkeleton, model, s.kin, s.art, points_, lambda_);
  const int size = 3 * static_cast<int>(list_.size());
  const Eigen::Map<const Eigen::MatrixXd> lambda(lambda_.lambda().data(), size, size);
  const auto block = [&](int i, int j) {
    return Mat3d(Eigen::Matrix3d(lambda.block<3, 3>(3 * i, 3 * j)));
  };
  // rows of a contact's frame, as columns of its transpose; turned over where the body is b
  Mat3d frame[kMostContacts];
  for (int i = 0; i < count; ++i) {
    const contact::PointContact& c = s.contact.contacts[pressed[i].point];
    const Vec3d n = s.contact.points[pressed[i].point].n_W;
    frame[i] = Mat3d(pressed[i].sign * n, pressed[i].sign * c.t1, pressed[i].sign * c.t2);
  }

  local.mobility = block(0, 0);
  const Vec3d before = calc_point_velocity(s.kin, s.before, body, p_B);
  const Vec3d free = calc_point_velocity(s.kin, s.free, body, p_B);
  local.acceleration = (1.0 / view.h) * (free - before) - local.mobility * force;
  for (int i = 0; i < count; ++i) {
    const contact::PointContact& c = s.contact.contacts[pressed[i].point];
    local.u[i] = c.u;
    local.friction[i] = c.material.friction;
    local.pressed[i] = (1.0 / view.h) * c.p;
    local.coupling[i] = transpose(frame[i]) * block(1 + i, 0);
    local.rate[i] = (1.0 / view.h) * (c.u_free - c.u_before) - local.coupling[i] * force;
    for (int j = 0; j < count; ++j)
      local.W[i][j] = transpose(frame[i]) * (block(1 + i, 1 + j) * frame[j]);
  }

  // the damper of the drag, from its spring and the inverse inertia (sim/drag.h)
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes;
  axes.computeDirect(local.mobility.eigen());
  Eigen::Matrix3d damper = Eigen::Matrix3d::Zero();
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d axis = axes.eigenvectors().col(k);
    const double felt = axes.eigenvalues()[k];
    if (!(felt > 0.0)) continue;
    const double kp = dot(Vec3d(axis), local.spring * Vec3d(axis));
    damper += std::sqrt(2.0 * std::max(0.0, kp) / felt) * axis * axis.transpose();
  }
  local.damper = Mat3d(damper);
  local.num_contacts = count;
  local.is_known = true;
}

// ---- between steps ----------------------------------------------------------------------------

LocalMotion::LocalMotion() {
  p_.reserve(kMostContacts);
  problem_.blocks.reserve(kMostContacts);
  problem_.q.reserve(kMostContacts);
  problem_.W.row_start.reserve(kMostContacts + 1);
  problem_.W.diagonal.reserve(kMostContacts);
  problem_.W.column.reserve(kMostContacts * kMostContacts);
  problem_.W.block.reserve(kMostContacts * kMostContacts);
}

void LocalMotion::start(const LocalModel& local) {
  position_ = local.position, velocity_ = local.velocity;
  p_.assign(local.num_contacts, Vec3d());
  for (int i = 0; i < local.num_contacts; ++i) u_[i] = local.u[i];
}

// v+ = v + h a + L (h f + impulses at the point's end), f = S (target - x - h v+) + D (velocity -
// v+): with E = h (D + h S), (1 + L E) v+ = v + h a + h L (S (target - x) + D velocity) + sum C_i^T
// p_i. Contacts see the rest of f: u+ = u + h rate + C h f + W p, f as a function of p put in.
void LocalMotion::advance(const LocalModel& local, double h, const Vec3d& target,
                          const Vec3d& velocity) {
  if (!local.is_known) return go_on(local, h);
  const int n = local.num_contacts;
  const Mat3d& L = local.mobility;
  const Eigen::Matrix3d E = h * (local.damper.eigen() + h * local.spring.eigen());
  const Mat3d A(Eigen::Matrix3d((Eigen::Matrix3d::Identity() + L.eigen() * E).inverse()));
  const Mat3d EA(Eigen::Matrix3d(E * A.eigen()));
  const Vec3d pull = local.spring * (target - position_) + local.damper * velocity;  // at v+ = 0
  const Vec3d free = velocity_ + h * local.acceleration + h * (L * pull);
  const Vec3d alone = A * free;  // v+ without contacts

  if (n > 0) {
    const Vec3d impulse =
        h * pull - Vec3d(Eigen::Vector3d(E * alone.eigen()));  // h f, without them
    problem_.blocks.assign(n, {});
    problem_.q.resize(n);
    problem_.W.row_start.assign(1, 0);
    problem_.W.column.clear(), problem_.W.block.clear(), problem_.W.diagonal.clear();
    for (int i = 0; i < n; ++i) {
      problem_.blocks[i].mu = local.friction[i];
      problem_.q[i] = u_[i] + h * local.rate[i] + local.coupling[i] * impulse;
      for (int j = 0; j < n; ++j) {
        if (i == j) problem_.W.diagonal.push_back(static_cast<int>(problem_.W.block.size()));
        problem_.W.column.push_back(j);
        // what a contact's impulse moves the point by, the coupling takes back in part
        problem_.W.block.push_back(local.W[i][j] -
                                   local.coupling[i] * (EA * transpose(local.coupling[j])));
      }
      problem_.W.row_start.push_back(static_cast<int>(problem_.W.block.size()));
      if (norm(p_[i]) == 0.0) p_[i] = h * local.pressed[i];
    }
    solver::SolveOptions options;
    options.tolerance = 1e-6, options.max_sweeps = 100, options.use_newton = false;
    (void)solver_.solve(problem_, options, p_);
  }

  Vec3d next = free;
  for (int i = 0; i < n; ++i) next += transpose_mul(local.coupling[i], p_[i]);
  next = A * next;
  for (int i = 0; i < n; ++i) u_[i] = problem_.q[i] + problem_.W.multiply_row(i, p_);
  velocity_ = next;
  position_ += h * next;
}

}  // namespace stance::haptics
