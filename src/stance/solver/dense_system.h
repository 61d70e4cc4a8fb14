#pragma once

// A x = b, dense and small, by Gauss elimination with partial pivoting.

#include <vector>

namespace stance::solver {

class DenseSystem {
 public:
  // Begins a system of n unknowns; allocates only when it is larger than any before. All entries
  // have to be written.
  void start(int n);
  void reserve(int n);

  int size() const { return n_; }
  double* row(int i) { return row_[static_cast<std::size_t>(i)]; }  // (n) of A
  double& right(int i) { return row_[static_cast<std::size_t>(i)][right_]; }

  // Leaves x in `solution`; false when A is singular or x is not finite.
  bool solve();
  const std::vector<double>& solution() const { return x_; }

 private:
  bool factor_panel(int begin, int end);
  void finish_panel(int begin, int end);
  void update_rest(int begin, int end);

  // The right side stands behind the columns, at a multiple of four; between them are zeros.
  int n_ = 0, right_ = 0, stride_ = 0;
  std::vector<double> a_;
  std::vector<double*> row_;  // in the order of pivots
  std::vector<double> x_;
};

}  // namespace stance::solver
