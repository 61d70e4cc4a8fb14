#include "stance/io/scene_schema.h"

#include "stance/io/scene_schema_groups.h"

namespace stance::io {
namespace {

using enum SceneValue;
using Names = std::span<const std::string_view>;

// ---- poses, shared by many groups -----------------------------------------------------------

constexpr SceneKey kPosition{.name = "position",
                             .kind = kVector,
                             .about = "Where its origin is.",
                             .unit = "m",
                             .standard = "0, 0, 0"};
constexpr SceneKey kRpy{.name = "rpy",
                        .kind = kVector,
                        .about = "Roll, pitch, yaw as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll).",
                        .unit = "rad",
                        .standard = "0, 0, 0"};
constexpr SceneKey kQuaternion{.name = "quaternion",
                               .kind = kVector,
                               .about = "Orientation as w, x, y, z; of any length but zero.",
                               .standard = "1, 0, 0, 0",
                               .count = 4};
constexpr SceneKey kTurnKeys[] = {
    {.name = "axis", .kind = kVector, .about = "Any length but zero.", .required = true},
    {.name = "angle",
     .about = "About the axis, by the right hand.",
     .unit = "rad",
     .required = true},
};
constexpr SceneGroup kTurn{"a turn", "A rotation about an axis.", kTurnKeys};
constexpr SceneKey kTurnKey{.name = "turn",
                            .kind = kGroup,
                            .about = "Orientation as a rotation about an axis.",
                            .group = &kTurn};
constexpr std::string_view kTurnNames[] = {"rpy", "quaternion", "turn"};
constexpr SceneRivals kTurnRivals{kTurnNames};

constexpr SceneKey kMaterialKey{.name = "material",
                                .kind = kName,
                                .about = "Of its surface, by name; `default` is always there.",
                                .standard = "default"};
constexpr SceneKey kCopies{
    .name = "copies",
    .kind = kInteger,
    .about = "Makes so many of it, named NAME0, NAME1, ...; expressions can use `i`, 0, 1, ...",
    .low = 1,
    .high = 10000};
constexpr SceneKey kVelocity{.name = "velocity",
                             .kind = kVector,
                             .about = "Of its centre (robots: of the base's origin), world axes.",
                             .unit = "m/s",
                             .standard = "0, 0, 0"};
constexpr SceneKey kSpin{.name = "spin",
                         .kind = kVector,
                         .about = "Angular velocity, world axes.",
                         .unit = "rad/s",
                         .standard = "0, 0, 0"};
constexpr SceneKey kFrame{
    .name = "frame",
    .kind = kName,
    .about =
        "An entry of the environment; position, orientation, velocity and spin are then "
        "given in its frame instead of the world's: a brick on a ramp."};

// ---- what stands in the scene -----------------------------------------------------------------

constexpr SceneKey kObjectKeys[] = {
    {.name = "shape",
     .kind = kGroup,
     .about = "A solid body of even density.",
     .required = true,
     .group = &kSolidGroup},
    {.name = "mass", .about = "Or `density`.", .unit = "kg", .low = 0, .above = true},
    {.name = "density", .about = "Or `mass`.", .unit = "kg/m³", .low = 0, .above = true},
    kPosition,
    kRpy,
    kQuaternion,
    kTurnKey,
    kFrame,
    kVelocity,
    kSpin,
    kMaterialKey,
    kCopies,
    {.name = "appears",
     .about = "When it comes into the scene, as given here, at the nearest step. When left out, it "
              "is there from the start.",
     .unit = "s",
     .standard = "0",
     .low = 0},
    {.name = "disappears",
     .about = "When it goes, with the constraints that hold it. When left out, never.",
     .unit = "s",
     .low = 0},
};
constexpr std::string_view kMassNames[] = {"mass", "density"};
constexpr SceneRivals kObjectRivals[] = {{kMassNames, true}, kTurnRivals};
constexpr SceneGroup kObject{"an object", "A loose body.", kObjectKeys, kObjectRivals, true};

constexpr SceneKey kEnvironmentKeys[] = {
    {.name = "shape", .kind = kGroup, .about = "", .required = true, .group = &kGroundGroup},
    kPosition,
    kRpy,
    kQuaternion,
    kTurnKey,
    kMaterialKey,
    kCopies,
};
constexpr SceneRivals kPoseRivals[] = {kTurnRivals};
constexpr SceneGroup kEnvironment{"a part of the environment", "It never moves.", kEnvironmentKeys,
                                  kPoseRivals, true};

constexpr SceneKey kHoldKeys[] = {
    {.name = "frequency",
     .about = "Of every joint by itself, moving what it carries: stiffness = inertia (2 pi f)². A "
              "joint of a leg that stands carries the rest of the robot.",
     .unit = "Hz",
     .standard = "5",
     .low = 0,
     .high = 1e4,
     .above = true},
    {.name = "damping_ratio",
     .about = "1 does not overshoot.",
     .standard = "1",
     .low = 0,
     .high = 100},
    {.name = "stiffness",
     .about = "The same for all joints, instead of `frequency`.",
     .unit = "N m/rad or N/m",
     .low = 0},
    {.name = "damping",
     .about = "The same for all joints, instead of `damping_ratio`.",
     .unit = "N m s/rad or N s/m",
     .standard = "0",
     .low = 0},
};
constexpr std::string_view kHoldRival1[] = {"frequency", "stiffness"};
constexpr std::string_view kHoldRival2[] = {"damping_ratio", "stiffness"};
constexpr std::string_view kHoldRival3[] = {"frequency", "damping"};
constexpr std::string_view kHoldRival4[] = {"damping_ratio", "damping"};
constexpr SceneRivals kHoldRivals[] = {{kHoldRival1}, {kHoldRival2}, {kHoldRival3}, {kHoldRival4}};
constexpr SceneGroup kHold{
    "hold",
    "Springs and dampers that hold all joints of one coordinate where they start; "
    "`hold: {}` takes the defaults. Taken at the end of the step, so stiff ones are stable.",
    kHoldKeys, kHoldRivals};

constexpr SceneKey kDriveKeys[] = {
    {.name = "stiffness",
     .about = "When left out: what `hold` gives, or none.",
     .unit = "N m/rad or N/m",
     .low = 0},
    {.name = "damping",
     .about = "When left out: what `hold` gives, or none.",
     .unit = "N m s/rad or N s/m",
     .low = 0},
    {.name = "target",
     .about = "Where the spring pulls to; when left out, where the joint starts.",
     .unit = "rad or m"},
    {.name = "torque",
     .about = "That acts all the time, besides.",
     .unit = "N m or N",
     .standard = "0"},
};
constexpr SceneGroup kDrive{"a drive", "What acts on a joint.", kDriveKeys};

Names base_names() {
  static constexpr std::string_view kNames[] = {"auto", "free", "fixed"};
  return kNames;
}

constexpr SceneKey kRobotKeys[] = {
    {.name = "urdf", .kind = kPath, .about = "Its description.", .required = true},
    {.name = "srdf", .kind = kPath, .about = "Pairs of links that never collide."},
    {.name = "package_paths", .kind = kPaths, .about = "Folders where package:// is looked for."},
    {.name = "base",
     .kind = kChoice,
     .about = "free floats, fixed is bolted to the world, auto is free unless the root is named "
              "'world'.",
     .standard = "auto",
     .choices = base_names},
    kPosition,
    kRpy,
    kQuaternion,
    kTurnKey,
    kFrame,
    {.name = "stand_on",
     .about = "Height at which its lowest point is put, along z; takes the place of z in "
              "`position`.",
     .unit = "m"},
    kVelocity,
    kSpin,
    {.name = "joints",
     .kind = kNumberMap,
     .about = "Where joints start, by name; `*` in a name stands for any letters. Others start at "
              "0, or at the limit nearest to it.",
     .unit = "rad or m"},
    {.name = "rates",
     .kind = kNumberMap,
     .about = "How fast joints move at the start, likewise.",
     .unit = "rad/s or m/s"},
    {.name = "hold",
     .kind = kGroup,
     .about = "Holds the start pose. When left out joints are free, but for their drives.",
     .group = &kHold},
    {.name = "drives",
     .kind = kGroups,
     .about = "Joints by name (`*` as above).",
     .group = &kDrive},
    {.name = "effort_limits",
     .kind = kFlag,
     .about = "true: torques of `hold`, `drives` and controllers stay within the effort limits of "
              "the URDF. A torque at its limit is that of the end of the step, exactly."},
    {.name = "actuators",
     .kind = kGroups,
     .about = "Gears, friction and limits, joints by name (`*` as above).",
     .group = &kActuatorGroup},
    {.name = "flexible",
     .kind = kGroups,
     .about = "Joints by name (`*` as above) that give way.",
     .group = &kFlexibleGroup},
    {.name = "controllers",
     .kind = kGroups,
     .about = "One after the other, on top of `hold` and `drives`.",
     .group = &kControllerGroup},
    kMaterialKey,
    kCopies,
};
constexpr SceneGroup kRobot{"a robot", "Its links and joints are named ROBOT/LINK in the scene.",
                            kRobotKeys, kPoseRivals, true};

// ---- constraints --------------------------------------------------------------------------------

Names constraint_names() {
  static constexpr std::string_view kNames[] = {"weld", "ball", "hinge", "distance"};
  return kNames;
}

constexpr SceneKey kEndKeys[] = {
    {.name = "body",
     .kind = kName,
     .about = "An object, ROBOT/LINK, or `world`.",
     .required = true},
    kPosition,
    kRpy,
    kQuaternion,
    kTurnKey,
};
constexpr SceneGroup kEnd{"an end of a constraint",
                          "A frame fixed to a body. When the second end has no pose, it lies where "
                          "the first one is at the start (not for `distance`).",
                          kEndKeys, kPoseRivals};
constexpr SceneKey kConstraintKeys[] = {
    {.name = "kind",
     .kind = kChoice,
     .about = "weld: the frames coincide; ball: their origins do; hinge: and their z axes; "
              "distance: their origins stay `length` apart.",
     .required = true,
     .choices = constraint_names},
    {.name = "a", .kind = kGroup, .about = "", .required = true, .group = &kEnd},
    {.name = "b", .kind = kGroup, .about = "", .required = true, .group = &kEnd},
    {.name = "length",
     .about = "Of a distance, and only there; when left out, that of the start.",
     .unit = "m",
     .low = 0,
     .above = true},
};
constexpr SceneGroup kConstraint{
    "a constraint",
    "A hard joint between two frames; the two bodies no longer collide. (With a `distance` to the "
    "world they do: what hangs on a rope meets the floor.)",
    kConstraintKeys};

// ---- expectations -------------------------------------------------------------------------------

constexpr SceneKey kFinalKeys[] = {
    {.name = "position", .kind = kVector, .about = "Of a body's or link's origin.", .unit = "m"},
    {.name = "x", .about = "One coordinate of it alone.", .unit = "m"},
    {.name = "y", .about = "", .unit = "m"},
    {.name = "z", .about = "", .unit = "m"},
    {.name = "velocity", .kind = kVector, .about = "Of that point, world axes.", .unit = "m/s"},
    {.name = "spin", .kind = kVector, .about = "Angular velocity, world axes.", .unit = "rad/s"},
    {.name = "value", .about = "Of a joint.", .unit = "rad or m"},
    {.name = "rate", .about = "Of a joint.", .unit = "rad/s or m/s"},
    {.name = "tolerance",
     .about = "Of positions and values.",
     .unit = "m or rad",
     .required = true,
     .low = 0,
     .above = true},
    {.name = "rate_tolerance",
     .about = "Of velocities, spins and rates; when left out, as above.",
     .unit = "m/s or rad/s",
     .low = 0,
     .above = true},
};
constexpr SceneGroup kFinal{"a final state", "What a body or joint must have come to.", kFinalKeys};

constexpr SceneKey kExpectKeys[] = {
    {.name = "no_fall",
     .kind = kFlag,
     .about = "No robot with a free base may tilt its heaviest link by more than 1 rad, or sink "
              "with its centre of mass to half its height. "
              "`false` expects that one does.",
     .group = nullptr},
    {.name = "max_slip",
     .about = "Distance that two surfaces may slide on each other while they press, summed over "
              "the run.",
     .unit = "m",
     .low = 0},
    {.name = "max_penetration", .about = "In any step.", .unit = "m", .low = 0},
    {.name = "max_residual", .about = "Of the contact problem in any step.", .low = 0},
    {.name = "max_energy_error", .about = "Of the integrator, at the end.", .unit = "J", .low = 0},
    {.name = "max_final_speed",
     .about = "Of every body's centre at the end: what came to rest.",
     .unit = "m/s",
     .low = 0},
    {.name = "converged", .kind = kFlag, .about = "true: every step reached its tolerance."},
    {.name = "max_unconverged",
     .kind = kInteger,
     .about = "Steps that may end before their tolerance.",
     .low = 0,
     .high = 1e9},
    {.name = "final",
     .kind = kGroups,
     .about = "At the end, by name: an object, ROBOT/LINK or ROBOT/JOINT.",
     .group = &kFinal},
    {.name = "readings",
     .kind = kGroups,
     .about = "Channels of sensors at the end, by name: SENSOR/QUANTITY.",
     .group = &kReadingGroup},
};
constexpr SceneGroup kExpect{
    "expect", "What a run must do; `stance run` exits with 5 when it does not.", kExpectKeys};

// ---- recordings ---------------------------------------------------------------------------------

constexpr SceneKey kRecordKeys[] = {
    {.name = "channels",
     .kind = kTexts,
     .about = "Names of channels (docs/recording.md); `*` in a name stands for any letters. When "
              "left out, all but impulses; `--channel` gives others."},
    {.name = "every",
     .about = "Time between two rows, a multiple of the step. When left out, every step.",
     .unit = "s",
     .low = 0,
     .above = true},
    {.name = "every_steps",
     .kind = kInteger,
     .about = "The same in steps, instead of `every`.",
     .low = 1,
     .high = 1e9},
    {.name = "file",
     .kind = kText,
     .about =
         "Where to, seen from the folder where the program is started: .h5 or .csv. Then every "
         "run records, unless `--no-record` says not to; `--out` gives another."},
    {.name = "flush",
     .about = "Wall-clock time that a killed run may lose at most.",
     .unit = "s",
     .standard = "0.5",
     .low = 0.01,
     .high = 60},
};
constexpr SceneGroup kRecord{"record", "What a recording holds (docs/recording.md).", kRecordKeys};

// ---- interaction --------------------------------------------------------------------------------

constexpr SceneKey kInteractionKeys[] = {
    {.name = "stiffness",
     .about = "Of the spring by which a body is dragged; its damping follows from the effective "
              "mass at the point.",
     .unit = "N/m",
     .standard = "500",
     .low = 0,
     .high = 1e7,
     .above = true},
    {.name = "touch",
     .about = "Devices: factor on the device's force that a touched body receives.",
     .standard = "1",
     .low = 0,
     .high = 1e4},
    {.name = "probe_radius",
     .about = "Devices: of the sphere that touches.",
     .unit = "m",
     .standard = "0.01",
     .low = 0,
     .high = 10,
     .above = true},
    {.name = "device_scale",
     .about = "Devices: metres of the scene for a metre of the hand.",
     .standard = "1",
     .low = 0,
     .high = 1e3,
     .above = true},
    {.name = "device_origin",
     .kind = kVector,
     .about = "Devices: where the middle of their workspace lies.",
     .unit = "m",
     .standard = "0, 0, 0"},
};
constexpr SceneGroup kInteraction{
    "interaction", "How hands take hold of things, where they do not say so themselves.",
    kInteractionKeys};

// ---- the scene ----------------------------------------------------------------------------------

constexpr SceneKey kSceneKeys[] = {
    {.name = "version", .kind = kInteger, .about = "Of this format: 1.", .required = true},
    {.name = "name", .kind = kText, .about = "When left out, that of the file."},
    {.name = "about", .kind = kText, .about = "A sentence that `stance run` shows."},
    {.name = "include",
     .kind = kPaths,
     .about = "Scenes to start from. A key here takes the place of theirs, a named entry that of "
              "the entry of the same name."},
    {.name = "variables",
     .kind = kVariables,
     .about = "Names for numbers (or expressions of those before) and, in quotes, for texts; "
              "`--set name=value` gives others."},
    {.name = "seed",
     .kind = kInteger,
     .about = "Of random(); `--seed` gives another.",
     .standard = "1",
     .low = 0,
     .high = 9007199254740992.0},
    {.name = "gravity", .kind = kVector, .about = "", .unit = "m/s²", .standard = "0, 0, -9.81"},
    {.name = "step",
     .about = "Time between two states.",
     .unit = "s",
     .standard = "0.001",
     .low = 0,
     .high = 1,
     .above = true},
    {.name = "duration",
     .about = "Of a run; `--duration` gives another.",
     .unit = "s",
     .standard = "10",
     .low = 0,
     .high = 1e7,
     .above = true},
    {.name = "contact",
     .kind = kGroup,
     .about = "How contacts are treated.",
     .group = &kContactGroup},
    {.name = "materials", .kind = kGroups, .about = "Surfaces.", .group = &kMaterialGroup},
    {.name = "material_pairs",
     .kind = kGroups,
     .about = "Where two of them are otherwise than the rule says.",
     .group = &kMaterialPairGroup},
    {.name = "robots", .kind = kGroups, .about = "Robots from files.", .group = &kRobot},
    {.name = "objects", .kind = kGroups, .about = "Loose bodies.", .group = &kObject},
    {.name = "environment", .kind = kGroups, .about = "What never moves.", .group = &kEnvironment},
    {.name = "constraints",
     .kind = kGroups,
     .about = "Joints that close loops.",
     .group = &kConstraint},
    {.name = "forces", .kind = kGroups, .about = "That push bodies.", .group = &kForceGroup},
    {.name = "sensors", .kind = kGroups, .about = "What is measured.", .group = &kSensorGroup},
    {.name = "plugins",
     .kind = kGroups,
     .about = "Modules from shared libraries, after all others.",
     .group = &kPluginGroup},
    {.name = "ignore_collisions",
     .kind = kPairs,
     .about = "Two names each, of objects, ROBOT/LINK or parts of the environment, that never "
              "collide."},
    {.name = "interaction",
     .kind = kGroup,
     .about = "How hands take hold of things.",
     .group = &kInteraction},
    {.name = "record", .kind = kGroup, .about = "What a recording holds.", .group = &kRecord},
    {.name = "expect", .kind = kGroup, .about = "What a run must do.", .group = &kExpect},
};
constexpr SceneGroup kScene{"the scene", "The top level of a file.", kSceneKeys};

}  // namespace

const SceneKey* SceneGroup::find(std::string_view name) const {
  for (const SceneKey& key : keys)
    if (key.name == name) return &key;
  return nullptr;
}

const SceneGroup& scene_schema() { return kScene; }

}  // namespace stance::io
