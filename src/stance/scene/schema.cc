#include "stance/scene/schema.h"

#include <fmt/format.h>

#include "stance/scene/schema_groups.h"

namespace stance::scene {
namespace {

using enum ValueKind;
using Names = std::span<const std::string_view>;

// ---- poses, shared by many groups -----------------------------------------------------------

constexpr SceneKey kPosition{
    .name = "position", .kind = kVector, .about = "Where its origin is.", .unit = "m"};
constexpr SceneKey kRpy{.name = "rpy",
                        .kind = kVector,
                        .about = "Roll, pitch, yaw as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll).",
                        .unit = "rad"};
constexpr SceneKey kQuaternion{.name = "quaternion",
                               .kind = kVector,
                               .about = "Orientation as w, x, y, z; of any length but zero.",
                               .count = 4};
constexpr SceneKey kTurnKeys[] = {
    {.name = "axis",
     .kind = kVector,
     .about = "Any length but zero.",
     .required = true,
     .field = field<&TurnSpec::axis>()},
    {.name = "angle",
     .about = "About the axis, by the right hand.",
     .unit = "rad",
     .required = true,
     .field = field<&TurnSpec::angle>()},
};
constexpr SceneGroup kTurn{"a turn", "A rotation about an axis.", kTurnKeys, {}, blank<TurnSpec>};
constexpr SceneKey kTurnKey{.name = "turn",
                            .kind = kGroup,
                            .about = "Orientation as a rotation about an axis.",
                            .group = &kTurn};
constexpr std::string_view kTurnNames[] = {"rpy", "quaternion", "turn"};
constexpr SceneRivals kTurnRivals{kTurnNames};

constexpr SceneKey kMaterialKey{.name = "material",
                                .kind = kName,
                                .about = "Of its surface, by name; `default` is always there."};
constexpr SceneKey kCopies{
    .name = "copies",
    .kind = kInteger,
    .about = "Makes so many of it, named NAME0, NAME1, ...; expressions can use `i`, 0, 1, ...",
    .low = 1,
    .high = 10000};
constexpr SceneKey kVelocity{.name = "velocity",
                             .kind = kVector,
                             .about = "Of its centre (robots: of the base's origin), world axes.",
                             .unit = "m/s"};
constexpr SceneKey kSpin{
    .name = "spin", .kind = kVector, .about = "Angular velocity, world axes.", .unit = "rad/s"};
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
     .group = &kSolidGroup,
     .field = part<&ObjectSpec::shape>()},
    {.name = "mass",
     .about = "Or `density`.",
     .unit = "kg",
     .low = 0,
     .above = true,
     .field = field<&ObjectSpec::mass>()},
    {.name = "density",
     .about = "Or `mass`.",
     .unit = "kg/m³",
     .low = 0,
     .above = true,
     .field = field<&ObjectSpec::density>()},
    with(kPosition, field<&ObjectSpec::pose, &PoseSpec::position>()),
    with(kRpy, field<&ObjectSpec::pose, &PoseSpec::rpy>()),
    with(kQuaternion, field<&ObjectSpec::pose, &PoseSpec::quaternion>()),
    with(kTurnKey, part<&ObjectSpec::pose, &PoseSpec::turn>()),
    with(kFrame, field<&ObjectSpec::frame>()),
    with(kVelocity, field<&ObjectSpec::velocity>()),
    with(kSpin, field<&ObjectSpec::spin>()),
    with(kMaterialKey, field<&ObjectSpec::material>()),
    kCopies,
    {.name = "appears",
     .about = "When it comes into the scene, as given here, at the nearest step. When left out, it "
              "is there from the start.",
     .unit = "s",
     .low = 0,
     .field = field<&ObjectSpec::appears>()},
    {.name = "disappears",
     .about = "When it goes, with the constraints that hold it. When left out, never.",
     .unit = "s",
     .low = 0,
     .field = field<&ObjectSpec::disappears>()},
};
constexpr std::string_view kMassNames[] = {"mass", "density"};
constexpr SceneRivals kObjectRivals[] = {{kMassNames, true}, kTurnRivals};
constexpr SceneGroup kObject{"an object",   "A loose body.",   kObjectKeys,
                             kObjectRivals, blank<ObjectSpec>, true};

constexpr SceneKey kEnvironmentKeys[] = {
    {.name = "shape",
     .kind = kGroup,
     .about = "",
     .required = true,
     .group = &kGroundGroup,
     .field = part<&EnvironmentSpec::shape>()},
    with(kPosition, field<&EnvironmentSpec::pose, &PoseSpec::position>()),
    with(kRpy, field<&EnvironmentSpec::pose, &PoseSpec::rpy>()),
    with(kQuaternion, field<&EnvironmentSpec::pose, &PoseSpec::quaternion>()),
    with(kTurnKey, part<&EnvironmentSpec::pose, &PoseSpec::turn>()),
    with(kMaterialKey, field<&EnvironmentSpec::material>()),
    kCopies,
};
constexpr SceneRivals kPoseRivals[] = {kTurnRivals};
constexpr SceneGroup kEnvironment{"a part of the environment",
                                  "It never moves.",
                                  kEnvironmentKeys,
                                  kPoseRivals,
                                  blank<EnvironmentSpec>,
                                  true};

constexpr SceneKey kHoldKeys[] = {
    {.name = "frequency",
     .about = "Of every joint by itself, moving what it carries: stiffness = inertia (2 pi f)². A "
              "joint of a leg that stands carries the rest of the robot.",
     .unit = "Hz",
     .low = 0,
     .high = 1e4,
     .above = true,
     .field = field<&HoldSpec::frequency>()},
    {.name = "damping_ratio",
     .about = "1 does not overshoot.",
     .low = 0,
     .high = 100,
     .field = field<&HoldSpec::damping_ratio>()},
    {.name = "stiffness",
     .about = "The same for all joints, instead of `frequency`.",
     .unit = "N m/rad or N/m",
     .low = 0,
     .field = field<&HoldSpec::stiffness>()},
    {.name = "damping",
     .about = "The same for all joints, instead of `damping_ratio`.",
     .unit = "N m s/rad or N s/m",
     .low = 0,
     .field = field<&HoldSpec::damping>()},
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
    kHoldKeys, kHoldRivals, blank<HoldSpec>};

constexpr SceneKey kDriveKeys[] = {
    {.name = "stiffness",
     .about = "When left out: what `hold` gives, or none.",
     .unit = "N m/rad or N/m",
     .low = 0,
     .field = field<&DriveSpec::stiffness>()},
    {.name = "damping",
     .about = "When left out: what `hold` gives, or none.",
     .unit = "N m s/rad or N s/m",
     .low = 0,
     .field = field<&DriveSpec::damping>()},
    {.name = "target",
     .about = "Where the spring pulls to; when left out, where the joint starts.",
     .unit = "rad or m",
     .field = field<&DriveSpec::target>()},
    {.name = "torque",
     .about = "That acts all the time, besides.",
     .unit = "N m or N",
     .field = field<&DriveSpec::torque>()},
};
constexpr SceneGroup kDrive{"a drive", "What acts on a joint.", kDriveKeys, {}, blank<DriveSpec>};

Names base_names() {
  static constexpr std::string_view kNames[] = {"auto", "free", "fixed"};
  return kNames;
}

constexpr SceneKey kRobotKeys[] = {
    {.name = "urdf",
     .kind = kPath,
     .about = "Its description.",
     .required = true,
     .field = field<&RobotSpec::urdf>()},
    {.name = "srdf",
     .kind = kPath,
     .about = "Pairs of links that never collide.",
     .field = field<&RobotSpec::srdf>()},
    {.name = "package_paths",
     .kind = kPaths,
     .about = "Folders where package:// is looked for.",
     .field = field<&RobotSpec::package_paths>(),
     .matters = false},  // where files lie; they count by what they hold
    {.name = "base",
     .kind = kChoice,
     .about = "free floats, fixed is bolted to the world, auto is free unless the root is named "
              "'world'.",
     .choices = base_names,
     .field = field<&RobotSpec::base>()},
    with(kPosition, field<&RobotSpec::pose, &PoseSpec::position>()),
    with(kRpy, field<&RobotSpec::pose, &PoseSpec::rpy>()),
    with(kQuaternion, field<&RobotSpec::pose, &PoseSpec::quaternion>()),
    with(kTurnKey, part<&RobotSpec::pose, &PoseSpec::turn>()),
    with(kFrame, field<&RobotSpec::frame>()),
    {.name = "stand_on",
     .about = "Height at which its lowest point is put, along z; takes the place of z in "
              "`position`.",
     .unit = "m",
     .field = field<&RobotSpec::stand_on>()},
    with(kVelocity, field<&RobotSpec::velocity>()),
    with(kSpin, field<&RobotSpec::spin>()),
    {.name = "joints",
     .kind = kNumberMap,
     .about = "Where joints start, by name; `*` in a name stands for any letters. Others start at "
              "0, or at the limit nearest to it.",
     .unit = "rad or m",
     .field = field<&RobotSpec::joints>()},
    {.name = "rates",
     .kind = kNumberMap,
     .about = "How fast joints move at the start, likewise.",
     .unit = "rad/s or m/s",
     .field = field<&RobotSpec::rates>()},
    {.name = "hold",
     .kind = kGroup,
     .about = "Holds the start pose. When left out joints are free, but for their drives.",
     .group = &kHold,
     .field = part<&RobotSpec::hold>()},
    {.name = "drives",
     .kind = kGroups,
     .about = "Joints by name (`*` as above).",
     .group = &kDrive,
     .field = part<&RobotSpec::drives>()},
    {.name = "effort_limits",
     .kind = kFlag,
     .about = "true: torques of `hold`, `drives` and controllers stay within the effort limits of "
              "the URDF. A torque at its limit is that of the end of the step, exactly.",
     .field = field<&RobotSpec::effort_limits>()},
    {.name = "actuators",
     .kind = kGroups,
     .about = "Gears, friction and limits, joints by name (`*` as above).",
     .group = &kActuatorGroup,
     .field = part<&RobotSpec::actuators>()},
    {.name = "flexible",
     .kind = kGroups,
     .about = "Joints by name (`*` as above) that give way.",
     .group = &kFlexibleGroup,
     .field = part<&RobotSpec::flexible>()},
    {.name = "controllers",
     .kind = kGroups,
     .about = "One after the other, on top of `hold` and `drives`.",
     .group = &kControllerGroup,
     .field = part<&RobotSpec::controllers>()},
    with(kMaterialKey, field<&RobotSpec::material>()),
    kCopies,
};
constexpr SceneGroup kRobot{
    "a robot",        "Its links and joints are named ROBOT/LINK in the scene.",
    kRobotKeys,       kPoseRivals,
    blank<RobotSpec>, true};

// ---- constraints --------------------------------------------------------------------------------

Names constraint_names() {
  static constexpr std::string_view kNames[] = {"weld", "ball", "hinge", "distance"};
  return kNames;
}

constexpr SceneKey kEndKeys[] = {
    {.name = "body",
     .kind = kName,
     .about = "An object, ROBOT/LINK, or `world`.",
     .required = true,
     .field = field<&EndSpec::body>()},
    with(kPosition, field<&EndSpec::pose, &PoseSpec::position>()),
    with(kRpy, field<&EndSpec::pose, &PoseSpec::rpy>()),
    with(kQuaternion, field<&EndSpec::pose, &PoseSpec::quaternion>()),
    with(kTurnKey, part<&EndSpec::pose, &PoseSpec::turn>()),
};
constexpr SceneGroup kEnd{"an end of a constraint",
                          "A frame fixed to a body. When the second end has no pose, it lies where "
                          "the first one is at the start (not for `distance`).",
                          kEndKeys, kPoseRivals, blank<EndSpec>};
constexpr SceneKey kConstraintKeys[] = {
    {.name = "kind",
     .kind = kChoice,
     .about = "weld: the frames coincide; ball: their origins do; hinge: and their z axes; "
              "distance: their origins stay `length` apart.",
     .required = true,
     .choices = constraint_names,
     .field = field<&ConstraintSpec::kind>()},
    {.name = "a",
     .kind = kGroup,
     .about = "",
     .required = true,
     .group = &kEnd,
     .field = part<&ConstraintSpec::a>()},
    {.name = "b",
     .kind = kGroup,
     .about = "",
     .required = true,
     .group = &kEnd,
     .field = part<&ConstraintSpec::b>()},
    {.name = "length",
     .about = "Of a distance, and only there; when left out, that of the start.",
     .unit = "m",
     .low = 0,
     .above = true,
     .field = field<&ConstraintSpec::length>()},
};
constexpr SceneGroup kConstraint{
    "a constraint",
    "A hard joint between two frames; the two bodies no longer collide. (With a `distance` to the "
    "world they do: what hangs on a rope meets the floor.)",
    kConstraintKeys,
    {},
    blank<ConstraintSpec>};

// ---- the scene ----------------------------------------------------------------------------------

constexpr SceneKey kSceneKeys[] = {
    {.name = "version",
     .kind = kInteger,
     .about = "Of this format: 1.",
     .required = true,
     .low = 1,
     .high = 1e9,
     .field = field<&SceneSpec::version>(),
     .matters = false},  // of the text, not of what it says
    {.name = "name",
     .kind = kText,
     .about = "When left out, that of the file.",
     .field = field<&SceneSpec::name>(),
     .matters = false},  // for people
    {.name = "about",
     .kind = kText,
     .about = "A sentence that `stance run` shows.",
     .field = field<&SceneSpec::about>(),
     .matters = false},  // for people
    {.name = "include",
     .kind = kPaths,
     .about = "Scenes to start from. A key here takes the place of theirs, a named entry that of "
              "the entry of the same name.",
     .field = field<&SceneSpec::include>(),
     .matters = false},  // what it brings stands in the other keys
    {.name = "variables",
     .kind = kVariables,
     .about = "Names for numbers (or expressions of those before) and, in quotes, for texts; "
              "`--set name=value` gives others.",
     .matters = false},  // what follows from them stands in the other keys
    {.name = "seed",
     .kind = kInteger,
     .about = "Of random(); `--seed` gives another.",
     .low = 0,
     .high = 9007199254740992.0,
     .field = field<&SceneSpec::seed>()},
    {.name = "gravity",
     .kind = kVector,
     .about = "",
     .unit = "m/s²",
     .field = field<&SceneSpec::gravity>()},
    {.name = "step",
     .about = "Time between two states.",
     .unit = "s",
     .low = 0,
     .high = 1,
     .above = true,
     .field = field<&SceneSpec::step>()},
    {.name = "duration",
     .about = "Of a run; `--duration` gives another.",
     .unit = "s",
     .low = 0,
     .high = 1e7,
     .above = true,
     .field = field<&SceneSpec::duration>(),
     .matters = false},  // when somebody stops looking
    {.name = "contact",
     .kind = kGroup,
     .about = "How contacts are treated.",
     .group = &kContactGroup,
     .field = part<&SceneSpec::contact>()},
    {.name = "materials",
     .kind = kGroups,
     .about = "Surfaces.",
     .group = &kMaterialGroup,
     .field = part<&SceneSpec::materials>()},
    {.name = "material_pairs",
     .kind = kGroups,
     .about = "Where two of them are otherwise than the rule says.",
     .group = &kMaterialPairGroup,
     .field = part<&SceneSpec::material_pairs>()},
    {.name = "robots",
     .kind = kGroups,
     .about = "Robots from files.",
     .group = &kRobot,
     .field = part<&SceneSpec::robots>()},
    {.name = "objects",
     .kind = kGroups,
     .about = "Loose bodies.",
     .group = &kObject,
     .field = part<&SceneSpec::objects>()},
    {.name = "environment",
     .kind = kGroups,
     .about = "What never moves.",
     .group = &kEnvironment,
     .field = part<&SceneSpec::environment>()},
    {.name = "constraints",
     .kind = kGroups,
     .about = "Joints that close loops.",
     .group = &kConstraint,
     .field = part<&SceneSpec::constraints>()},
    {.name = "forces",
     .kind = kGroups,
     .about = "That push bodies.",
     .group = &kForceGroup,
     .field = part<&SceneSpec::forces>()},
    {.name = "sensors",
     .kind = kGroups,
     .about = "What is measured.",
     .group = &kSensorGroup,
     .field = part<&SceneSpec::sensors>()},
    {.name = "plugins",
     .kind = kGroups,
     .about = "Modules from shared libraries, after all others.",
     .group = &kPluginGroup,
     .field = part<&SceneSpec::plugins>()},
    {.name = "ignore_collisions",
     .kind = kPairs,
     .about = "Two names each, of objects, ROBOT/LINK or parts of the environment, that never "
              "collide.",
     .field = field<&SceneSpec::ignore_collisions>()},
    {.name = "interaction",
     .kind = kGroup,
     .about = "How hands take hold of things.",
     .group = &kInteractionGroup,
     .field = part<&SceneSpec::interaction>()},
    {.name = "record",
     .kind = kGroup,
     .about = "What a recording holds.",
     .group = &kRecordGroup,
     .field = part<&SceneSpec::record>(),
     .matters = false},  // looks on
    {.name = "expect",
     .kind = kGroup,
     .about = "What a run must do.",
     .group = &kExpectGroup,
     .field = part<&SceneSpec::expect>(),
     .matters = false},  // judges what has been
};
constexpr SceneGroup kScene{
    "the scene", "The top level of a file.", kSceneKeys, {}, blank<SceneSpec>};

}  // namespace

const SceneKey* SceneGroup::find(std::string_view name) const {
  for (const SceneKey& key : keys)
    if (key.name == name) return &key;
  return nullptr;
}

const SceneGroup& scene_schema() { return kScene; }

std::string describe_default(const SceneGroup& group, const SceneKey& key) {
  FieldValue value;
  if (!key.field.get || !group.blank || !key.field.get(group.blank(), value)) return "";
  if (key.kind == kFlag) return value.numbers[0] != 0.0 ? "true" : "false";
  if (key.kind == kChoice) return std::string(key.choices()[static_cast<int>(value.numbers[0])]);
  std::string out;
  for (const double number : value.numbers) {
    std::string text = fmt::format("{}{:g}", out.empty() ? "" : ", ", number);
    for (const char* zero : {"e+0", "e-0"})  // 1e-08 is 1e-8
      if (const std::size_t at = text.find(zero); at != std::string::npos)
        text.erase(at + (zero[1] == '+' ? 1 : 2), zero[1] == '+' ? 2 : 1);
    out += text;
  }
  for (const std::string& text : value.texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

}  // namespace stance::scene
