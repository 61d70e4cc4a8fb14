#include "stance/scene/schema_groups.h"

namespace stance::scene {
namespace {

using enum ValueKind;

constexpr SceneKey kRadius{
    .name = "radius", .about = "", .unit = "m", .required = true, .low = 0, .above = true};
constexpr SceneKey kSphereKeys[] = {with(kRadius, field<&SphereSpec::radius>())};
constexpr SceneGroup kSphere{"a sphere", "Around the origin.", kSphereKeys, {}, blank<SphereSpec>};
constexpr SceneKey kCapsuleKeys[] = {
    with(kRadius, field<&CapsuleSpec::radius>()),
    {.name = "length",
     .about = "Between the centres of its ends, along z.",
     .unit = "m",
     .required = true,
     .low = 0,
     .above = true,
     .field = field<&CapsuleSpec::length>()},
};
constexpr SceneGroup kCapsule{"a capsule",
                              "A cylinder with a half sphere on each end.",
                              kCapsuleKeys,
                              {},
                              blank<CapsuleSpec>};
constexpr SceneKey kCylinderKeys[] = {
    with(kRadius, field<&CylinderSpec::radius>()),
    {.name = "length",
     .about = "Along z, the origin in the middle.",
     .unit = "m",
     .required = true,
     .low = 0,
     .above = true,
     .field = field<&CylinderSpec::length>()},
};
constexpr SceneGroup kCylinder{
    "a cylinder", "Its axis is z.", kCylinderKeys, {}, blank<CylinderSpec>};
constexpr SceneKey kBoxKeys[] = {
    {.name = "size",
     .kind = kVector,
     .about = "Its edges, the origin in the middle.",
     .unit = "m",
     .required = true,
     .low = 0,
     .above = true,
     .field = field<&BoxSpec::size>()},
};
constexpr SceneGroup kBox{"a box", "Along x, y and z.", kBoxKeys, {}, blank<BoxSpec>};
constexpr SceneKey kScale{.name = "scale", .kind = kVector, .about = "Of the file's x, y and z."};
constexpr SceneKey kHullKeys[] = {
    {.name = "points",
     .kind = kPoints,
     .about = "At least four, not in a plane.",
     .unit = "m",
     .field = field<&HullSpec::points>()},
    {.name = "mesh",
     .kind = kPath,
     .about = "Takes the points of a mesh file (STL, OBJ, DAE...).",
     .field = field<&HullSpec::mesh>()},
    with(kScale, field<&HullSpec::scale>()),
};
constexpr std::string_view kHullNames[] = {"points", "mesh"};
constexpr SceneRivals kHullRivals[] = {{kHullNames, true}};
constexpr SceneGroup kHull{"a hull", "The smallest convex body around points.", kHullKeys,
                           kHullRivals, blank<HullSpec>};
constexpr SceneGroup kPlane{
    "a plane", "Solid below z = 0 of its frame. Write `plane: {}`.", {}, {}, blank<PlaneSpec>};
constexpr SceneKey kMeshKeys[] = {
    {.name = "file",
     .kind = kPath,
     .about = "STL, OBJ, DAE, PLY...",
     .required = true,
     .field = field<&MeshSpec::file>()},
    with(kScale, field<&MeshSpec::scale>()),
};
constexpr SceneGroup kMesh{"a mesh",
                           "Triangles, counter-clockwise seen from outside, solid behind them.",
                           kMeshKeys,
                           {},
                           blank<MeshSpec>};
constexpr SceneKey kHeightFieldKeys[] = {
    {.name = "columns",
     .kind = kInteger,
     .about = "Samples along x.",
     .required = true,
     .low = 2,
     .high = 4096,
     .field = field<&HeightFieldSpec::columns>()},
    {.name = "rows",
     .kind = kInteger,
     .about = "Samples along y.",
     .required = true,
     .low = 2,
     .high = 4096,
     .field = field<&HeightFieldSpec::rows>()},
    {.name = "spacing",
     .kind = kVector,
     .about = "Between samples along x and y.",
     .unit = "m",
     .required = true,
     .low = 0,
     .above = true,
     .count = 2,
     .field = field<&HeightFieldSpec::spacing>()},
    {.name = "heights",
     .kind = kNumbers,
     .about = "z of every sample, row by row: columns x rows numbers.",
     .unit = "m",
     .field = field<&HeightFieldSpec::heights>()},
    {.name = "height",
     .kind = kFormula,
     .about = "z as an expression of x and y.",
     .unit = "m",
     .field = field<&HeightFieldSpec::height>()},
};
constexpr std::string_view kHeightNames[] = {"heights", "height"};
constexpr SceneRivals kHeightRivals[] = {{kHeightNames, true}};
constexpr SceneGroup kHeightField{"a height field",
                                  "Ground given by heights on a grid around the origin.",
                                  kHeightFieldKeys, kHeightRivals, blank<HeightFieldSpec>};

constexpr SceneKey kSphereKey{.name = "sphere",
                              .kind = kGroup,
                              .about = "",
                              .group = &kSphere,
                              .field = alternative<ShapeSpec, SphereSpec>()};
constexpr SceneKey kCapsuleKey{.name = "capsule",
                               .kind = kGroup,
                               .about = "",
                               .group = &kCapsule,
                               .field = alternative<ShapeSpec, CapsuleSpec>()};
constexpr SceneKey kCylinderKey{.name = "cylinder",
                                .kind = kGroup,
                                .about = "",
                                .group = &kCylinder,
                                .field = alternative<ShapeSpec, CylinderSpec>()};
constexpr SceneKey kBoxKey{.name = "box",
                           .kind = kGroup,
                           .about = "",
                           .group = &kBox,
                           .field = alternative<ShapeSpec, BoxSpec>()};
constexpr SceneKey kHullKey{.name = "hull",
                            .kind = kGroup,
                            .about = "",
                            .group = &kHull,
                            .field = alternative<ShapeSpec, HullSpec>()};
constexpr SceneKey kSolidKeys[] = {kSphereKey, kCapsuleKey, kCylinderKey, kBoxKey, kHullKey};
constexpr std::string_view kSolidNames[] = {"sphere", "capsule", "cylinder", "box", "hull"};
constexpr SceneRivals kSolidRivals[] = {{kSolidNames, true}};

constexpr SceneKey kGroundKeys[] = {
    kSphereKey,
    kCapsuleKey,
    kCylinderKey,
    kBoxKey,
    kHullKey,
    {.name = "plane",
     .kind = kGroup,
     .about = "",
     .group = &kPlane,
     .field = alternative<ShapeSpec, PlaneSpec>()},
    {.name = "mesh",
     .kind = kGroup,
     .about = "",
     .group = &kMesh,
     .field = alternative<ShapeSpec, MeshSpec>()},
    {.name = "height_field",
     .kind = kGroup,
     .about = "",
     .group = &kHeightField,
     .field = alternative<ShapeSpec, HeightFieldSpec>()},
};
constexpr std::string_view kGroundNames[] = {"sphere", "capsule", "cylinder", "box",
                                             "hull",   "plane",   "mesh",     "height_field"};
constexpr SceneRivals kGroundRivals[] = {{kGroundNames, true}};

}  // namespace

constexpr SceneGroup kSolidGroup{"a solid shape", "Exactly one of these.", kSolidKeys, kSolidRivals,
                                 blank<ShapeSpec>};
constexpr SceneGroup kGroundGroup{"a fixed shape", "Exactly one of these.", kGroundKeys,
                                  kGroundRivals, blank<ShapeSpec>};

}  // namespace stance::scene
