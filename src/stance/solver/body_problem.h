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
//
// What gives way (compliance.h) acts beside Omega, from block to block: u_i has row i of C p added.

#include "stance/kernel/spatial.h"
#include "stance/solver/contact_problem.h"
#include "stance/solver/residual.h"

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
  Compliance C;

  int num_blocks() const { return static_cast<int>(blocks.size()); }
  int num_nodes() const { return static_cast<int>(nodes.size()); }
  void clear() {
    nodes.clear(), response.clear(), sets.clear(), blocks.clear(), rows.clear(), q.clear();
    num_coordinates = 0;
    C.clear();
  }
};

// Velocities that impulses give.
struct NodeMotions {
  std::vector<Motion<double>> V;  // by node
  std::vector<double> w;          // by coordinate
  std::vector<Vec3d> deflection;  // by block: C p; empty where nothing gives way

  // work space: sums of impulses
  std::vector<Force<double>> wrench;  // by node
  std::vector<double> impulse;        // by coordinate
};

// (f_0 . V, f_1 . V, f_2 . V)
inline Vec3d read(const Force<double>* f, const Motion<double>& V) {
  const auto product = [&](int k) {
    return kernel::fma4(f[k].lin.e, V.lin.e, f[k].ang.e * V.ang.e);
  };
  return Vec3d(kernel::sum4x4(product(0), product(1), product(2), kernel::Double4{}));
}

// Adds what a change of a block's impulse does to nodes and coordinates.
void push(const BodyProblem& problem, const BodyProblem::Rows& rows, const Vec3d& dp,
          NodeMotions& to);

// What motions of nodes and coordinates due to impulses mean for a block.
inline Vec3d read_rows(const BodyProblem::Rows& rows, const NodeMotions& from) {
  if (rows.k1 >= 0) {
    double u = rows.c1 * from.w[rows.k1];
    if (rows.k2 >= 0) u += rows.c2 * from.w[rows.k2];
    return {u, 0.0, 0.0};
  }
  Vec3d u;
  if (rows.a >= 0) u += read(rows.f_a, from.V[rows.a]);
  if (rows.b >= 0) u -= read(rows.f_b, from.V[rows.b]);
  return u;
}

// What impulses do, u of a block with them, and their grade.
void calc_motions(const BodyProblem& problem, std::span<const Vec3d> p, NodeMotions& motions);
inline Vec3d calc_velocity(const BodyProblem& problem, int i, const NodeMotions& motions) {
  const Vec3d u = problem.q[i] + read_rows(problem.rows[i], motions);
  return motions.deflection.empty() ? u : u + motions.deflection[i];
}
Residual calc_residual(const BodyProblem& problem, std::span<const Vec3d> p, NodeMotions& motions);

// The same problem with its matrix, every block of it, and C as it is; memory is kept from call to
// call.
void make_explicit(const BodyProblem& problem, NodeMotions& work, ContactProblem& result);

}  // namespace stance::solver
