#include "stance/scene/schema_groups.h"

namespace stance::scene {
namespace {

using enum ValueKind;
using Names = std::span<const std::string_view>;

// ---- joints -----------------------------------------------------------------------------------

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
constexpr SceneKey kActuatorKeys[] = {
    {.name = "ratio",
     .about = "Of the gear, motor over joint: torques and gains of `hold`, `drives` and "
              "controllers are those of the motor and count so many times at the joint.",
     .low = 0,
     .above = true,
     .field = field<&ActuatorSpec::ratio>()},
    {.name = "rotor_inertia",
     .about = "Of the motor; ratio² times as much at the joint. When left out: as the URDF has it.",
     .unit = "kg m² or kg",
     .low = 0,
     .field = field<&ActuatorSpec::rotor_inertia>()},
    {.name = "viscous_friction",
     .about = "Of the joint, against its motion. When left out: as the URDF has it.",
     .unit = "N m s/rad or N s/m",
     .low = 0,
     .field = field<&ActuatorSpec::viscous_friction>()},
    {.name = "dry_friction",
     .about = "Of the joint, against its motion; holds it while nothing stronger acts. When left "
              "out: as the URDF has it.",
     .unit = "N m or N",
     .low = 0,
     .field = field<&ActuatorSpec::dry_friction>()},
    {.name = "torque_limit",
     .about = "Of the motor; ratio times as much at the joint. When left out: none, or with "
              "`effort_limits` that of the URDF.",
     .unit = "N m or N",
     .low = 0,
     .field = field<&ActuatorSpec::torque_limit>()},
};

constexpr SceneKey kFlexibleKeys[] = {
    {.name = "stiffness",
     .about = "",
     .unit = "N m/rad or N/m",
     .required = true,
     .low = 0,
     .above = true,
     .field = field<&FlexibleSpec::stiffness>()},
    {.name = "damping",
     .about = "",
     .unit = "N m s/rad or N s/m",
     .low = 0,
     .field = field<&FlexibleSpec::damping>()},
    {.name = "directions",
     .kind = kPoints,
     .about =
         "Axes of the springs in the frame of the joint's link, one elastic hinge each. When "
         "left out: the joint's own axis, between its motor and its link; the motor then needs "
         "a `rotor_inertia`.",
     .field = field<&FlexibleSpec::directions>()},
};

// ---- controllers ------------------------------------------------------------------------------

Names controller_names() {
  static constexpr std::string_view kNames[] = {"pd", "computed_torque", "gravity_compensation",
                                                "admittance", "look_at"};
  return kNames;
}
Names interpolation_names() {
  static constexpr std::string_view kNames[] = {"minimum_jerk", "cubic", "linear"};
  return kNames;
}

constexpr SceneKey kKeyframeKeys[] = {
    {.name = "time",
     .about = "",
     .unit = "s",
     .required = true,
     .low = 0,
     .field = field<&KeyframeSpec::time>()},
    {.name = "joints",
     .kind = kNumberMap,
     .about = "Where joints are then, by name (`*` as above); others stay where they were.",
     .unit = "rad or m",
     .required = true,
     .field = field<&KeyframeSpec::joints>()},
};
constexpr SceneGroup kKeyframe{
    "a keyframe", "Joints at a time.", kKeyframeKeys, {}, blank<KeyframeSpec>};
constexpr SceneKey kTrajectoryKeys[] = {
    {.name = "keyframes",
     .kind = kGroups,
     .about = "In the order of their times.",
     .group = &kKeyframe,
     .field = part<&TrajectorySpec::keyframes>()},
    {.name = "file",
     .kind = kPath,
     .about = "CSV: a line of names, `time` first, then joints; a line of numbers per keyframe.",
     .field = field<&TrajectorySpec::file>()},
    {.name = "interpolation",
     .kind = kChoice,
     .about =
         "minimum_jerk rests in every keyframe, cubic runs through them, linear keeps its speed "
         "between two.",
     .choices = interpolation_names,
     .field = field<&TrajectorySpec::interpolation>()},
};
constexpr std::string_view kTrajectoryNames[] = {"keyframes", "file"};
constexpr SceneRivals kTrajectoryRivals[] = {{kTrajectoryNames, true}};
constexpr SceneGroup kTrajectory{"a trajectory",
                                 "Joints over time. They begin where the robot starts, unless a "
                                 "keyframe is at 0.",
                                 kTrajectoryKeys, kTrajectoryRivals, blank<TrajectorySpec>};

constexpr SceneKey kControllerKeys[] = {
    {.name = "kind",
     .kind = kChoice,
     .about = "pd: springs and dampers of `hold` and `drives` follow the trajectory. "
              "computed_torque: inverse dynamics along it, instead of springs. "
              "gravity_compensation: torques that hold the robot's weight, besides. admittance: "
              "the targets of the springs give way to `forces` as mass a + damping v = Jᵀ f, of "
              "devices and hands too. look_at: turns a link until its x axis points at where the "
              "robot is touched, else at the probe of a device, else at `at`.",
     .required = true,
     .choices = controller_names,
     .field = field<&ControllerSpec::kind>()},
    {.name = "joints",
     .kind = kName,
     .about = "Which ones, by name (`*` as above). computed_torque and gravity_compensation are "
              "for robots on a fixed base (why: see Robots above).",
     .field = field<&ControllerSpec::joints>()},
    {.name = "trajectory",
     .kind = kGroup,
     .about = "Of pd and computed_torque; when left out, they stay where they start.",
     .group = &kTrajectory,
     .field = part<&ControllerSpec::trajectory>()},
    {.name = "frequency",
     .about = "computed_torque: how fast errors vanish.",
     .unit = "Hz",
     .low = 0,
     .high = 1e3,
     .field = field<&ControllerSpec::frequency>()},
    {.name = "damping_ratio",
     .about = "computed_torque.",
     .low = 0,
     .high = 100,
     .field = field<&ControllerSpec::damping_ratio>()},
    {.name = "mass",
     .about = "admittance, of every joint.",
     .unit = "kg m² or kg",
     .low = 0,
     .above = true,
     .field = field<&ControllerSpec::mass>()},
    {.name = "damping",
     .about = "admittance, of every joint.",
     .unit = "N m s/rad or N s/m",
     .low = 0,
     .field = field<&ControllerSpec::damping>()},
    {.name = "carries",
     .kind = kName,
     .about = "admittance: an object that is held in the hands; what pulls at it pulls at them.",
     .field = field<&ControllerSpec::carries>()},
    {.name = "hands",
     .kind = kTexts,
     .about = "admittance: the robot's links that hold what it carries.",
     .field = field<&ControllerSpec::hands>()},
    {.name = "contacts",
     .kind = kFlag,
     .about = "admittance: true: joints also give way to what touches the links that they move, as "
              "a skin would feel it, one step late; the weight of what lies on them included.",
     .field = field<&ControllerSpec::contacts>()},
    {.name = "link",
     .kind = kName,
     .about = "look_at: the robot's link that looks, with its x axis.",
     .field = field<&ControllerSpec::link>()},
    {.name = "at",
     .kind = kName,
     .about = "look_at: an object or ROBOT/LINK to look at when there is nothing else.",
     .field = field<&ControllerSpec::at>()},
    {.name = "speed",
     .about = "look_at: of the joints, at most.",
     .unit = "rad/s",
     .low = 0,
     .above = true,
     .field = field<&ControllerSpec::speed>()},
};

constexpr SceneKey kForceKeys[] = {
    {.name = "body",
     .kind = kName,
     .about = "An object or ROBOT/LINK.",
     .required = true,
     .field = field<&ForceSpec::body>()},
    {.name = "point",
     .kind = kVector,
     .about = "Where on it, in its frame.",
     .unit = "m",
     .field = field<&ForceSpec::point>()},
    {.name = "force",
     .kind = kVector,
     .about = "World axes.",
     .unit = "N",
     .field = field<&ForceSpec::force>()},
    {.name = "torque",
     .kind = kVector,
     .about = "World axes.",
     .unit = "N m",
     .field = field<&ForceSpec::torque>()},
    {.name = "from",
     .about = "When it begins.",
     .unit = "s",
     .low = 0,
     .field = field<&ForceSpec::from>()},
    {.name = "until",
     .about = "When it ends.",
     .unit = "s",
     .low = 0,
     .field = field<&ForceSpec::until>()},
};

// ---- sensors ----------------------------------------------------------------------------------

Names sensor_names() {
  static constexpr std::string_view kNames[] = {"force_torque", "contact_force", "imu",
                                                "encoders",     "joint_torques", "balance"};
  return kNames;
}

constexpr SceneKey kSensorKeys[] = {
    {.name = "kind",
     .kind = kChoice,
     .about = "force_torque: the wrench in a joint, as `reading = gain⁻¹ wrench - offset` and as "
              "`external = -weight + gain (reading + offset)`. contact_force: force and impulse "
              "of all that touches a link. imu: specific force, angular velocity, orientation. "
              "encoders: `position` and `rate` of joints that turn, `slide_position` and "
              "`slide_rate` of those that slide. joint_torques: `drive` and `joint` (in all), "
              "`slide_drive` and `slide_joint` likewise. balance: centre of mass, DCM, ZMP, CoP, "
              "margin in the support polygon, flags; its ground is what pushes the robot up "
              "within 60 degrees.",
     .required = true,
     .choices = sensor_names,
     .field = field<&SensorSpec::kind>()},
    {.name = "at",
     .kind = kName,
     .about = "force_torque: ROBOT/JOINT, fixed ones too, whose link carries the sensor. "
              "contact_force, imu: an object or ROBOT/LINK. The others: the robot.",
     .required = true,
     .field = field<&SensorSpec::at>()},
    {.name = "joints",
     .kind = kName,
     .about = "encoders and joint_torques: which ones (`*` as above).",
     .field = field<&SensorSpec::joints>()},
    {.name = "position",
     .kind = kVector,
     .about = "force_torque, imu: of the sensor's frame in that of its link.",
     .unit = "m",
     .field = field<&SensorSpec::position>()},
    {.name = "rpy",
     .kind = kVector,
     .about = "Likewise.",
     .unit = "rad",
     .field = field<&SensorSpec::rpy>()},
    {.name = "gain",
     .kind = kNumbers,
     .about = "force_torque: the matrix G row by row (36 numbers, force first), or its diagonal "
              "(6). When left out: a perfect sensor.",
     .field = field<&SensorSpec::gain>()},
    {.name = "offset",
     .kind = kNumbers,
     .about = "force_torque: the six numbers f_d.",
     .unit = "N and N m",
     .field = field<&SensorSpec::offset>()},
    {.name = "noise",
     .about = "Standard deviation of readings: force_torque in N and N m, encoders in rad or m, "
              "imu in m/s².",
     .low = 0,
     .field = field<&SensorSpec::noise>()},
    {.name = "gyro_noise",
     .about = "imu.",
     .unit = "rad/s",
     .low = 0,
     .field = field<&SensorSpec::gyro_noise>()},
    {.name = "acceleration_bias",
     .kind = kVector,
     .about = "imu.",
     .unit = "m/s²",
     .field = field<&SensorSpec::acceleration_bias>()},
    {.name = "gyro_bias",
     .kind = kVector,
     .about = "imu.",
     .unit = "rad/s",
     .field = field<&SensorSpec::gyro_bias>()},
    {.name = "resolution",
     .about = "encoders: angles are whole multiples of it.",
     .unit = "rad or m",
     .low = 0,
     .field = field<&SensorSpec::resolution>()},
};

constexpr SceneKey kReadingKeys[] = {
    {.name = "values",
     .kind = kNumbers,
     .about = "Of all columns of the channel in the last step.",
     .required = true,
     .field = field<&ReadingSpec::values>()},
    {.name = "tolerance",
     .about = "",
     .required = true,
     .low = 0,
     .above = true,
     .field = field<&ReadingSpec::tolerance>()},
};

constexpr SceneKey kPluginKeys[] = {
    {.name = "library",
     .kind = kPath,
     .about = "The shared library.",
     .required = true,
     .field = field<&PluginSpec::library>()},
    {.name = "numbers",
     .kind = kNumberMap,
     .about = "That the plugin gets, by name.",
     .field = field<&PluginSpec::numbers>()},
};

}  // namespace

constexpr SceneGroup kHoldGroup{
    "hold",
    "Springs and dampers that hold all joints of one coordinate where they start; "
    "`hold: {}` takes the defaults. Taken at the end of the step, so stiff ones are stable.",
    kHoldKeys, kHoldRivals, blank<HoldSpec>};
constexpr SceneGroup kDriveGroup{
    "a drive", "What acts on a joint.", kDriveKeys, {}, blank<DriveSpec>};
constexpr SceneGroup kActuatorGroup{
    "an actuator",
    "How a joint is driven. With the gear's ratio R the torque at the joint is R (K (target - q) - "
    "D v + torque) - viscous v - dry sign(v), all at the end of the step.",
    kActuatorKeys,
    {},
    blank<ActuatorSpec>};
constexpr SceneGroup kFlexibleGroup{
    "a flexible joint",
    "A spring and a damper between a joint and its link, as if the robot's file had them. Their "
    "angles are joints of their own, named JOINT_flex, or JOINT_flex0, JOINT_flex1, ... in "
    "several directions. Fixed joints can be flexible too, in given directions.",
    kFlexibleKeys,
    {},
    blank<FlexibleSpec>};
constexpr SceneGroup kControllerGroup{"a controller",
                                      "What tells the joints where to go.",
                                      kControllerKeys,
                                      {},
                                      blank<ControllerSpec>};
constexpr SceneGroup kForceGroup{
    "a force", "Pushes a body for a while.", kForceKeys, {}, blank<ForceSpec>};
constexpr SceneGroup kSensorGroup{
    "a sensor",
    "Channels named SENSOR/QUANTITY. Noise follows from `seed` and the time.",
    kSensorKeys,
    {},
    blank<SensorSpec>};
constexpr SceneGroup kPluginGroup{"a plugin",
                                  "Controllers and sensors of your own (docs/plugins.md).",
                                  kPluginKeys,
                                  {},
                                  blank<PluginSpec>};
constexpr SceneGroup kReadingGroup{
    "a reading", "What a sensor must show at the end.", kReadingKeys, {}, blank<ReadingSpec>};

}  // namespace stance::scene
