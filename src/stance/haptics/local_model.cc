#include "stance/haptics/local_model.h"

#include <algorithm>

#include <Eigen/LU>

#include "stance/contact/contact_system.h"
#include "stance/contact/law.h"
#include "stance/dynamics/jacobian.h"

namespace stance::haptics {
namespace {

using kernel::Force;
using solver::Law;

// Contacts and limits that did not press stay away for the few milliseconds at hand.
bool is_in_force(const contact::GroupWork& work, int i) {
  const solver::Block& block = work.problem.blocks[i];
  switch (block.law) {
    case Law::kContact:
    case Law::kUnilateral: return work.p[i][0] > 0.0;
    case Law::kSpin: return work.p[block.normal][0] > 0.0;
    case Law::kBilateral:
    case Law::kBox: return true;
  }
  return false;
}

// Leaves those in force.
void reduce(contact::GroupWork& work) {
  solver::BodyProblem& problem = work.problem;
  int kept = 0, normal = -1;
  for (int i = 0; i < problem.num_blocks(); ++i) {
    if (!is_in_force(work, i)) continue;
    solver::Block block = problem.blocks[i];
    if (block.law == Law::kContact) normal = kept;
    if (block.law == Law::kSpin) block.normal = normal;  // it stands behind its contact
    problem.blocks[kept] = block, problem.rows[kept] = problem.rows[i];
    problem.q[kept] = problem.q[i], work.p[kept] = work.p[i];
    ++kept;
  }
  problem.blocks.resize(kept), problem.rows.resize(kept), problem.q.resize(kept);
  work.p.resize(kept);
}

}  // namespace

// ---- after a step -----------------------------------------------------------------------------

LocalModelMaker::LocalModelMaker(const model::Model& model)
    : work_(model),
      forward_(model),
      velocities_(model),
      wrenches_(model.nbody),
      motions_(model.nbody),
      none_(model.nv),
      answer_(model.nv) {}

// The constraints in force of the group that a tree is in, as a problem, or why they cannot be had.
LocalFault LocalModelMaker::find_group(const sim::StepView& view, int tree) {
  const contact::ContactScratch& s = view.scratch.contact;
  work_.problem.clear(), work_.p.clear(), work_.bodies.clear(), work_.trees.clear();
  for (int g = 0; g < s.groups.size(); ++g) {
    const std::span<const int> members = s.groups.members(g);
    const bool is_it = std::any_of(members.begin(), members.end(), [&](int i) {
      return s.trees[i].a == tree || s.trees[i].b == tree;
    });
    if (!is_it) continue;
    if (is_penalty(view.world.contact.law)) return LocalFault::kPenaltyLaw;
    make_problem(contact::Purpose::kVelocity, view.world.model, view.scratch.frame.kin(),
                 view.world.contact, members, view.h, s, work_);
    reduce(work_);
    return work_.problem.num_blocks() <= kMostBlocks ? LocalFault::kNone : LocalFault::kTooManyRows;
  }
  return LocalFault::kNone;  // it flies
}

// Motions of the group's nodes and coordinates, from those of all bodies and coordinates.
void LocalModelMaker::read(const contact::ContactScratch& s,
                           std::span<const kernel::Motion<double>> V, std::span<const double> v) {
  nodes_.V.clear();
  for (const int body : work_.bodies) nodes_.V.push_back(V[body]);
  nodes_.w.assign(work_.problem.num_coordinates, 0.0);
  for (std::size_t set = 0; set < work_.trees.size(); ++set)
    for (const int k : s.response.coordinates(work_.trees[set]))
      nodes_.w[work_.problem.sets[set].first + s.response.number_of(k)] = v[k];
}

// The step's inverse inertia L' has the coupling in it (docs/adr/0010); the device's thread adds
// its own. L' = L - L E (1 + L E)^-1 L with E = h C, turned round: L = L' + L' E (1 - L' E)^-1 L';
// what has to do with constraints likewise.
void LocalModelMaker::remove_coupling(double h, const Mat3d& damping, LocalModel& local) const {
  const Eigen::Matrix3d E = h * damping.eigen(), L = local.mobility.eigen();
  const Mat3d back(Eigen::Matrix3d(E * (Eigen::Matrix3d::Identity() - L * E).inverse()));
  const int n = local.num_blocks;
  for (int i = 0; i < n; ++i) {
    const Mat3d answer = local.coupling[i] * back;
    for (int j = 0; j < n; ++j) local.W[i * n + j] += answer * transpose(local.coupling[j]);
  }
  for (int i = 0; i < n; ++i) local.coupling[i] += local.coupling[i] * (back * local.mobility);
  local.mobility += local.mobility * (back * local.mobility);
}

void LocalModelMaker::update(const sim::StepView& view, const sim::Drag& drag, LocalModel& local) {
  const model::Model& model = view.world.model;
  const sim::Scratch& s = view.scratch;
  const model::BodyIndex body = drag.body;
  local.is_known = false, local.num_blocks = 0;
  local.fault = find_group(view, model.tree[body]);
  if (local.fault != LocalFault::kNone) return;
  const solver::BodyProblem& problem = work_.problem;
  const int n = local.num_blocks = problem.num_blocks();

  // constraints to each other
  make_explicit(problem, work_nodes_, problem_);
  std::copy(problem_.W.block.begin(), problem_.W.block.end(), local.W);

  // what unit forces at the point do to it, and to them
  const Vec3d r = s.frame.kin().p_OB[body] + s.frame.kin().R_WB[body] * drag.p_B;
  for (int k = 0; k < 3; ++k) {
    Vec3d unit;
    unit.set(k, 1.0);
    wrenches_[body] = Force<double>{cross(r, unit), unit};
    apply_inverse_mass(model, s.frame.kin(), s.art, std::span<const double>(none_),
                       std::span<const Force<double>>(wrenches_), forward_,
                       std::span<double>(answer_));
    update_velocities(model, s.frame.kin(), std::span<const double>(answer_), velocities_);
    local.mobility.c[k] = calc_point_velocity(s.frame.kin(), velocities_, body, drag.p_B);
    read(s.contact, velocities_.V, answer_);
    for (int i = 0; i < n; ++i) local.coupling[i].c[k] = read_rows(problem.rows[i], nodes_);
  }
  wrenches_[body] = {};
  remove_coupling(view.h, drag.wrench.damping, local);

  // how everything moves, and what changes that: all but the coupling, as it was before
  // constraints had answered
  update_velocities(model, s.frame.kin(), std::span<const double>(s.v_next), velocities_);
  read(s.contact, velocities_.V, s.v_next);
  for (int i = 0; i < n; ++i) local.u[i] = read_rows(problem.rows[i], nodes_);
  for (int b = 0; b < model.nbody; ++b)
    motions_[b] = (1.0 / view.h) * (s.free.V[b] - s.frame.vel().V[b]);
  for (int k = 0; k < model.nv; ++k) answer_[k] = (s.v_free[k] - s.v_start[k]) / view.h;
  read(s.contact, motions_, answer_);
  const Vec3d change = calc_point_velocity(s.frame.kin(), s.free, body, drag.p_B) -
                       calc_point_velocity(s.frame.kin(), s.frame.vel(), body, drag.p_B);
  const Vec3d force = drag.wrench.force - drag.wrench.damping * change;
  local.acceleration = (1.0 / view.h) * change - local.mobility * force;
  for (int i = 0; i < n; ++i) {
    local.rate[i] = read_rows(problem.rows[i], nodes_) - local.coupling[i] * force;
    local.pressed[i] = (1.0 / view.h) * work_.p[i];
    local.blocks[i] = problem.blocks[i];
    local.blocks[i].bound /= view.h;
  }
  local.spring = drag.stiffness, local.damper = drag.damper;
  local.is_known = true;
}

// ---- between steps ----------------------------------------------------------------------------

LocalMotion::LocalMotion() {
  constexpr std::size_t n = kMostBlocks;
  p_.reserve(n);
  problem_.blocks.reserve(n), problem_.q.reserve(n);
  problem_.W.row_start.reserve(n + 1), problem_.W.diagonal.reserve(n);
  problem_.W.column.reserve(n * n), problem_.W.block.reserve(n * n);
}

void LocalMotion::start(const LocalModel& local) {
  position_ = local.position, velocity_ = local.velocity;
  coupled_ = 0.0;
  if (!local.is_known) return;
  p_.assign(local.num_blocks, Vec3d());
  for (int i = 0; i < local.num_blocks; ++i) u_[i] = local.u[i];
}

// The matrices of steps of h seconds: what a constraint's impulse moves the point by, the coupling
// takes back in part.
void LocalMotion::couple(const LocalModel& local, double h) {
  if (h == coupled_) return;
  const int n = local.num_blocks;
  const Eigen::Matrix3d E =
      h * (local.damper.eigen() + h * local.spring * Eigen::Matrix3d::Identity());
  E_ = Mat3d(E);
  A_ = Mat3d(Eigen::Matrix3d((Eigen::Matrix3d::Identity() + local.mobility.eigen() * E).inverse()));
  const Mat3d EA = E_ * A_;
  problem_.blocks.assign(local.blocks, local.blocks + n);
  for (solver::Block& block : problem_.blocks) block.bound *= h;
  problem_.q.resize(n);
  solver::BlockMatrix& W = problem_.W;
  W.row_start.resize(n + 1), W.diagonal.resize(n);
  W.column.resize(static_cast<std::size_t>(n * n)), W.block.resize(W.column.size());
  for (int i = 0; i <= n; ++i) W.row_start[i] = i * n;
  for (int i = 0; i < n; ++i) {
    W.diagonal[i] = i * n + i;
    const Mat3d answer = local.coupling[i] * EA;
    for (int j = 0; j < n; ++j) {
      W.column[i * n + j] = j;
      W.block[i * n + j] = local.W[i * n + j] - answer * transpose(local.coupling[j]);
    }
  }
  coupled_ = h;
}

// v+ = v + h a + L (h f + impulses at the point's end), f = S (target - x - h v+) + D (velocity -
// v+): with E = h (D + h S), (1 + L E) v+ = v + h a + h L (S (target - x) + D velocity) + sum C_i^T
// p_i. Constraints see the rest of f: u+ = u + h rate + C h f + W p, f as a function of p put in.
void LocalMotion::advance(const LocalModel& local, double h, const Vec3d& target,
                          const Vec3d& velocity) {
  if (!(h > 0.0)) return;
  if (!local.is_known) return go_on(local, h);
  couple(local, h);
  const int n = local.num_blocks;
  const Vec3d pull = local.spring * (target - position_) + local.damper * velocity;  // at v+ = 0
  const Vec3d free = velocity_ + h * local.acceleration + h * (local.mobility * pull);
  const Vec3d alone = A_ * free;                // v+ without constraints
  const Vec3d impulse = h * pull - E_ * alone;  // h f, likewise
  Vec3d next = free;
  if (n > 0) {
    for (int i = 0; i < n; ++i) {
      problem_.q[i] = u_[i] + h * local.rate[i] + local.coupling[i] * impulse;
      if (norm(p_[i]) == 0.0) p_[i] = h * local.pressed[i];
    }
    solver::SolveOptions options;
    options.tolerance = kLocalTolerance, options.max_sweeps = n <= 8 ? 100 : 20,
    options.use_newton = false;
    unsolved_ += !solver_.solve(problem_, options, p_).is_converged;
    for (int i = 0; i < n; ++i) next += transpose_mul(local.coupling[i], p_[i]);
    for (int i = 0; i < n; ++i) u_[i] = problem_.q[i] + problem_.W.multiply_row(i, p_);
  }
  velocity_ = A_ * next;
  position_ += h * velocity_;
}

}  // namespace stance::haptics
