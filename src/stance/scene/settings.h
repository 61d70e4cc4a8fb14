#pragma once

// Which scene, and how it is set: what a command line, a viewer or a recording says about it.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stance::scene {

struct Settings {
  using Values = std::vector<std::pair<std::string, std::string>>;  // name, number or expression

  std::string file{};  // a scene, or a robot to put on a floor; its content tells which
  Values set{};        // variables
  Values joints{};     // where joints start: a joint's name, or a part of several names
  std::string law{};   // of contact; empty: the scene's
  std::optional<std::uint64_t> seed{};
  std::optional<double> duration{};  // s
  int threads = 1;                   // the bits do not depend on it
  std::vector<std::string> package_paths{};
};

}  // namespace stance::scene
