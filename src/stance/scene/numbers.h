#pragma once

// Whether numbers are ones that their keys allow, whoever wrote them: a file or a program.

#include <string>

#include "stance/scene/schema.h"
#include "stance/scene/sources.h"
#include "stance/scene/spec.h"

namespace stance::scene {

// What is wrong with one of a key's numbers, as "'mass' is -1 kg; it must be more than 0"; empty
// when nothing is.
std::string find_fault(const SceneKey& key, double value);

// Throws at the first number of a scene, or of an object, that its key does not allow.
void check_numbers(const SceneSpec& spec, const Sources& sources);
void check_numbers(const ObjectSpec& object, const Sources& sources);

}  // namespace stance::scene
