#pragma once

// Which bounding boxes overlap.
//
// Boxes are kept as floats rounded outwards, by coordinate, eight to a register. Few boxes are
// compared all with all. Many are sorted by their lower ends along the axis where they spread most;
// the order is kept from step to step, so that sorting again costs next to nothing. The answer is
// the same either way, and in the same order.

#include <cstdint>
#include <vector>

#include "stance/collision/pair_filter.h"
#include "stance/kernel/vec3.h"

namespace stance::collision {

using kernel::Vec3d;

struct GeometryPair {
  std::uint16_t a, b;  // a < b
};

class BroadPhase {
 public:
  BroadPhase() = default;
  explicit BroadPhase(int count);

  // Bounding box of a geometry; boxes that were never set overlap nothing.
  void set_box(int geometry, const Vec3d& center, const Vec3d& half) {
    center_[geometry] = center;
    half_[geometry] = half;
    set_floats(geometry);
  }

  // A half-space n . x < offset that everything set is compared with.
  struct Plane {
    int geometry;
    Vec3d n;
    double offset;
  };

  // Allowed pairs whose boxes come nearer than margin, sorted by a, then b.
  const std::vector<GeometryPair>& find_pairs(const PairFilter& filter,
                                              const std::vector<Plane>& planes,
                                              const std::vector<int>& boxed, double margin);

  // The same by the two ways; find_pairs chooses. For tests.
  void compare_all(const PairFilter& filter, const std::vector<Plane>& planes,
                   const std::vector<int>& boxed, double margin);
  void sweep(const PairFilter& filter, const std::vector<Plane>& planes,
             const std::vector<int>& boxed, double margin);
  const std::vector<GeometryPair>& pairs() const { return pairs_; }

  static constexpr int kCompareAll = 128;  // up to this many boxes; at most 128

 private:
  struct Key {
    float low;
    int geometry;
  };

  void set_floats(int geometry);
  void sort_keys(int axis);
  void sort_pairs();

  int count_ = 0, padded_ = 0;
  std::vector<Vec3d> center_, half_;
  std::vector<float> low_, high_;                // by axis (3 x padded), not yet widened by margin
  std::vector<float> sorted_low_, sorted_high_;  // in the order of keys_
  std::vector<Key> keys_;
  int axis_ = -1;  // that keys_ are sorted by
  std::vector<GeometryPair> pairs_, unsorted_;
  std::vector<int> first_;  // of each a in the sorted pairs
};

}  // namespace stance::collision
