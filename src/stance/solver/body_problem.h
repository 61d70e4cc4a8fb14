#pragma once

// A contact problem in the space of bodies: W is never formed.
//
// Impulses act on nodes, the bodies in contact; a change of one block's impulse changes velocities
// of nodes through Omega, the response between nodes of one tree, and blocks read their u off the
// velocities of their two nodes. A sweep then costs the same per block however many blocks a body
// has: linear in points for a fixed number of bodies, where W is quadratic.
//
// u_i = q_i + f_a . (V_a - V_a free) - f_b . (V_b - V_b free), W_ij = f_i . Omega . f_j.

#include "stance/kernel/spatial.h"
#include "stance/solver/local_law.h"
#include "stance/solver/sweeps.h"

namespace stance::solver {

using kernel::Force;
using kernel::Mat6;
using kernel::Motion;

struct BodyProblem {
  // Nodes of one tree stand together; a tree may have as few as one.
  struct Node {
    int first = 0, end = 0;  // nodes of its tree
    int responses = 0;       // response[responses + k - first] maps a force on it to a motion of k
  };
  // The three rows of a block as wrenches on its nodes: +f on a, -f on b; -1 is the fixed world.
  struct Rows {
    int a = -1, b = -1;
    Force<double> f_a[3], f_b[3];
  };

  std::vector<Node> nodes;
  std::vector<Mat6<double>> response;
  std::vector<Block> blocks;  // (n)
  std::vector<Rows> rows;     // (n)
  std::vector<Vec3d> q;       // (n) velocities without impulses, restitution included

  int num_blocks() const { return static_cast<int>(blocks.size()); }
  int num_nodes() const { return static_cast<int>(nodes.size()); }
  void clear() { nodes.clear(), response.clear(), blocks.clear(), rows.clear(), q.clear(); }
};

// The same problem with its matrix, every block of it; memory is kept from call to call.
void make_explicit(const BodyProblem& problem, ContactProblem& result);

class BodySweeps final : public Sweeps {
 public:
  // Prepares for a problem, which must outlive its use here; allocates only when it has more blocks
  // or nodes than any before.
  void start(const BodyProblem& problem);

  int size() const override { return problem_->num_blocks(); }
  double free_speed() const override { return free_speed_; }
  void place(std::span<const Vec3d> p) override { calc_motions(p, V_); }
  SweepReport sweep(std::span<Vec3d> p, double relaxation) override;
  void project(std::span<Vec3d> p) const override { project_impulses(problem_->blocks, p); }
  Residual grade(std::span<const Vec3d> p) const override;
  const ContactProblem* explicit_problem() const override;  // of small problems only

  // Velocities that impulses give to the nodes (num_nodes), and to the blocks.
  void calc_motions(std::span<const Vec3d> p, std::span<Motion<double>> V) const;
  Vec3d calc_velocity(int i, std::span<const Motion<double>> V) const;

  // u of a block as the last sweep or place left it.
  Vec3d swept_velocity(int i) const { return calc_velocity(i, V_); }

 private:
  // What a block keeps at hand.
  struct Local {
    Mat3d W;                          // its own part
    Motion<double> by_a[3], by_b[3];  // Omega f of its own nodes
    LocalFactor factor;
    double lambda = 0.0;
    bool alone = false;  // both trees have one node each, and are two
  };

  void push(const BodyProblem::Rows& rows, const Vec3d& dp);

  const BodyProblem* problem_ = nullptr;
  double free_speed_ = 0.0;
  std::vector<Local> locals_;
  std::vector<Motion<double>> V_;    // by node, due to impulses only
  mutable ContactProblem explicit_;  // made when first asked for
  mutable bool has_explicit_ = false;
  mutable std::vector<Motion<double>> graded_;
  mutable std::vector<Force<double>> wrench_;  // by node
};

}  // namespace stance::solver
