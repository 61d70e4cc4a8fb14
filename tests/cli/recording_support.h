#pragma once

// What tests of recordings share.

#include <cstdlib>
#include <string>

namespace stance::io::testing {

// A ball thrown along a floor.
inline constexpr const char* kBall =
    "version: 1\n"
    "variables: {height: 1}\n"
    "duration: 0.3\n"
    "environment: {floor: {shape: {plane: {}}}}\n"
    "objects: {ball: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [0, 0, height], "
    "velocity: [1, 0, 0]}}\n";

// A python that has h5py, or nothing.
inline std::string find_python() {
  for (const char* python : {"python3", "/usr/bin/python3"})
    if (std::system((std::string(python) + " -c 'import h5py' > /dev/null 2>&1").c_str()) == 0)
      return python;
  return "";
}

}  // namespace stance::io::testing
