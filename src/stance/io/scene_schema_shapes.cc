#include "stance/io/scene_schema_groups.h"

namespace stance::io {
namespace {

using enum SceneValue;

constexpr SceneKey kRadius{
    .name = "radius", .about = "", .unit = "m", .required = true, .low = 0, .above = true};
constexpr SceneKey kSphereKeys[] = {kRadius};
constexpr SceneGroup kSphere{"a sphere", "Around the origin.", kSphereKeys};
constexpr SceneKey kCapsuleKeys[] = {
    kRadius,
    {.name = "length",
     .about = "Between the centres of its ends, along z.",
     .unit = "m",
     .required = true,
     .low = 0,
     .above = true},
};
constexpr SceneGroup kCapsule{"a capsule", "A cylinder with a half sphere on each end.",
                              kCapsuleKeys};
constexpr SceneKey kCylinderKeys[] = {
    kRadius,
    {.name = "length",
     .about = "Along z, the origin in the middle.",
     .unit = "m",
     .required = true,
     .low = 0,
     .above = true},
};
constexpr SceneGroup kCylinder{"a cylinder", "Its axis is z.", kCylinderKeys};
constexpr SceneKey kBoxKeys[] = {
    {.name = "size",
     .kind = kVector,
     .about = "Its edges, the origin in the middle.",
     .unit = "m",
     .required = true,
     .low = 0,
     .above = true},
};
constexpr SceneGroup kBox{"a box", "Along x, y and z.", kBoxKeys};
constexpr SceneKey kScale{
    .name = "scale", .kind = kVector, .about = "Of the file's x, y and z.", .standard = "1, 1, 1"};
constexpr SceneKey kHullKeys[] = {
    {.name = "points", .kind = kPoints, .about = "At least four, not in a plane.", .unit = "m"},
    {.name = "mesh", .kind = kPath, .about = "Takes the points of a mesh file (STL, OBJ, DAE...)."},
    kScale,
};
constexpr std::string_view kHullNames[] = {"points", "mesh"};
constexpr SceneRivals kHullRivals[] = {{kHullNames, true}};
constexpr SceneGroup kHull{"a hull", "The smallest convex body around points.", kHullKeys,
                           kHullRivals};
constexpr SceneGroup kPlane{"a plane", "Solid below z = 0 of its frame. Write `plane: {}`.", {}};
constexpr SceneKey kMeshKeys[] = {
    {.name = "file", .kind = kPath, .about = "STL, OBJ, DAE, PLY...", .required = true},
    kScale,
};
constexpr SceneGroup kMesh{
    "a mesh", "Triangles, counter-clockwise seen from outside, solid behind them.", kMeshKeys};
constexpr SceneKey kHeightFieldKeys[] = {
    {.name = "columns",
     .kind = kInteger,
     .about = "Samples along x.",
     .required = true,
     .low = 2,
     .high = 4096},
    {.name = "rows",
     .kind = kInteger,
     .about = "Samples along y.",
     .required = true,
     .low = 2,
     .high = 4096},
    {.name = "spacing",
     .kind = kVector,
     .about = "Between samples along x and y.",
     .unit = "m",
     .required = true,
     .low = 0,
     .above = true,
     .count = 2},
    {.name = "heights",
     .kind = kNumbers,
     .about = "z of every sample, row by row: columns x rows numbers.",
     .unit = "m"},
    {.name = "height", .kind = kFormula, .about = "z as an expression of x and y.", .unit = "m"},
};
constexpr std::string_view kHeightNames[] = {"heights", "height"};
constexpr SceneRivals kHeightRivals[] = {{kHeightNames, true}};
constexpr SceneGroup kHeightField{"a height field",
                                  "Ground given by heights on a grid around the origin.",
                                  kHeightFieldKeys, kHeightRivals};

constexpr SceneKey kSphereKey{.name = "sphere", .kind = kGroup, .about = "", .group = &kSphere};
constexpr SceneKey kCapsuleKey{.name = "capsule", .kind = kGroup, .about = "", .group = &kCapsule};
constexpr SceneKey kCylinderKey{
    .name = "cylinder", .kind = kGroup, .about = "", .group = &kCylinder};
constexpr SceneKey kBoxKey{.name = "box", .kind = kGroup, .about = "", .group = &kBox};
constexpr SceneKey kHullKey{.name = "hull", .kind = kGroup, .about = "", .group = &kHull};
constexpr SceneKey kSolidKeys[] = {kSphereKey, kCapsuleKey, kCylinderKey, kBoxKey, kHullKey};
constexpr std::string_view kSolidNames[] = {"sphere", "capsule", "cylinder", "box", "hull"};
constexpr SceneRivals kSolidRivals[] = {{kSolidNames, true}};

constexpr SceneKey kGroundKeys[] = {
    kSphereKey,
    kCapsuleKey,
    kCylinderKey,
    kBoxKey,
    kHullKey,
    {.name = "plane", .kind = kGroup, .about = "", .group = &kPlane},
    {.name = "mesh", .kind = kGroup, .about = "", .group = &kMesh},
    {.name = "height_field", .kind = kGroup, .about = "", .group = &kHeightField},
};
constexpr std::string_view kGroundNames[] = {"sphere", "capsule", "cylinder", "box",
                                             "hull",   "plane",   "mesh",     "height_field"};
constexpr SceneRivals kGroundRivals[] = {{kGroundNames, true}};

}  // namespace

constexpr SceneGroup kSolidGroup{"a solid shape", "Exactly one of these.", kSolidKeys,
                                 kSolidRivals};
constexpr SceneGroup kGroundGroup{"a fixed shape", "Exactly one of these.", kGroundKeys,
                                  kGroundRivals};

}  // namespace stance::io
