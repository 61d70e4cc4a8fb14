#pragma once

// A contact problem in the space of bodies and coordinates: W is never formed.
//
// Impulses act on nodes, the bodies in contact, and on coordinates, those of joints with a limit,
// dry friction or a mimic. A change of one block's impulse changes velocities of nodes through
// Omega, the response between nodes of one tree, and of coordinates through columns of M^-1; blocks
// read their u off the velocities of what they act on. A sweep then costs the same per block
// however many blocks a body has: linear in points for a fixed number of bodies, where W is
// quadratic.
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
    int set = -1;            // coordinates of its tree, if any are in use
    // (6 x stride) motion of the node, component by component, for a unit impulse on each of them;
    // by symmetry also what a unit force on the node does to them
    const double* by_coordinates = nullptr;
  };
  // Coordinates of one tree; the data belongs to someone else.
  struct CoordinateSet {
    int first_node = 0, end_node = 0;  // of its tree
    int first = 0;                     // its first coordinate in the numbering of Rows
    int count = 0, stride = 0;         // stride: count rounded up to a multiple of four
    const double* response = nullptr;  // (count x stride) between them, zero where padded
  };
  // Either the three rows of a block as wrenches on its nodes: +f on a, -f on b; -1 is the fixed
  // world. Or one row on coordinates, c1 of k1 and c2 of k2.
  struct Rows {
    int a = -1, b = -1;
    int k1 = -1, k2 = -1, set1 = -1, set2 = -1;
    double c1 = 0.0, c2 = 0.0;
    Force<double> f_a[3], f_b[3];
  };

  std::vector<Node> nodes;
  std::vector<Mat6<double>> response;
  std::vector<CoordinateSet> sets;
  int num_coordinates = 0;    // padding included
  std::vector<Block> blocks;  // (n)
  std::vector<Rows> rows;     // (n)
  std::vector<Vec3d> q;       // (n) velocities without impulses, restitution included

  int num_blocks() const { return static_cast<int>(blocks.size()); }
  int num_nodes() const { return static_cast<int>(nodes.size()); }
  void clear() {
    nodes.clear(), response.clear(), sets.clear(), blocks.clear(), rows.clear(), q.clear();
    num_coordinates = 0;
  }
};

// Velocities that impulses give.
struct NodeMotions {
  std::vector<Motion<double>> V;  // by node
  std::vector<double> w;          // by coordinate
};

// The same problem with its matrix, every block of it; memory is kept from call to call.
void make_explicit(const BodyProblem& problem, NodeMotions& work, ContactProblem& result);

class BodySweeps final : public Sweeps {
 public:
  // Prepares for a problem, which must outlive its use here; allocates only when it has more blocks
  // or nodes than any before.
  void start(const BodyProblem& problem);

  int size() const override { return problem_->num_blocks(); }
  double free_speed() const override { return free_speed_; }
  double sweep_cost() const override;
  double matrix_blocks() const override;
  void place(std::span<const Vec3d> p) override { calc_motions(p, motions_); }
  StartGrade grade_start(std::span<const Vec3d> p, double near, double settled,
                         Residual& residual) const override;
  int hold_still(std::span<Vec3d> p, double aim) override;  // body_still.cc
  SweepReport sweep(std::span<Vec3d> p, double relaxation, double precision) override;
  void project(std::span<Vec3d> p) const override { project_impulses(problem_->blocks, p); }
  Residual grade(std::span<const Vec3d> p) const override;
  const ContactProblem* explicit_problem() const override;  // of small problems only

  // u of a block as the last sweep or place left it.
  Vec3d swept_velocity(int i) const { return calc_velocity(i, motions_); }

 private:
  // What a block keeps at hand.
  struct Local {
    Mat3d W;                          // its own part
    Motion<double> by_a[3], by_b[3];  // Omega f of its own nodes
    LocalFactor factor;
    double lambda = 0.0;
    bool alone = false;  // both trees have one node each and no coordinates, and are two
  };

  void prepare();
  void calc_motions(std::span<const Vec3d> p, NodeMotions& motions) const;
  Vec3d read_motions(int i, const NodeMotions& motions) const;
  Vec3d calc_velocity(int i, const NodeMotions& motions) const {
    return problem_->q[i] + read_motions(i, motions);
  }
  bool find_held_rows(std::span<const Vec3d> p);
  Vec3d precondition(int i, const Vec3d& u) const;
  void start_body_block(const BodyProblem::Rows& rows, const Block& block, Local& local) const;
  void start_coordinate_block(const BodyProblem::Rows& rows, const Block& block,
                              Local& local) const;

  const BodyProblem* problem_ = nullptr;
  double free_speed_ = 0.0;
  bool is_prepared_ = false;
  std::vector<Local> locals_;  // before the first sweep
  NodeMotions motions_;        // due to impulses only
  // of hold_still, by block: 1 in rows that are held, what is left of their velocities, impulses
  // found and tried
  std::vector<Vec3d> held_, left_, found_, tried_, response_;
  mutable ContactProblem explicit_;  // made when first asked for
  mutable bool has_explicit_ = false;
  mutable NodeMotions graded_;
  mutable std::vector<Force<double>> wrench_;  // by node
  mutable std::vector<double> impulse_;        // by coordinate
};

}  // namespace stance::solver
