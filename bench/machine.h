#pragma once

#include <string>

namespace stance::bench {

// "Intel(R) Xeon(R) ..., g++ 12.2.0, Release: -O3 -DNDEBUG -march=x86-64-v3"
std::string describe_machine();

}  // namespace stance::bench
