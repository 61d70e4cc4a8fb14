#pragma once

// Sweeps over the point contacts of free bodies, four at a time.
//
// A sweep waits at each contact for the one before: for its velocities, its root, its quotient.
// Contacts of pairs that share no body need not wait for each other, so four pairs are swept side
// by side, one in each lane of a register. A batch is four such pairs; the velocities of their
// bodies are read once and written once for all of their points.
//
// Velocities stand in coordinates in which every body answers an impulse as unit masses do: with
// Omega = L L^T, y = L^-1 V. The rows J = f L of a point both read (u = J y) and act (y += J^T p),
// where V would want f and Omega f.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "stance/solver/body_problem.h"
#include "stance/solver/local_law.h"

namespace stance::solver {

class ContactLanes {
 public:
  // Sums over contacts, lane by lane; see SweepReport.
  struct Sums {
    kernel::Double4 change2{}, impulse2{}, velocity2{};
  };

  // Takes over those contacts of a problem that fit, `has(i)` tells which: between bodies that are
  // alone in their trees and can move in every direction, and nothing gives way (the deflection
  // of a pad couples its contacts, so they cannot go side by side). None where too few do for it to
  // pay.
  void start(const BodyProblem& problem);
  void clear() { slots_.clear(), batches_.clear(), count_ = 0; }
  bool is_empty() const { return count_ == 0; }
  bool has_all() const { return count_ > 0 && count_ == static_cast<int>(is_here_.size()); }
  bool has(int i) const { return !is_empty() && is_here_[i]; }
  int count() const { return count_; }

  // Of a contact that is here.
  const LocalFactor& factor(int i) const { return factors_[i]; }

  // The velocities that impulses of its contacts give, of which there are no others; or those that
  // someone else has found; and the way back.
  void place(std::span<const Vec3d> p);
  void project_and_place(std::span<Vec3d> p);  // of the nearest impulses in the cones
  void take(std::span<const Motion<double>> V);
  void give(std::span<Motion<double>> V) const;

  // One pass over its contacts; see Sweeps::sweep.
  void sweep(std::span<Vec3d> p, double relaxation, double precision, Sums& sums);

 private:
  using Double4 = kernel::Double4;
  // Omega = L L^T, rows of L one after the other.
  struct Root {
    std::array<double, 21> L;
    bool is_known = false, is_sound = false;
  };
  struct alignas(64) NodeVelocity {
    double y[8];  // the last two unused
  };
  struct Run {
    int first, count;  // blocks
  };
  // Up to four pairs without a body in common; `node` is that of the fixed world where there is no
  // pair.
  struct Batch {
    int a[4], b[4];
    int pairs, first, end;  // slots
  };
  // One point of each pair of a batch; lanes without a point are zero.
  struct Slot {
    Slot() {}                      // every lane is written once
    Double4 J_a[3][6], J_b[3][6];  // -f_b
    Double4 q[3];
    Double4 w_nn, inverse_nn, n1, n2, s11, s12, s22, inverse_det;  // see LocalFactor
    Double4 mu, lambda;
    int block[4];  // -1: none
  };

  const Root& find_root(const BodyProblem& problem, int node);
  void find_runs(const BodyProblem& problem);
  void add(const BodyProblem& problem, const Run& run);
  void fill(const BodyProblem& problem, int block, Slot& slot, int lane);
  static void clear(Slot& slot, int lane);

  template <class Visit>
  void visit_velocities(const Batch& batch, Visit&& visit);

  int count_ = 0;  // contacts
  std::vector<std::uint8_t> is_here_;
  std::vector<LocalFactor> factors_;
  std::vector<Root> roots_;
  std::vector<NodeVelocity> y_;  // the last is the fixed world
  std::vector<Run> runs_;
  std::vector<Batch> batches_;
  std::vector<int> open_;  // batches with room, the oldest first
  std::vector<Slot> slots_;
};

}  // namespace stance::solver
