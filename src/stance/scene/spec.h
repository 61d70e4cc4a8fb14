#pragma once

// All that a scene can say, as plain structs. A file is one way to fill them in (io/scene.h), code
// is another; schema.h binds the keys of a file to these fields, compile.h makes a world of them.
// Names refer to other entries of the scene: an object "box", a robot's link "robot/link".

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "stance/contact/contact_options.h"
#include "stance/contact/material.h"
#include "stance/control/joint_table.h"
#include "stance/control/trajectory.h"
#include "stance/scene/robot.h"
#include "stance/sim/plugin.h"

namespace stance::scene {

using kernel::Vec3d;
using NamedNumbers = std::vector<std::pair<std::string, double>>;  // name or pattern, value
using NamePairs = std::vector<std::pair<std::string, std::string>>;

// ---- poses --------------------------------------------------------------------------------------

struct TurnSpec {
  Vec3d axis{};        // any length but zero
  double angle = 0.0;  // rad
};

// A position and an orientation, in one of three forms; none of them is no rotation.
struct PoseSpec {
  Vec3d position{};                                 // m
  std::optional<Vec3d> rpy{};                       // rad: R = Rz(yaw) Ry(pitch) Rx(roll)
  std::optional<std::array<double, 4>> quaternion;  // w, x, y, z; any length but zero
  std::optional<TurnSpec> turn{};
};

// ---- shapes -------------------------------------------------------------------------------------

struct SphereSpec {
  double radius = 0.0;  // m
};
struct CapsuleSpec {
  double radius = 0.0, length = 0.0;  // m; length between the centres of its ends, along z
};
struct CylinderSpec {
  double radius = 0.0, length = 0.0;  // m, along z
};
struct BoxSpec {
  Vec3d size{};  // m, full edges
};
// The convex hull of points, or of the vertices of a mesh.
struct HullSpec {
  std::vector<Vec3d> points{};  // m, before scaling
  std::string mesh{};           // the file that `data` was read from
  Vec3d scale{1.0, 1.0, 1.0};
  std::shared_ptr<const Mesh> data{};  // vertices in m, scaled
};
struct PlaneSpec {};
struct MeshSpec {
  std::string file{};
  Vec3d scale{1.0, 1.0, 1.0};
  std::shared_ptr<const Mesh> data{};  // vertices in m, scaled
};
struct HeightFieldSpec {
  int columns = 0, rows = 0;        // samples along x and y
  std::array<double, 2> spacing{};  // m
  std::vector<double> heights{};    // m, row by row
  std::string height{};             // the expression of x and y that they were worked out from
};
using ShapeSpec = std::variant<std::monostate, SphereSpec, CapsuleSpec, CylinderSpec, BoxSpec,
                               HullSpec, PlaneSpec, MeshSpec, HeightFieldSpec>;

// ---- what is there ------------------------------------------------------------------------------

struct MaterialSpec {
  std::string name{};  // "default" is always there
  contact::Material surface{};
};

// What two materials have where they meet; what is left out follows from both.
struct MaterialPairSpec {
  std::string name{}, a{}, b{};
  std::optional<double> friction{}, restitution{}, torsion_friction{}, rolling_friction{};
};

struct EnvironmentSpec {
  std::string name{};
  ShapeSpec shape{};
  PoseSpec pose{};
  std::string material = "default";
};

// A loose rigid body.
struct ObjectSpec {
  std::string name{};
  ShapeSpec shape{};                        // a solid: sphere, capsule, cylinder, box or hull
  std::optional<double> mass{}, density{};  // kg, kg/m^3; one of both
  PoseSpec pose{};
  std::string frame{};       // of the environment, that pose, velocity and spin are given in
  Vec3d velocity{}, spin{};  // of its centre, m/s, rad/s
  std::string material = "default";
  double appears = 0.0;                // s
  std::optional<double> disappears{};  // s
};

enum class ConstraintKind : std::uint8_t { kWeld, kBall, kHinge, kDistance };

struct EndSpec {
  std::string body{};              // an object, ROBOT/LINK, or "world"
  std::optional<PoseSpec> pose{};  // of the frame, in that body
};

struct ConstraintSpec {
  std::string name{};
  ConstraintKind kind = ConstraintKind::kWeld;
  EndSpec a{}, b{};                // b without a pose lies where a is at the start
  std::optional<double> length{};  // m, of a distance; else that of the start
};

// ---- robots -------------------------------------------------------------------------------------

// Springs and dampers that hold all joints of one coordinate where they start. By default they
// follow from what each joint carries; with a stiffness or a damping they are the same for all.
struct HoldSpec {
  double frequency = 5.0, damping_ratio = 1.0;   // Hz, -
  std::optional<double> stiffness{}, damping{};  // N m/rad or N/m, N m s/rad or N s/m
};

// The names of the next three are joints or patterns with *.
struct DriveSpec {
  std::string name{};
  std::optional<double> stiffness{}, damping{}, target{};
  double torque = 0.0;  // N m or N
};
struct ActuatorSpec {
  std::string name{};
  double ratio = 1.0;  // of the gear, motor over joint
  std::optional<double> rotor_inertia{}, viscous_friction{}, dry_friction{}, torque_limit{};
};
struct FlexibleSpec {
  std::string name{};
  double stiffness = 0.0, damping = 0.0;
  std::vector<Vec3d> directions{};  // axes of the springs; none: the joint's own axis
};

struct KeyframeSpec {
  std::string name{};
  double time = 0.0;      // s
  NamedNumbers joints{};  // rad or m
};
struct TrajectorySpec {
  std::vector<KeyframeSpec> keyframes{};
  std::string file{};
  control::Interpolation interpolation = control::Interpolation::kMinimumJerk;
  std::shared_ptr<const control::JointTable> table{};  // what the file says
};

enum class ControllerKind : std::uint8_t {
  kPd,
  kComputedTorque,
  kGravityCompensation,
  kAdmittance,
  kLookAt,
};

// A controller of a robot, one of those that Stance has.
struct ControllerSpec {
  std::string name{};
  ControllerKind kind = ControllerKind::kPd;
  std::string joints = "*";
  std::optional<TrajectorySpec> trajectory{};   // of kPd and kComputedTorque
  double frequency = 5.0, damping_ratio = 1.0;  // kComputedTorque: Hz, -
  double mass = 1.0, damping = 1.0;             // kAdmittance, of every joint
  std::string carries{};                        // kAdmittance: an object in the hands
  std::vector<std::string> hands{};             // links that hold it
  bool contacts = false;                        // kAdmittance: gives way to contacts, too
  std::string link{}, at{};                     // kLookAt: who looks, and where to
  double speed = 2.0;                           // kLookAt, rad/s
};

// A robot: its file, where it starts, what drives it.
struct RobotSpec {
  std::string name{};
  std::string urdf{}, srdf{};  // files that `description` and `unmeeting` were read from
  std::vector<std::string> package_paths{};
  BaseChoice base = BaseChoice::kAuto;
  PoseSpec pose{};
  std::string frame{};               // of the environment, as of objects
  std::optional<double> stand_on{};  // m: height of its lowest point, in place of z
  Vec3d velocity{}, spin{};          // of the base, m/s, rad/s
  NamedNumbers joints{}, rates{};    // at the start
  std::optional<HoldSpec> hold{};
  std::vector<DriveSpec> drives{};
  bool effort_limits = false;
  std::vector<ActuatorSpec> actuators{};
  std::vector<FlexibleSpec> flexible{};
  std::vector<ControllerSpec> controllers{};
  std::string material = "default";

  std::shared_ptr<const Robot> description{};
  NamePairs unmeeting{};  // links that never collide
};

// ---- what acts and what measures ----------------------------------------------------------------

// A force on a body for some time.
struct ForceSpec {
  std::string name{}, body{};
  Vec3d point{}, force{}, torque{};  // m in the body's frame; N, N m in world axes
  double from = 0.0, until = 1e9;    // s
};

enum class SensorKind : std::uint8_t {
  kForceTorque,
  kContactForce,
  kImu,
  kEncoders,
  kJointTorques,
  kBalance,
};

// A sensor and where it is.
struct SensorSpec {
  std::string name{};
  SensorKind kind = SensorKind::kForceTorque;
  std::string at{};          // ROBOT/JOINT, an object or ROBOT/LINK, or a robot: as the kind wants
  std::string joints = "*";  // kEncoders, kJointTorques
  Vec3d position{}, rpy{};   // of its frame in that of the link, m, rad
  std::vector<double> gain{}, offset{};  // kForceTorque: 36 or 6 numbers; 6
  double noise = 0.0, gyro_noise = 0.0;
  Vec3d acceleration_bias{}, gyro_bias{};
  double resolution = 0.0;
};

// Controllers and sensors of your own, from a library or from the program.
struct PluginSpec {
  std::string name{}, library{};
  NamedNumbers numbers{};
  sim::PluginMaker maker{};  // of the library, or of the program itself
};

// ---- how a run is looked at ---------------------------------------------------------------------

struct InteractionSpec {
  double stiffness = 500.0;  // N/m, of drags
  // of devices: what touched bodies feel of their force, the probe's radius (m), metres of the
  // scene per metre of the device, where the device's origin is (m)
  double touch = 1.0, probe_radius = 0.01, device_scale = 1.0;
  Vec3d device_origin{};
};

struct RecordSpec {
  std::vector<std::string> channels{};  // names or patterns; empty: all but impulses
  std::optional<double> every{};        // s
  std::optional<int> every_steps{};
  std::string file{};  // empty: only where the command line names one
  double flush = 0.5;  // s of wall-clock time
};

struct FinalSpec {
  std::string name{};  // an object, ROBOT/LINK or ROBOT/JOINT
  std::optional<Vec3d> position{};
  std::optional<double> x{}, y{}, z{};
  std::optional<Vec3d> velocity{}, spin{};
  std::optional<double> value{}, rate{};
  double tolerance = 0.0;
  std::optional<double> rate_tolerance{};
};

struct ReadingSpec {
  std::string name{};  // of the channel
  std::vector<double> values{};
  double tolerance = 0.0;
};

struct ExpectSpec {
  std::optional<bool> no_fall{};
  std::optional<double> max_slip{}, max_penetration{}, max_residual{}, max_energy_error{},
      max_final_speed{};
  std::optional<bool> converged{};
  std::optional<int> max_unconverged{}, max_dropped{}, max_missed{};
  std::vector<FinalSpec> final{};
  std::vector<ReadingSpec> readings{};
  std::optional<double> after{};  // s: when `final` and `readings` hold, if not at the end
};

// ---- the scene ----------------------------------------------------------------------------------

struct VariableSpec {
  std::string name{};
  std::variant<double, std::string> value{};
};

// A file that the scene was made from, besides its own text.
struct FileSpec {
  std::string path{}, sha256{};
};

// All that a scene says; what is left out has its default.
struct SceneSpec {
  int version = 1;
  std::string name{}, about{};
  std::vector<std::string> include{};
  std::vector<VariableSpec> variables{};  // as set; nothing but messages and viewers need them
  std::uint64_t seed = 1;
  Vec3d gravity{0.0, 0.0, -9.81};       // m/s^2
  double step = 1e-3, duration = 10.0;  // s
  sim::Integrator integrator = sim::Integrator::kEuler;
  contact::ContactOptions contact{};
  std::vector<MaterialSpec> materials{};
  std::vector<MaterialPairSpec> material_pairs{};
  std::vector<RobotSpec> robots{};
  std::vector<ObjectSpec> objects{};
  std::vector<EnvironmentSpec> environment{};
  std::vector<ConstraintSpec> constraints{};
  std::vector<ForceSpec> forces{};
  std::vector<SensorSpec> sensors{};
  std::vector<PluginSpec> plugins{};
  NamePairs ignore_collisions{};
  InteractionSpec interaction{};
  RecordSpec record{};
  ExpectSpec expect{};

  std::vector<FileSpec> files{};
};

}  // namespace stance::scene
