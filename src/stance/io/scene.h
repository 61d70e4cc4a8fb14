#pragma once

// Scenes from YAML files (docs/scenes.md), and robots put on a floor: all that a run needs.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stance/io/robot.h"
#include "stance/io/scene_check.h"
#include "stance/sim/channel.h"
#include "stance/sim/module.h"
#include "stance/sim/scene_builder.h"
#include "stance/sim/sensors.h"

namespace stance::io {

// What the command line may say about a scene.
struct SceneOptions {
  SceneSettings settings;
  std::optional<contact::ContactLaw> law;
  std::optional<double> duration;
  int threads = 1;
  std::vector<std::pair<std::string, double>> joints;  // start of joints, over what the file says
  std::vector<std::string> package_paths;
  SceneTexts texts;  // to be read instead of the files, where given
};

// A robot of the scene.
struct SceneRobot {
  std::string name;                      // its links and joints are NAME/LINK; empty: LINK
  std::optional<model::BodyIndex> base;  // where it floats
};

// One thing that a body or joint must have come to.
struct FinalExpectation {
  enum class Quantity { kPosition, kVelocity, kSpin, kJoint, kRate };

  std::string name;
  Quantity quantity = Quantity::kPosition;
  int component = 0;  // x, y or z; 0 for joints
  double wanted = 0.0, tolerance = 0.0;
};

// What a channel of a sensor must show in the last step.
struct ReadingExpectation {
  std::string channel;
  std::vector<double> wanted;
  double tolerance = 0.0;
};

struct SceneExpectations {
  std::optional<bool> no_fall, converged;
  std::optional<double> max_slip, max_penetration, max_residual, max_energy_error, max_final_speed,
      max_unconverged;
  std::vector<FinalExpectation> final;
  std::vector<ReadingExpectation> readings;
};

// What `stance run` records of a scene when asked to.
struct SceneRecord {
  std::vector<std::string> channels;  // names or patterns; empty: all but impulses
  std::vector<Place> places;          // of them
  int every = 1;                      // steps
  std::string file;                   // empty: only where the command line names one
  double flush = 0.5;                 // s
};

// How hands take hold of things, where they do not say so themselves.
struct SceneInteraction {
  double stiffness = 500.0;  // N/m, of drags
  // of devices (haptics/): what touched bodies feel of their force, the probe's radius (m), metres
  // of the scene per metre of the device, where the device's origin is (m)
  double touch = 1.0, probe_radius = 0.01, device_scale = 1.0;
  kernel::Vec3d device_origin{};
};

// A variable of the scene that is a number.
struct SceneVariable {
  std::string name;
  double value = 0.0;
};

// How a link is seen, where that is not how it is touched; `shape.body` counts in the robot's own
// model, so the pose is in the link.
struct SceneLook {
  std::string link;  // as in the scene: ROBOT/LINK
  Geometry shape;
  sim::Pose pose;
};

class SceneEditor;  // scene_edit.h

struct LoadedScene {
  std::string name, about;
  sim::Scene scene;
  // of the joints, all the time (nv), as in sim::Input; empty where there is no robot, `limit` also
  // where there is none
  std::vector<double> tau = {}, stiffness = {}, damping = {}, target = {}, limit = {};
  // what makes controllers and sensors, with working memory of their own every time
  using ControllerMaker = std::function<void(const sim::Scene&, sim::Actuation::Controllers&)>;
  using SensorMaker = std::function<void(const sim::Scene&, sim::SensorSuite&)>;
  std::vector<ControllerMaker> controllers = {};
  std::vector<SensorMaker> sensors = {};
  std::vector<double> fingerprint = {};  // of the controllers: equal when they act alike
  static constexpr double kStep = 1e-3;  // s, where nothing else is said
  double step = kStep, duration = 10.0;  // s
  std::vector<SceneRobot> robots = {};
  SceneExpectations expect = {};
  std::vector<Warning> warnings = {};
  SceneRecord record = {};
  SceneInteraction interaction = {};
  std::vector<SceneTexts::File> texts = {};  // the scene's own files, as they were read
  std::vector<std::string> files = {};       // others that it was made from, by path
  std::uint64_t seed = 1;
  std::vector<SceneVariable> variables = {};
  std::vector<SceneLook> looks = {};

  // Objects that come and go: a world with its modules from each such moment on, in order; nothing
  // else in them counts. scene_run.h goes from one to the next.
  std::vector<LoadedScene> later = {};
  std::int64_t begins = 0;                        // steps before it
  std::vector<std::string> come = {}, gone = {};  // at its beginning
  std::vector<sim::Channel> channels = {};        // where there are later ones: of all of them

  std::shared_ptr<const SceneEditor> editor = {};  // what it was made from; none in later parts

  // The part, this or a later one, that takes this step; the first has number 1.
  const LoadedScene& find_part(std::int64_t number) const;

  // What acts: before every step, actuation.update(...) gives its input.
  sim::Actuation make_actuation() const;
  std::unique_ptr<sim::SensorSuite> make_sensors() const;
};

// Throws stance::Error at file, line and column: at the first thing that is wrong with the file (it
// tells how many more there are), or with what it describes. What overlaps by more than a
// millimetre at the start, or a constraint that is as far off, is refused by name.
LoadedScene load_scene(const std::string& path, const SceneOptions& options = {});
LoadedScene parse_scene(std::string_view text, const std::string& file,
                        const SceneOptions& options = {});

// A robot alone: its lowest points on a floor unless its base is fixed, held where it starts by
// springs and dampers that are scaled by what each joint carries.
LoadedScene load_robot_scene(const std::string& urdf, const SceneOptions& options = {});

// Everything that is wrong with a scene file, for `stance check`; empty when it can be run.
struct SceneReport {
  std::vector<Finding> errors, warnings;
};
SceneReport check_scene(const std::string& path, const SceneOptions& options = {});

// Joints of a robot by name; `*` stands for any letters.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace stance::io
