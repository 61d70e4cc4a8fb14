#pragma once

// Newton's method on many free bodies, in the space of their velocities.
//
// With dV = M^-1 J^T dp, the linear system A J dV + (B + alpha rho A) dp = -F can be solved block
// by block for dp, which leaves (M + J^T C J) dV = -J^T C' F with C' = (B + alpha rho A)^-1 and
// C = C' A: six unknowns a body instead of three a point, and couplings only between bodies that
// touch. The matrix is not symmetric (friction), its pattern is. It is factored in blocks of 6x6,
// in an order of least degree; pivots are sought within the diagonal blocks. What gives way within
// one block only stands beside alpha; pads that couple blocks are left to others.

#include <cstdint>

#include "stance/solver/body_problem.h"
#include "stance/solver/newton.h"

namespace stance::solver {

class BodyNewton final : public NewtonProblem {
 public:
  // Whether every node is a tree of its own, without coordinates, and no compliance couples blocks.
  static bool can_serve(const BodyProblem& problem);

  // Order, pattern and masses of a problem, which must outlive its use here; memory is kept.
  void start(const BodyProblem& problem);

  std::span<const Block> blocks() const override { return problem_->blocks; }
  std::span<const Vec3d> free_velocities() const override { return problem_->q; }
  Vec3d own_part(int i) const override;
  void calc_velocities(std::span<const Vec3d> p, std::span<Vec3d> u) override;
  bool solve(std::span<const NewtonRow> rows, double alpha, std::span<Vec3d> dp) override;
  double step_cost() const override;

 private:
  // 6x6 by columns of six padded to eight.
  struct Block6 {
    kernel::Double4 top[6], low[6];
  };
  struct Column6 {
    kernel::Double4 top{}, low{};
  };
  struct Term {  // a point's share: C, and what it adds to the right side
    Mat3d C;
    Vec3d c;
  };

  void find_order();
  void find_pattern();
  int find_entry(int low, int high) const;
  void add_point(const BodyProblem::Rows& rows, const Term& term, int entry);
  bool factor();
  void substitute();

  static void multiply_subtract(const Block6& a, const Block6& b, Block6& c);
  static Block6 multiply(const Block6& a, const Block6& b);
  static void multiply_subtract(const Block6& a, const Column6& x, Column6& y);
  static bool invert(Block6& a);
  static Column6 wrench_column(const Force<double>& f);

  const BodyProblem* problem_ = nullptr;
  int size_ = 0;  // nodes

  // order and pattern; places are numbers in the order
  std::vector<std::uint64_t> links_;  // (nodes x words) bits, while the order is sought
  std::vector<int> degree_, node_at_, place_of_;
  std::vector<int> column_start_, row_;  // below the diagonal, by place, rows ascending
  std::vector<int> entry_of_;            // by contact block: its pair's entry, -1 if one is fixed
  double products_ = 0.0;                // of 6x6 blocks in a factor

  std::vector<Block6> mass_, diagonal_;  // by place; the diagonal is inverted by factor()
  std::vector<Block6> lower_, upper_;    // by entry: (row, column), (column, row)
  std::vector<Column6> x_;               // by place: right side, then dV
  std::vector<Mat3d> inverse_;           // by contact block: (B + alpha rho A)^-1
  NodeMotions motions_;
};

}  // namespace stance::solver
