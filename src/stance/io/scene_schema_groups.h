#pragma once

// Groups of the schema that have files of their own; scene_schema.cc puts all of them together.

#include "stance/io/scene_schema.h"

namespace stance::io {

// scene_schema_contact.cc: laws and surfaces
extern const SceneGroup kContactGroup, kMaterialGroup, kMaterialPairGroup;

// scene_schema_shapes.cc: of what moves, and of what does not
extern const SceneGroup kSolidGroup, kGroundGroup;

// scene_schema_modules.cc: what acts and what measures
extern const SceneGroup kActuatorGroup, kFlexibleGroup, kControllerGroup, kForceGroup, kSensorGroup,
    kReadingGroup, kPluginGroup;

}  // namespace stance::io
