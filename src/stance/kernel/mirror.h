#pragma once

#include "stance/kernel/simd.h"

namespace stance::kernel {

// Copies the upper triangle of the square block [first, last) of a column-major matrix with
// leading dimension ld onto its lower triangle, in tiles of four.
inline void mirror_upper(double* m, int ld, int first, int last) {
  int j = first;
  for (; j + 4 <= last; j += 4) {
    // rows above the diagonal tile, four at a time; what is left of them one by one
    int i = first;
    for (; i + 4 <= j; i += 4) {
      Double4 a = load4(m + (j + 0) * ld + i), b = load4(m + (j + 1) * ld + i);
      Double4 c = load4(m + (j + 2) * ld + i), d = load4(m + (j + 3) * ld + i);
      transpose4(a, b, c, d);
      store4(m + (i + 0) * ld + j, a);
      store4(m + (i + 1) * ld + j, b);
      store4(m + (i + 2) * ld + j, c);
      store4(m + (i + 3) * ld + j, d);
    }
    for (int k = j; k < j + 4; ++k)
      for (int r = i; r < k; ++r) m[r * ld + k] = m[k * ld + r];
  }
  for (; j < last; ++j)
    for (int r = first; r < j; ++r) m[r * ld + j] = m[j * ld + r];
}

// The same of other scalars.
template <class T>
void mirror_upper(T* m, int ld, int first, int last) {
  for (int j = first; j < last; ++j)
    for (int r = first; r < j; ++r) m[r * ld + j] = m[j * ld + r];
}

}  // namespace stance::kernel
