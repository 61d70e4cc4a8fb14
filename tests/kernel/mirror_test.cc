// Copying the upper triangle of a block onto its lower one, whatever the size and the place.

#include "stance/kernel/mirror.h"

#include <vector>

#include <gtest/gtest.h>

namespace stance::kernel {
namespace {

TEST(Mirror, CopiesTheUpperTriangleAndTouchesNothingElse) {
  for (int ld = 1; ld <= 19; ++ld)
    for (int first = 0; first < ld; first += 3)
      for (int last = first; last <= ld; ++last) {
        // distinct entries, so that any wrong move shows
        std::vector<double> m(ld * ld);
        for (int k = 0; k < ld * ld; ++k) m[k] = k;
        std::vector<double> expected = m;
        for (int j = first; j < last; ++j)
          for (int i = first; i < j; ++i) expected[i * ld + j] = m[j * ld + i];
        mirror_upper(m.data(), ld, first, last);
        ASSERT_EQ(m, expected) << "size " << ld << ", block " << first << " to " << last;
      }
}

}  // namespace
}  // namespace stance::kernel
