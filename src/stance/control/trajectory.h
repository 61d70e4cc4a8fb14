#pragma once

// Coordinates over time, through keyframes.

#include <span>
#include <vector>

namespace stance::control {

enum class Interpolation {
  kMinimumJerk,  // at rest in every keyframe: 10 s^3 - 15 s^4 + 6 s^5 between two
  kCubic,        // runs through them: Hermite, with the slope between both neighbours; rest at ends
  kLinear,       // straight from one to the next: constant speed
};

class Trajectory {
 public:
  // Times in s, ascending; values keyframe after keyframe, the same number in each. Throws
  // stance::Error when they do not fit.
  Trajectory(std::vector<double> times, std::vector<double> values, Interpolation interpolation);

  int columns() const { return columns_; }
  double first() const { return times_.front(); }
  double last() const { return times_.back(); }
  const std::vector<double>& times() const { return times_; }

  // The values at a time; before the first keyframe and behind the last one those of it.
  void sample(double time, std::span<double> values) const;

 private:
  double slope(int keyframe, int column) const;

  std::vector<double> times_, values_;
  int columns_ = 0;
  Interpolation interpolation_;
};

}  // namespace stance::control
