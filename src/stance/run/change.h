#pragma once

// What somebody does to a simulation: something in its world (sim/outside.h), or to the world
// itself (scene/edit.h). Both are told to observers, recorded and replayed alike.

#include <string>
#include <variant>

#include "stance/scene/edit.h"
#include "stance/sim/outside.h"

namespace stance::run {

struct Change {
  std::string source{};  // who: "mouse", "device 1"
  std::variant<sim::Action, scene::Edit> what{};
};

// The action that a change is, if it is one of this kind.
template <class What>
const What* find_action(const Change& change) {
  const sim::Action* action = std::get_if<sim::Action>(&change.what);
  return action ? std::get_if<What>(action) : nullptr;
}
template <class What>
What* find_action(Change& change) {
  sim::Action* action = std::get_if<sim::Action>(&change.what);
  return action ? std::get_if<What>(action) : nullptr;
}

}  // namespace stance::run
