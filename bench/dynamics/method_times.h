#pragma once

// The five methods for the inverse inertia at the contacts, timed side by side.

#include <array>
#include <optional>

#include "measure.h"
#include "record.h"
#include "workload.h"

namespace stance::bench {

inline constexpr int kNumMethods = 5;
inline constexpr DelassusMethod kOurs = DelassusMethod::kSkeleton;

constexpr bool has_omega(DelassusMethod method) {
  return method != DelassusMethod::kDirect && method != DelassusMethod::kPerPoint;
}

// A number per method; nothing where a method has none, or was not measured.
template <class T>
using ByMethod = std::array<std::optional<T>, kNumMethods>;

template <class T>
std::optional<T>& at(ByMethod<T>& values, DelassusMethod method) {
  return values[static_cast<int>(method)];
}
template <class T>
const std::optional<T>& at(const ByMethod<T>& values, DelassusMethod method) {
  return values[static_cast<int>(method)];
}

// One column of figures: Omega or Lambda, given the free pass or from q, for a workload.
class MethodColumn {
 public:
  enum class What { kOmega, kLambda, kOmegaFromQ, kLambdaFromQ };

  // Enters all methods that have it; the workload must live until the comparison is done.
  MethodColumn(What what, Workload& work, Comparison& comparison);

  // Times of all methods, once measured.
  ByMethod<double> times(const Comparison& comparison) const;

  // Ours against the other methods as peers, with heap calls counted.
  Record make_record(const std::string& name, const Comparison& comparison) const;

 private:
  ByMethod<int> subjects_;
  long long heap_calls_ = 0;
};

// Worst difference of each method's Lambda from the direct one's, or of its Omega from ours,
// relative to the largest entry. The workload must have its free pass and contacts.
ByMethod<double> calc_lambda_disagreement(Workload& work);
ByMethod<double> calc_omega_disagreement(Workload& work);

}  // namespace stance::bench
