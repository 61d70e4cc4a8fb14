#pragma once

// What people change about a scene while it runs: objects, gravity, the law of contact. An edit
// changes the SceneSpec; the Compiler makes the world that follows from it.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "stance/scene/sources.h"
#include "stance/scene/spec.h"

namespace stance::scene {

// Puts objects into the scene.
struct AddObjects {
  std::string name;                 // as it was asked for
  std::vector<ObjectSpec> objects;  // the one of that name, or its copies
  Sources sources{};
};
// Takes an object out.
struct RemoveObject {
  std::string name;
};
// Another gravity.
struct SetGravity {
  Vec3d gravity;  // m/s^2
};
// Another law of contact.
struct SetLaw {
  contact::ContactLaw law = contact::ContactLaw::kExact;
};
// One change of a scene.
using Edit = std::variant<AddObjects, RemoveObject, SetGravity, SetLaw>;

}  // namespace stance::scene
