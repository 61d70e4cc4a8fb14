#include "stance/collision/broad_phase.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "stance/kernel/assert.h"
#include "stance/kernel/simd.h"

namespace stance::collision {

using kernel::dot;

namespace {

typedef float Float8 __attribute__((vector_size(32)));
typedef float Float4 __attribute__((vector_size(16)));
typedef int Int8 __attribute__((vector_size(32)));

Float8 load8(const float* from) {
  Float8 a;
  __builtin_memcpy(&a, from, sizeof a);
  return a;
}
Float8 splat8(float x) { return Float8{x, x, x, x, x, x, x, x}; }

// One bit per lane that is set.
unsigned lane_bits(Int8 a) {
#if defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(a)));
#else
  unsigned bits = 0;
  for (int k = 0; k < 8; ++k) bits |= (a[k] != 0 ? 1u : 0u) << k;
  return bits;
#endif
}

// A float that is surely above.
float round_up(double x) { return static_cast<float>(x + (std::abs(x) * 0x1p-22 + 1e-30)); }

bool is_near(const BroadPhase::Plane& plane, const Vec3d& n_abs, const Vec3d& center,
             const Vec3d& half, double margin) {
  return kernel::sum4(plane.n.e * center.e - n_abs.e * half.e) - plane.offset < margin;
}

Vec3d absolute(const Vec3d& v) { return Vec3d(std::abs(v[0]), std::abs(v[1]), std::abs(v[2])); }

}  // namespace

BroadPhase::BroadPhase(int count) : count_(count), padded_((count + 7) / 8 * 8 + 8) {
  center_.resize(count);
  half_.resize(count);
  // what was never set is last in every order, and overlaps nothing: not even a box that has no end
  low_.assign(3 * padded_, std::numeric_limits<float>::infinity());
  high_.assign(3 * padded_, std::numeric_limits<float>::quiet_NaN());
  sorted_low_ = low_;
  sorted_high_ = high_;
  for (int k = 0; k < count; ++k) keys_.push_back({0.0f, k});
  pairs_.reserve(16 * count + 64);
  unsorted_.reserve(16 * count + 64);
  first_.resize(count + 1);
}

void BroadPhase::set_floats(int geometry) {
  // rounded outwards
  const kernel::Double4 c = center_[geometry].e, h = half_[geometry].e;
  const kernel::Double4 low = c - h, high = c + h;
  const kernel::Double4 slack = ((c < 0.0 ? -c : c) + h) * 0x1p-22 + 1e-30;
  const Float4 down = __builtin_convertvector(low - slack, Float4);
  const Float4 up = __builtin_convertvector(high + slack, Float4);
  for (int axis = 0; axis < 3; ++axis) {
    low_[axis * padded_ + geometry] = down[axis];
    high_[axis * padded_ + geometry] = up[axis];
  }
}

const std::vector<GeometryPair>& BroadPhase::find_pairs(const PairFilter& filter,
                                                        const std::vector<Plane>& planes,
                                                        const std::vector<int>& boxed,
                                                        double margin) {
  if (count_ <= kCompareAll)
    compare_all(filter, planes, boxed, margin);
  else
    sweep(filter, planes, boxed, margin);
  return pairs_;
}

void BroadPhase::compare_all(const PairFilter& filter, const std::vector<Plane>& planes,
                             const std::vector<int>& boxed, double margin) {
  STANCE_ASSERT(count_ <= 128);
  // bits b > a of each row a
  std::uint64_t near[128][2];
  const int words = (count_ + 63) / 64;
  for (int a = 0; a < count_; ++a) near[a][0] = near[a][1] = 0;

  // planes
  for (const Plane& plane : planes) {
    const Vec3d n_abs = absolute(plane.n);
    for (int k : boxed) {
      if (!is_near(plane, n_abs, center_[k], half_[k], margin)) continue;
      const int a = std::min(k, plane.geometry), b = std::max(k, plane.geometry);
      near[a][b >> 6] |= 1ull << (b & 63);
    }
  }

  // boxes, eight at a time
  const float wide = round_up(margin);
  const float *lx = low_.data(), *ly = lx + padded_, *lz = ly + padded_;
  const float *hx = high_.data(), *hy = hx + padded_, *hz = hy + padded_;
  for (int a = 0; a < count_; ++a) {
    const Float8 hxa = splat8(hx[a] + wide), hya = splat8(hy[a] + wide), hza = splat8(hz[a] + wide);
    const Float8 lxa = splat8(lx[a] - wide), lya = splat8(ly[a] - wide), lza = splat8(lz[a] - wide);
    for (int b = (a + 1) / 8 * 8; b < count_; b += 8) {
      const Int8 overlap = (load8(lx + b) <= hxa) & (load8(hx + b) >= lxa) &
                           (load8(ly + b) <= hya) & (load8(hy + b) >= lya) &
                           (load8(lz + b) <= hza) & (load8(hz + b) >= lza);
      std::uint64_t bits = lane_bits(overlap);
      if (b <= a) bits &= ~0ull << (a + 1 - b);
      near[a][b >> 6] |= bits << (b & 63);
    }
  }

  // what the filter lets through, in order
  pairs_.clear();
  for (int a = 0; a < count_; ++a) {
    const std::uint64_t* allowed = filter.row(a);
    for (int w = 0; w < words; ++w)
      for (std::uint64_t bits = near[a][w] & allowed[w]; bits != 0; bits &= bits - 1)
        pairs_.push_back({std::uint16_t(a), std::uint16_t(64 * w + std::countr_zero(bits))});
  }
}

// Insertion into the order of the last step; sorted anew where that is not near. The geometry
// breaks ties, so that the order is a function of the boxes alone.
void BroadPhase::sort_keys(int axis) {
  const float* low = low_.data() + axis * padded_;
  for (Key& key : keys_) key.low = low[key.geometry];
  const auto before = [](const Key& a, const Key& b) {
    return a.low < b.low || (a.low == b.low && a.geometry < b.geometry);
  };
  bool settled = axis == axis_;
  if (settled) {
    int moves = 0;
    const int limit = 8 * count_;
    for (int i = 1; i < count_ && moves <= limit; ++i) {
      const Key key = keys_[i];
      int j = i;
      for (; j > 0 && before(key, keys_[j - 1]); --j, ++moves) keys_[j] = keys_[j - 1];
      keys_[j] = key;
    }
    settled = moves <= limit;
  }
  if (!settled) std::sort(keys_.begin(), keys_.end(), before);
  axis_ = axis;
}

void BroadPhase::sweep(const PairFilter& filter, const std::vector<Plane>& planes,
                       const std::vector<int>& boxed, double margin) {
  // the axis along which the centres vary most
  Vec3d sum, squares;
  for (int k : boxed) {
    sum += center_[k];
    squares += Vec3d(center_[k].e * center_[k].e);
  }
  const double n = static_cast<double>(std::max<std::size_t>(1, boxed.size()));
  const Vec3d spread(squares.e - (1.0 / n) * sum.e * sum.e);
  const int axis =
      spread[0] >= spread[1] ? (spread[0] >= spread[2] ? 0 : 2) : (spread[1] >= spread[2] ? 1 : 2);
  sort_keys(axis);

  // boxes in that order; the widening goes to the upper and lower ends of the one that sweeps
  for (int d = 0; d < 3; ++d) {
    const float *low = low_.data() + d * padded_, *high = high_.data() + d * padded_;
    float *to_low = sorted_low_.data() + d * padded_, *to_high = sorted_high_.data() + d * padded_;
    for (int i = 0; i < count_; ++i) {
      to_low[i] = low[keys_[i].geometry];
      to_high[i] = high[keys_[i].geometry];
    }
  }
  const int d1 = axis == 2 ? 0 : axis + 1, d2 = axis == 0 ? 2 : axis - 1;
  const float *l0 = sorted_low_.data() + axis * padded_, *h0 = sorted_high_.data() + axis * padded_;
  const float *l1 = sorted_low_.data() + d1 * padded_, *h1 = sorted_high_.data() + d1 * padded_;
  const float *l2 = sorted_low_.data() + d2 * padded_, *h2 = sorted_high_.data() + d2 * padded_;

  unsorted_.clear();
  const auto emit = [&](int a, int b) {
    if (!filter.allows(a, b)) return;
    unsorted_.push_back({std::uint16_t(std::min(a, b)), std::uint16_t(std::max(a, b))});
  };
  const float wide = round_up(margin);
  for (int i = 0; i < count_; ++i) {
    if (!(h0[i] >= l0[i])) break;  // boxes never set come last
    const Float8 end = splat8(h0[i] + wide);
    const Float8 h1i = splat8(h1[i] + wide), h2i = splat8(h2[i] + wide);
    const Float8 l1i = splat8(l1[i] - wide), l2i = splat8(l2[i] - wide);
    for (int j = i + 1; j < count_; j += 8) {
      const Int8 along = load8(l0 + j) <= end;
      const Int8 overlap = along & (load8(l1 + j) <= h1i) & (load8(h1 + j) >= l1i) &
                           (load8(l2 + j) <= h2i) & (load8(h2 + j) >= l2i);
      for (unsigned bits = lane_bits(overlap); bits != 0; bits &= bits - 1)
        emit(keys_[i].geometry, keys_[j + std::countr_zero(bits)].geometry);
      if (lane_bits(along) != 255) break;
    }
  }
  for (const Plane& plane : planes) {
    const Vec3d n_abs = absolute(plane.n);
    for (int k : boxed)
      if (is_near(plane, n_abs, center_[k], half_[k], margin)) emit(plane.geometry, k);
  }
  sort_pairs();
}

// By a through counting, then each a's few b by insertion.
void BroadPhase::sort_pairs() {
  std::fill(first_.begin(), first_.end(), 0);
  for (const GeometryPair& pair : unsorted_) ++first_[pair.a + 1];
  for (int a = 0; a < count_; ++a) first_[a + 1] += first_[a];
  pairs_.resize(unsorted_.size());
  for (const GeometryPair& pair : unsorted_) pairs_[first_[pair.a]++] = pair;
  // first_[a] is now one past the end of a
  int start = 0;
  for (int a = 0; a < count_; ++a) {
    const int end = first_[a];
    const auto before = [](const GeometryPair& p, const GeometryPair& q) { return p.b < q.b; };
    if (end - start > 32) {
      std::sort(pairs_.begin() + start, pairs_.begin() + end, before);
    } else {
      for (int i = start + 1; i < end; ++i) {
        const GeometryPair pair = pairs_[i];
        int j = i;
        for (; j > start && pair.b < pairs_[j - 1].b; --j) pairs_[j] = pairs_[j - 1];
        pairs_[j] = pair;
      }
    }
    start = end;
  }
}

}  // namespace stance::collision
