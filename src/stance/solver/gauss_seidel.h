#pragma once

// Block Gauss-Seidel: every block in turn takes the impulse that its law asks for while the others
// are held (A12). Whenever it is interrupted, the impulses are admissible (A14).

#include "stance/solver/contact_problem.h"
#include "stance/solver/local_law.h"

namespace stance::solver {

// What a sweep saw on its way, block by block before each was changed.
struct SweepReport {
  double change = 0.0;    // ||W_ii (p_i new - p_i)||_2: how far u was from what the laws ask, m/s
  double impulse = 0.0;   // ||p||_2
  double velocity = 0.0;  // ||u||_2
};

class GaussSeidel {
 public:
  // Prepares for a problem; allocates only when it has more blocks than any before.
  void start(const ContactProblem& problem);

  // One pass over all blocks; each goes `relaxation` of the way, 0 < relaxation <= 1.
  SweepReport sweep(const ContactProblem& problem, std::span<Vec3d> p, double relaxation);

 private:
  std::vector<LocalFactor> factor_;
  std::vector<double> lambda_;  // by block, where the last sweep found it sliding
};

}  // namespace stance::solver
