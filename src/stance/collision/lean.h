#pragma once

// Which of very many points of two surfaces carry what rests there.
//
// A body that leans by the slope (x, y) over the other surface comes down first where gap - x p_x -
// y p_y is least. Without a lean that is one point, by chance; with a small lean in every direction
// they are the corners of what touches; with larger ones, the corners of what comes next when the
// body tips. Taken at several sizes of leans these hold a body that rests, whatever the surfaces:
// flat, bevelled, rounded, or rough by micrometres. Directions are those of one of the shapes, and
// leans are much larger than what a body at rest sways by, so the choice stays the same.

#include <algorithm>
#include <array>
#include <span>

namespace stance::collision {

struct Lean {
  double x, y;  // slope
};

inline constexpr int kNumLeans = 24;

// Eight directions of each size, turned against each other: a round face keeps 24 points. The odd
// first angle (4.3 degrees) keeps them away from the symmetries of shapes, where two points would
// be as low as each other.
constexpr std::array<Lean, kNumLeans> make_leans() {
  constexpr double kSize[3] = {1e-5, 3e-4, 1e-2};
  constexpr double kCosine[3] = {0.9971850, 0.9438010, 0.8260982};  // 15 degrees apart
  constexpr double kSine[3] = {0.0749787, 0.3305142, 0.5635260};
  constexpr double kHalfRoot = 0.70710678118654752;
  std::array<Lean, kNumLeans> out{};
  for (int size = 0; size < 3; ++size) {
    Lean d{kSize[size] * kCosine[size], kSize[size] * kSine[size]};
    for (int k = 0; k < 8; ++k) {
      out[8 * size + k] = d;
      d = {kHalfRoot * (d.x - d.y), kHalfRoot * (d.x + d.y)};
    }
  }
  return out;
}
inline constexpr std::array<Lean, kNumLeans> kLeans = make_leans();

// A few numbers, each once.
class ChosenPoints {
 public:
  static constexpr int kMost = 64;

  void add(int k) {
    if (!has(k)) numbers_[count_++] = k;
  }
  bool has(int k) const { return std::find(numbers_, numbers_ + count_, k) != numbers_ + count_; }
  std::span<const int> points() const { return {numbers_, static_cast<std::size_t>(count_)}; }
  std::span<const int> sort() {
    std::sort(numbers_, numbers_ + count_);
    return points();
  }

 private:
  int count_ = 0;
  int numbers_[kMost];
};

// Beyond so many points of a flat face that all do the same, some are left out.
inline constexpr int kFewPoints = 16;

// A point in the plane that a shape leans over, and its gap.
struct FlatPoint {
  double x, y, gap;
};

// Chooses of `count` points those that some lean brings down first; point(i) is a FlatPoint.
template <class Point>
void choose_points(int count, Point&& point, ChosenPoints& chosen) {
  for (const Lean& lean : kLeans) {
    int best = 0;
    double least = 1e300;
    for (int i = 0; i < count; ++i) {
      const FlatPoint p = point(i);
      if (const double gap = p.gap - lean.x * p.x - lean.y * p.y; gap < least)
        best = i, least = gap;
    }
    chosen.add(best);
  }
}

}  // namespace stance::collision
