#pragma once

// Four doubles in one register: the carrier of Vec3<double>.
//
// Written with the vector extension that g++ and clang share, so that it also compiles where
// there is no AVX2 (the compiler splits it). Fused multiply-add is always asked for by name:
// contraction is switched off in the build, so that results do not depend on the optimiser.

#include <cmath>

#if defined(__FMA__) && defined(__AVX2__)
#include <immintrin.h>
#endif

namespace stance::kernel {

typedef double Double4 __attribute__((vector_size(32)));
typedef long long Long4 __attribute__((vector_size(32)));

inline Double4 splat(double x) { return Double4{x, x, x, x}; }

// a b + c, rounded once.
inline Double4 fma4(Double4 a, Double4 b, Double4 c) {
#if defined(__FMA__) && defined(__AVX2__)
  return static_cast<Double4>(_mm256_fmadd_pd(a, b, c));
#else
  return Double4{std::fma(a[0], b[0], c[0]), std::fma(a[1], b[1], c[1]), std::fma(a[2], b[2], c[2]),
                 std::fma(a[3], b[3], c[3])};
#endif
}

// c - a b, rounded once.
inline Double4 fnma4(Double4 a, Double4 b, Double4 c) {
#if defined(__FMA__) && defined(__AVX2__)
  return static_cast<Double4>(_mm256_fnmadd_pd(a, b, c));
#else
  return fma4(-a, b, c);
#endif
}

// a b - c, rounded once.
inline Double4 fms4(Double4 a, Double4 b, Double4 c) {
#if defined(__FMA__) && defined(__AVX2__)
  return static_cast<Double4>(_mm256_fmsub_pd(a, b, c));
#else
  return fma4(a, b, -c);
#endif
}

// Four doubles from and to memory of any alignment.
inline Double4 load4(const double* from) {
  Double4 a;
  __builtin_memcpy(&a, from, sizeof a);
  return a;
}
inline void store4(double* to, Double4 a) { __builtin_memcpy(to, &a, sizeof a); }

// True when every |a| is below the bound; false with a NaN.
inline bool all_below(Double4 a, double bound) {
  const Long4 below = (a < splat(bound)) & (a > splat(-bound));
#if defined(__AVX2__)
  return _mm256_movemask_pd(reinterpret_cast<__m256d>(below)) == 15;
#else
  return (below[0] & below[1] & below[2] & below[3]) != 0;
#endif
}

// Where the mask is set a, elsewhere b. A mask is what a comparison gives.
inline Double4 select4(Long4 mask, Double4 a, Double4 b) {
#if defined(__AVX2__)
  return static_cast<Double4>(_mm256_blendv_pd(b, a, reinterpret_cast<__m256d>(mask)));
#else
  return Double4{mask[0] ? a[0] : b[0], mask[1] ? a[1] : b[1], mask[2] ? a[2] : b[2],
                 mask[3] ? a[3] : b[3]};
#endif
}
inline bool is_any(Long4 mask) {
#if defined(__AVX2__)
  return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) != 0;
#else
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

inline Double4 sqrt4(Double4 a) {
#if defined(__AVX2__)
  return static_cast<Double4>(_mm256_sqrt_pd(a));
#else
  return Double4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}

// (x y z w) -> (y z x w)
inline Double4 yzx(Double4 a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }

// Sum of the four lanes.
inline double sum4(Double4 a) {
#if defined(__AVX2__)
  const __m128d s = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
  return _mm_cvtsd_f64(_mm_add_sd(s, _mm_unpackhi_pd(s, s)));
#else
  return (a[0] + a[2]) + (a[1] + a[3]);
#endif
}

// (sum a, sum b, sum c, sum d): four reductions at the price of about two.
inline Double4 sum4x4(Double4 a, Double4 b, Double4 c, Double4 d) {
#if defined(__AVX2__)
  const __m256d ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
  return static_cast<Double4>(
      _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31)));
#else
  return Double4{sum4(a), sum4(b), sum4(c), sum4(d)};
#endif
}

// Writes the first n lanes, 0 < n <= 4, to memory of any alignment.
inline void store_first(double* out, Double4 a, int n) {
#if defined(__AVX2__)
  const __m256i lane = _mm256_set_epi64x(3, 2, 1, 0);
  _mm256_maskstore_pd(out, _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), lane), a);
#else
  for (int k = 0; k < n; ++k) out[k] = a[k];
#endif
}

// Transposes a 4x4 block given by its columns.
inline void transpose4(Double4& a, Double4& b, Double4& c, Double4& d) {
  const Double4 ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const Double4 ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Double4 cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const Double4 cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

}  // namespace stance::kernel
