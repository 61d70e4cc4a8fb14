#pragma once

// The inverse inertia at the contacts.
//
// Omega: for every pair of contacting bodies i, j the 6x6 block that maps a force on j to the
// acceleration of i, world axes at O. Lambda = J M^-1 J^T: the same between contact points, 3x3
// blocks in world axes. M may carry an implicit diagonal; it is the one `art` was made with.
//
// Five methods that must agree (docs/papers.md#h3), all fed by what the free pass left in
// Kinematics and Articulated; README.md has the formulas:
//   direct         J M^-1 J^T with the sparse factor of M
//   per_point      three unit forces per point through the tree       (Chardonnet et al. 2006)
//   chang_khatib   recursion of Omega from the root to the contacts   (Chang and Khatib 2000)
//   six_per_body   six unit forces per contacting body                (Chardonnet et al. 2008)
//   skeleton       ours: one 6x6 propagator per path between the bodies where paths meet

#include <cstdint>
#include <span>
#include <vector>

#include "stance/dynamics/aba.h"
#include "stance/dynamics/contact_set.h"
#include "stance/dynamics/crba.h"
#include "stance/dynamics/kinematics.h"

namespace stance::dynamics {

enum class DelassusMethod { kDirect, kPerPoint, kChangKhatib, kSixPerBody, kSkeleton };

inline constexpr DelassusMethod kDelassusMethods[] = {
    DelassusMethod::kDirect, DelassusMethod::kPerPoint, DelassusMethod::kChangKhatib,
    DelassusMethod::kSixPerBody, DelassusMethod::kSkeleton};

const char* delassus_method_name(DelassusMethod method);

// Results and work space. Memory is asked for only when a contact set has more points than every
// earlier one, wherever they stand, and is never given back.
template <class T>
struct Delassus {
  explicit Delassus(const Model& model);

  // Room for any contact set of this many points.
  void reserve(const Model& model, int num_points);

  // Block of contacting bodies i <= j (numbers in ContactSet::bodies()): column k is the
  // acceleration of i for a unit force k on j. Null when they stand in different trees.
  const Mat6<T>* omega(const ContactSet& contacts, int i, int j) const;

  // (3m x 3m) column-major, symmetric, points in the order given; by update_lambda.
  std::span<const T> lambda() const { return {lambda_entries.data(), lambda_size}; }

  std::vector<Vec3<T>> p_OC;     // contact points from O, world axes (m), by update_points
  std::vector<Mat6<T>> blocks;   // Omega between nodes of the skeleton, tree after tree
  std::vector<int> block_start;  // by node: where its column of blocks starts
  std::vector<T> lambda_entries;
  std::size_t lambda_size = 0;
  int reserved_points = 0;

  // work of the methods
  std::vector<Mat6<T>> propagator, gain;  // skeleton, by node
  std::vector<std::uint8_t> stepwise;     // by node: its path is taken coordinate by coordinate
  std::vector<Mat6<T>> by_body;           // unit-force methods and recursion (nbody)
  std::vector<Motion<T>> g6;              // (nv)
  std::vector<Vec3<T>> g3, rows3;         // (nv), (6 nbody)
  std::vector<int> path;                  // (nbody)

  // block of two nodes z <= x of one tree
  Mat6<T>& block(int z, int x) { return blocks[block_start[x] + z]; }
};

// Positions of the contact points, and room for the results.
template <class T>
void update_points(const Model& model, const Kinematics<T>& kin, const ContactSet& contacts,
                   Delassus<T>& out);

// Fills Omega by the skeleton, Chang-Khatib's or the six-forces method; direct and per_point
// have no Omega of their own.
template <class T>
void update_omega(DelassusMethod method, const Model& model, const Kinematics<T>& kin,
                  const Articulated<T>& art, const ContactSet& contacts, Delassus<T>& out);

// Fills Lambda by any method but direct, through Omega where the method has one.
template <class T>
void update_lambda(DelassusMethod method, const Model& model, const Kinematics<T>& kin,
                   const Articulated<T>& art, const ContactSet& contacts, Delassus<T>& out);

// Work of the direct method.
struct DirectDelassus {
  explicit DirectDelassus(const Model& model) : mass(model), factor(model) {}

  MassMatrix<double> mass;
  MassFactor factor;
  std::vector<Vec3d> columns;  // D^-1/2 L^-T J^T: by point, then coordinate, three columns each
};

// Fills Lambda from the mass matrix and Jacobians alone.
void update_lambda_direct(const Model& model, const Kinematics<double>& kin,
                          const Inertias<double>& inertias, std::span<const double> diagonal,
                          const ContactSet& contacts, DirectDelassus& work, Delassus<double>& out);

}  // namespace stance::dynamics
