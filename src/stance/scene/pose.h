#pragma once

// Poses and shapes of a spec as the builder wants them.

#include "stance/scene/sources.h"
#include "stance/scene/spec.h"
#include "stance/sim/scene_builder.h"

namespace stance::scene {

// R = Rz(yaw) Ry(pitch) Rx(roll), as in URDF.
kernel::Mat3d make_rpy(const Vec3d& rpy);

// Throws stance::Error, at the key below `path`, when an orientation has no direction.
sim::Pose make_pose(const PoseSpec& pose, const Sources& sources, const Path& path);

// Of a solid also its volume, m^3. `name` is for messages.
collision::Shape make_shape(const ShapeSpec& shape, const std::string& name, const Sources& sources,
                            const Path& path, sim::SceneBuilder& builder, double* volume);

}  // namespace stance::scene
