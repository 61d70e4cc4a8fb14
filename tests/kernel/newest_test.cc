#include "stance/kernel/newest.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace stance::kernel {
namespace {

TEST(Newest, GivesTheLastValueOnceAsFresh) {
  Newest<int> slot;
  const int* value = nullptr;
  EXPECT_FALSE(slot.read(value));
  EXPECT_EQ(*value, 0);
  slot.write(1), slot.write(2), slot.write(3);
  EXPECT_TRUE(slot.read(value));
  EXPECT_EQ(*value, 3);
  EXPECT_FALSE(slot.read(value));
  EXPECT_EQ(*value, 3);
}

TEST(Newest, NeverTearsAndNeverGoesBack) {
  struct Wide {
    long number[16] = {};
  };
  Newest<Wide> slot;
  std::atomic<bool> is_done{false};
  std::thread writer([&] {
    Wide wide;
    for (long k = 1; k <= 200000; ++k) {
      for (long& n : wide.number) n = k;
      slot.write(wide);
    }
    is_done = true;
  });
  long last = 0;
  bool torn = false, back = false;
  while (!is_done) {
    const Wide* wide = nullptr;
    slot.read(wide);
    for (const long n : wide->number) torn = torn || n != wide->number[0];
    back = back || wide->number[0] < last;
    last = wide->number[0];
  }
  writer.join();
  const Wide* wide = nullptr;
  slot.read(wide);
  EXPECT_FALSE(torn);
  EXPECT_FALSE(back);
  EXPECT_EQ(wide->number[0], 200000);
}

}  // namespace
}  // namespace stance::kernel
