#pragma once

// Operations on paper: what the methods for the inverse inertia at the contacts cost, counted on
// the real templates with a counting scalar, and by the published formulas (H4).

#include <vector>

#include "stance/dynamics/delassus.h"
#include "stance/kernel/counted.h"

namespace stance::bench {

using kernel::OperationCount;

inline long long total(const OperationCount& count) { return count.multiply + count.add; }

struct MethodCounts {
  OperationCount omega;   // zero for methods without one
  OperationCount lambda;  // omega included
};

// Counts given the free pass, as the formulas do. The direct method has no counted form.
MethodCounts count_operations(const model::Model& model, const std::vector<double>& q,
                              const std::vector<dynamics::ContactPoint>& points,
                              dynamics::DelassusMethod method);

// What the formulas depend on. The base is a floating tree's root body, or the world.
struct PaperNumbers {
  int C = 0;    // contacting bodies
  int m = 0;    // contact points
  int b = 0;    // bodies on the paths from the base to the contacting bodies, the base left out
  int B_m = 0;  // sum over points of the joints between base and body
  int B_C = 0;  // the same over contacting bodies
  int a_C = 0;  // sum over pairs of contacting bodies of the joints between them
};

PaperNumbers calc_paper_numbers(const model::Model& model, const dynamics::ContactSet& contacts);

// Lambda by the three published methods; nothing is known of the other two.
bool has_formula(dynamics::DelassusMethod method);
OperationCount calc_paper_count(dynamics::DelassusMethod method, const PaperNumbers& n);

}  // namespace stance::bench
