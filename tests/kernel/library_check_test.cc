// Programs and plugins that do not belong to the library are told why.

#include "stance/kernel/library_check.h"

#include <string>

#include <gtest/gtest.h>

namespace stance::kernel {
namespace {

std::string find(const BuildInfo& user) { return find_misfit(user).text; }

TEST(LibraryCheck, WhatBelongsTogetherFits) {
  EXPECT_EQ(find(make_build_info()), "");
  EXPECT_EQ(find(find_library_build()), "");
}

TEST(LibraryCheck, OtherHeadersDoNot) {
  BuildInfo other = make_build_info();
  other.minor += 1;
  EXPECT_NE(find(other).find("compiled with the headers of Stance " + std::to_string(other.major) +
                             "." + std::to_string(other.minor)),
            std::string::npos)
      << find(other);
  BuildInfo patch = make_build_info();
  patch.patch += 1;
  EXPECT_NE(find(patch), "");
}

TEST(LibraryCheck, NorDoOtherInstructionSets) {
  BuildInfo other = make_build_info();
  other.features ^= kAvx512;
  EXPECT_NE(find(other).find("another instruction set"), std::string::npos) << find(other);
  EXPECT_NE(find(other).find("AVX-512"), std::string::npos) << find(other);
}

TEST(LibraryCheckDeathTest, EndsTheProgram) {
  BuildInfo other = make_build_info();
  other.major += 1;
  EXPECT_EXIT(LibraryCheck{other}, ::testing::ExitedWithCode(3),
              "stance: this program cannot use the Stance library: it was compiled with");
}

}  // namespace
}  // namespace stance::kernel
