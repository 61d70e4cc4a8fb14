#pragma once

// Sine and cosine of many angles at once.
//
// Four angles per pass, no branches: reduction by pi/2 in three parts (Cody and Waite), then
// the minimax polynomials on [-pi/4, pi/4] that fdlibm made standard. Error below 1 ulp for
// |x| < 1e5; larger angles go to the C library. Our own code, so that the bits do not depend
// on the C library's version.

#include <cmath>
#include <span>

#include "stance/kernel/simd.h"

namespace stance::kernel {

inline constexpr double kFastAngle = 1e5;  // rad

// Sine and cosine of four angles, |x| < kFastAngle each.
inline void sincos4(Double4 x, Double4& sine, Double4& cosine) {
  // n = nearest multiple of pi/2, read off the low bits after adding 1.5 * 2^52
  constexpr double kShift = 6755399441055744.0;
  const Double4 shifted = fma4(x, splat(0.63661977236758134308), splat(kShift));
  const Double4 n = shifted - kShift;
  const Long4 quadrant = reinterpret_cast<Long4>(shifted);

  // r + t = x - n pi/2: the first difference is exact, t keeps what the second one rounds off
  constexpr double kMiddle = 6.123233995736766036e-17, kLast = -1.497384904859169777e-33;
  const Double4 r0 = fnma4(n, splat(1.5707963267948966192), x);
  const Double4 low = n * kMiddle;
  const Double4 rest = fma4(n, splat(kLast), fms4(n, splat(kMiddle), low));
  const Double4 r = r0 - low;
  const Double4 t = ((r0 - r) - low) - rest;

  const Double4 z = r * r;
  // sin r = r + r^3 (S1 + ...), with the correction of t
  Double4 ps = splat(1.58969099521155010221e-10);
  ps = fma4(ps, z, splat(-2.50507602534068634195e-08));
  ps = fma4(ps, z, splat(2.75573137070700676789e-06));
  ps = fma4(ps, z, splat(-1.98412698298579493134e-04));
  ps = fma4(ps, z, splat(8.33333333332248946124e-03));
  ps = fma4(ps, z, splat(-1.66666666666666324348e-01));
  const Double4 s = r + fma4(r * z, ps, t);
  // cos r = 1 - z/2 + z^2 (C1 + ...) - r t
  Double4 pc = splat(-1.13596475577881948265e-11);
  pc = fma4(pc, z, splat(2.08757232129817482790e-09));
  pc = fma4(pc, z, splat(-2.75573143513906633035e-07));
  pc = fma4(pc, z, splat(2.48015872894767294178e-05));
  pc = fma4(pc, z, splat(-1.38888888888741095749e-03));
  pc = fma4(pc, z, splat(4.16666666666666019037e-02));
  const Double4 half = z * 0.5;
  const Double4 one_less = 1.0 - half;
  const Double4 c = one_less + (((1.0 - one_less) - half) + fma4(z * z, pc, -(r * t)));

  // odd quadrants swap sine and cosine; the signs follow from the quadrant's bits
  const Long4 swap = -(quadrant & 1);
  const Long4 s_bits = reinterpret_cast<Long4>(s), c_bits = reinterpret_cast<Long4>(c);
  const Long4 sine_bits = (s_bits & ~swap) | (c_bits & swap);
  const Long4 cosine_bits = (c_bits & ~swap) | (s_bits & swap);
  sine = reinterpret_cast<Double4>(sine_bits ^ ((quadrant & 2) << 62));
  cosine = reinterpret_cast<Double4>(cosine_bits ^ (((quadrant + 1) & 2) << 62));
}

}  // namespace stance::kernel
