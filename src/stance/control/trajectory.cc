#include "stance/control/trajectory.h"

#include <algorithm>
#include <cmath>

#include "stance/kernel/error.h"

namespace stance::control {

Trajectory::Trajectory(std::vector<double> times, std::vector<double> values,
                       Interpolation interpolation)
    : times_(std::move(times)), values_(std::move(values)), interpolation_(interpolation) {
  if (times_.empty() || values_.size() % times_.size() != 0)
    throw Error("a trajectory needs keyframes, each with the same number of values");
  columns_ = static_cast<int>(values_.size() / times_.size());
  for (std::size_t k = 0; k < times_.size(); ++k)
    if (!std::isfinite(times_[k]) || (k > 0 && !(times_[k] > times_[k - 1])))
      throw Error("the times of a trajectory must be finite, each later than the one before");
  for (const double value : values_)
    if (!std::isfinite(value)) throw Error("a trajectory has a value that is not a finite number");
}

double Trajectory::slope(int keyframe, int column) const {
  const int n = static_cast<int>(times_.size());
  if (keyframe == 0 || keyframe == n - 1) return 0.0;
  const double rise =
      values_[(keyframe + 1) * columns_ + column] - values_[(keyframe - 1) * columns_ + column];
  return rise / (times_[keyframe + 1] - times_[keyframe - 1]);
}

void Trajectory::sample(double time, std::span<double> values) const {
  const auto next = std::upper_bound(times_.begin(), times_.end(), time);
  const int b = static_cast<int>(next - times_.begin()), a = b - 1;
  if (next == times_.begin() || next == times_.end()) {
    const int edge = next == times_.begin() ? 0 : static_cast<int>(times_.size()) - 1;
    std::copy_n(values_.begin() + edge * columns_, columns_, values.begin());
    return;
  }
  const double span = times_[b] - times_[a], s = (time - times_[a]) / span;
  const double rest = s * s * s * (10.0 + s * (6.0 * s - 15.0));
  for (int c = 0; c < columns_; ++c) {
    const double from = values_[a * columns_ + c], to = values_[b * columns_ + c];
    if (interpolation_ != Interpolation::kCubic) {
      values[c] = from + (interpolation_ == Interpolation::kLinear ? s : rest) * (to - from);
      continue;
    }
    const double smooth = s * s * (3.0 - 2.0 * s);
    values[c] = from + smooth * (to - from) +
                span * s * (1.0 - s) * ((1.0 - s) * slope(a, c) - s * slope(b, c));
  }
}

}  // namespace stance::control
