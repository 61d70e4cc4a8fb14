#pragma once

// Groups of the schema that say what acts and what measures; scene_schema.cc has the others.

#include "stance/io/scene_schema.h"

namespace stance::io {

extern const SceneGroup kActuatorGroup, kFlexibleGroup, kControllerGroup, kForceGroup, kSensorGroup,
    kReadingGroup, kPluginGroup;

}  // namespace stance::io
