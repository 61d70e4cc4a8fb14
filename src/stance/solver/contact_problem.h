#pragma once

// A contact problem as plain data: u = (W + C) p + q, and a law between u and p for every block.
//
// Everything comes in blocks of three rows, whatever it is: a point contact (normal, two tangents),
// the spin and roll of a contact, three bilateral rows, a joint limit (one row, two unused). Unused
// rows of W and q are zero. Impulses p in N s (or N m s), velocities u in m/s (or rad/s), so W is
// an inverse inertia; W need be neither symmetric nor of full rank. C is what gives way beside it
// (compliance.h), mostly nothing.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stance/kernel/vec3.h"
#include "stance/solver/compliance.h"

namespace stance::solver {

using kernel::Mat3d;
using kernel::Vec3d;

// What u and p of a block have to do with each other; rows are numbered 0, 1, 2.
enum class Law : std::uint8_t {
  kContact,     // row 0 normal, rows 1 and 2 tangents: Signorini and Coulomb's cone |p_T| <= mu p_N
  kSpin,        // row 0 torsion |p_0| <= mu p_N, rows 1 and 2 rolling |p_R| <= mu_rolling p_N,
                // p_N the normal impulse of block `normal`
  kBilateral,   // all rows: u = 0
  kUnilateral,  // row 0: 0 <= p, u >= 0, p u = 0
  kBox,         // row 0: |p| <= bound, u opposite to p at the bounds
};

struct Block {
  Law law = Law::kContact;
  int rows = 3;             // rows in use
  double mu = 0.0;          // kContact: friction coefficient; kSpin: torsional one, in m
  double mu_rolling = 0.0;  // kSpin: rolling one, in m
  double bound = 0.0;       // kBox, N s
  int normal = -1;          // kSpin: the contact it belongs to
};

// The last of the laws above.
inline constexpr Law kLastLaw = Law::kBox;

// Rows that the law is about; the others are zero.
int count_rows(const Block& block);

// The normal impulse that bounds a kSpin block; other laws have none.
inline double find_load(const Block& block, std::span<const Vec3d> p) {
  return block.law == Law::kSpin ? p[block.normal][0] : 0.0;
}

// W by rows of 3x3 blocks; columns ascending in each row, the diagonal always present.
struct BlockMatrix {
  std::vector<int> row_start = {0};  // (n + 1) index of the first block of a row
  std::vector<int> column;           // by block
  std::vector<int> diagonal;         // (n) index of the diagonal block
  std::vector<Mat3d> block;

  int num_rows() const { return static_cast<int>(row_start.size()) - 1; }

  // row i of W p
  Vec3d multiply_row(int i, std::span<const Vec3d> p) const;
};

struct ContactProblem {
  std::vector<Block> blocks;  // (n)
  std::vector<Vec3d> q;       // (n) velocities without impulses, restitution included
  BlockMatrix W;
  Compliance C;

  int num_blocks() const { return static_cast<int>(blocks.size()); }
};

// Impulses and the velocities they lead to.
struct ContactSolution {
  std::vector<Vec3d> p, u;  // (n) each
};

// Makes the block matrix from a dense one, column-major, three rows per block; blocks that are all
// zero are left out.
BlockMatrix make_block_matrix(int num_blocks, std::span<const double> dense);

// One entry of a sparse matrix, by scalar row and column; entries of the same place add up.
struct Entry {
  int row, column;
  double value;
};
BlockMatrix make_block_matrix(int num_blocks, std::vector<Entry> entries);

// W + C as one matrix: W itself where nothing gives way, else the sum, made in `room`, whose memory
// is kept.
const BlockMatrix& find_total(const ContactProblem& problem, BlockMatrix& room);

// A sentence on the first thing that makes the problem meaningless (a size, a coefficient, a number
// that is not finite), or nothing.
std::string find_fault(const ContactProblem& problem);

inline Vec3d BlockMatrix::multiply_row(int i, std::span<const Vec3d> p) const {
  // three sums side by side: one chain would wait for each product
  Vec3d x, y, z;
  for (int k = row_start[i], end = row_start[i + 1]; k < end; ++k) {
    const Vec3d& f = p[column[k]];
    x = madd(f[0], block[k].c[0], x);
    y = madd(f[1], block[k].c[1], y);
    z = madd(f[2], block[k].c[2], z);
  }
  return x + (y + z);
}

}  // namespace stance::solver
