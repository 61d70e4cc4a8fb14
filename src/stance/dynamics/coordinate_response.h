#pragma once

// What unit impulses on single coordinates do: columns of M^-1, and the motions of bodies that go
// with them. Joint limits, dry friction and mimic joints act on coordinates, contacts on bodies;
// both meet here. M carries the implicit diagonal that `art` was made with.
//
// All columns of a tree are found side by side, four to a register: entry c of every row belongs to
// the c-th coordinate in use.

#include <span>
#include <vector>

#include "stance/dynamics/aba.h"

namespace stance::dynamics {

class CoordinateResponse {
 public:
  explicit CoordinateResponse(const Model& model);

  // Takes over the coordinates in use, no two the same. Memory is asked for only when a tree has
  // more than ever before.
  void set(const Model& model, std::span<const int> coordinates);

  // Refreshes all columns.
  void update(const Model& model, const Kinematics<double>& kin, const Articulated<double>& art);

  // Those of a tree, ascending.
  std::span<const int> coordinates(int tree) const { return trees_[tree].coordinates; }
  int stride(int tree) const { return trees_[tree].stride; }  // their count rounded up to fours
  int number_of(int coordinate) const { return number_of_[coordinate]; }  // within its tree, or -1

  // (count x stride) accelerations of these coordinates for unit forces on them; symmetric.
  const double* response(int tree) const { return trees_[tree].vdot.data(); }
  // (6 x stride) acceleration of a body at O, component by component, for unit forces on them; by
  // symmetry also what unit forces on the body do to them.
  const double* body_response(const Model& model, int body) const;

 private:
  struct Tree {
    std::vector<int> bodies;       // parents first
    std::vector<int> coordinates;  // in use
    int stride = 0;
    std::vector<double> vdot;  // (count x stride)
    std::vector<double> A;     // (bodies x 6 x stride)
    std::vector<double> u;     // (coordinates of the tree x stride)
  };

  void update(const Model& model, const Kinematics<double>& kin, const Articulated<double>& art,
              Tree& tree);

  std::vector<Tree> trees_;
  std::vector<int> in_use_;     // trees with coordinates
  std::vector<int> place_;      // by body: its place among those of its tree
  std::vector<int> dof_place_;  // by coordinate: its place among those of its tree
  std::vector<int> number_of_;
};

}  // namespace stance::dynamics
