#pragma once

// Parts of a SceneSpec as JSON that a scene file could have: what differs from the defaults,
// numbers with the digits that give the same bits again.

#include <nlohmann/json_fwd.hpp>

#include "stance/scene/spec.h"

namespace stance::io {

nlohmann::ordered_json write_object(const scene::ObjectSpec& object);

// The whole scene; files as they are named there, variables and copies worked out.
nlohmann::ordered_json write_scene(const scene::SceneSpec& spec);

}  // namespace stance::io
