#pragma once

// Anderson acceleration of a fixed-point iteration x -> g(x).
//
// Keeps the last few differences of x, g(x) and f = g(x) - x, and proposes the combination of the
// g's whose f would vanish if f were linear (Walker and Ni 2011, type II). On contact problems it
// makes of thousands of Gauss-Seidel sweeps some hundreds; where laws switch it can propose
// nonsense, so its caller compares and calls restart().

#include <span>
#include <vector>

#include "stance/kernel/vec3.h"

namespace stance::solver {

class Anderson {
 public:
  static constexpr int kMemory = 8;

  // Forgets everything; allocates only when there are more vectors than ever before.
  void start(int size);
  void restart() { count_ = 0, has_last_ = false; }

  // Takes x and g(x), writes the next x. The first call after a restart proposes g(x) itself.
  void propose(std::span<const kernel::Vec3d> x, std::span<const kernel::Vec3d> g,
               std::span<kernel::Vec3d> next);

 private:
  int size_ = 0, count_ = 0;
  bool has_last_ = false;
  std::vector<kernel::Vec3d> last_g_, last_f_;
  std::vector<kernel::Vec3d> dg_, df_;  // (size x kMemory), differences of one vector side by side
  double gram_[kMemory][kMemory] = {};  // df_i . df_j
};

}  // namespace stance::solver
