#pragma once

// Runs the program as a user does.

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "urdf_text.h"

namespace stance::io::testing {

struct Outcome {
  int code = -1;
  std::string output, errors;
};

inline std::string read_file(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Runs the program; arguments as in a shell, in another folder where one is given.
inline Outcome run(const std::string& arguments, const std::string& in = ".") {
  const TemporaryFolder folder;
  const std::string out = folder.path("out"), err = folder.path("err");
  const std::string command = "cd '" + in + "' && '" + STANCE_PROGRAM + "' " + arguments + " >'" +
                              out + "' 2>'" + err + "'";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace stance::io::testing
