#pragma once

// What unit impulses on single coordinates do: columns of M^-1, and the motions of bodies that go
// with them. Joint limits, dry friction and mimic joints act on coordinates, contacts on bodies;
// both meet here. M carries the implicit diagonal that `art` was made with.

#include <span>
#include <vector>

#include "stance/dynamics/aba.h"

namespace stance::dynamics {

class CoordinateResponse {
 public:
  explicit CoordinateResponse(const Model& model);

  // Takes over the coordinates in use, ascending. Memory is asked for only when there are more than
  // ever before.
  void set(std::span<const int> coordinates);

  // Refreshes all columns.
  void update(const Model& model, const Kinematics<double>& kin, const Articulated<double>& art);

  int size() const { return static_cast<int>(coordinates_.size()); }
  std::span<const int> coordinates() const { return coordinates_; }
  int number_of(int coordinate) const { return number_of_[coordinate]; }  // -1: not in use

  // Acceleration of coordinate i (by number) for a unit force on j; 0 across trees.
  double coordinate(int i, int j) const { return vdot_[column(j) + coordinates_[i]]; }
  // Acceleration of a body of the same tree, at O, for a unit force on j; by symmetry also what a
  // force on the body does to coordinate j.
  const Motion<double>& body(int body, int j) const { return A_[j * nbody_ + body]; }

 private:
  std::size_t column(int j) const { return static_cast<std::size_t>(j) * nv_; }

  int nv_ = 0;
  std::size_t nbody_ = 0;
  std::vector<std::vector<int>> bodies_of_;  // by tree, parents first
  std::vector<int> coordinates_, number_of_;
  std::vector<double> vdot_, u_;
  std::vector<Motion<double>> A_;
};

}  // namespace stance::dynamics
