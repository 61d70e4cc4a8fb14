#pragma once

// Groups of the schema that have files of their own; schema.cc puts all of them together.

#include "stance/scene/schema.h"
#include "stance/scene/spec.h"

namespace stance::scene {

// A key that several groups share, with the field of one of them.
constexpr SceneKey with(SceneKey key, Field field) {
  key.field = field;
  return key;
}

// schema_contact.cc: laws and surfaces
extern const SceneGroup kContactGroup, kMaterialGroup, kMaterialPairGroup;

// schema_shapes.cc: of what moves, and of what does not
extern const SceneGroup kSolidGroup, kGroundGroup;

// schema_modules.cc: what acts and what measures
extern const SceneGroup kHoldGroup, kDriveGroup, kActuatorGroup, kFlexibleGroup, kControllerGroup,
    kForceGroup, kSensorGroup, kReadingGroup, kPluginGroup;

// schema_run.cc: what is expected, recorded, and taken hold of
extern const SceneGroup kExpectGroup, kRecordGroup, kInteractionGroup;

}  // namespace stance::scene
