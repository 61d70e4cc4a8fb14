#pragma once

// From a SceneSpec to worlds. A World never changes (docs/adr/0008): objects that appear, disappear
// or are added make another one. The Compiler keeps what is costly to make, robots and hulls, so
// that the world of any moment is a matter of milliseconds.

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "stance/scene/built_robot.h"
#include "stance/scene/edit.h"
#include "stance/scene/settings.h"
#include "stance/scene/sources.h"
#include "stance/scene/spec.h"
#include "stance/sim/channel.h"
#include "stance/sim/module.h"
#include "stance/sim/scene_builder.h"
#include "stance/sim/sensors.h"

namespace stance::scene {

class Compiler;

// What acts and what measures in one run, with working memory of its own.
struct Modules {
  sim::Actuation actuation;
  std::unique_ptr<sim::SensorSuite> sensors;
};

// A robot of a world.
struct PartRobot {
  std::string name;                      // its links and joints are NAME/LINK; empty: LINK
  std::optional<model::BodyIndex> base;  // where it floats
};

// One world of a scene, from a moment on.
struct Part {
  sim::Scene scene;
  sim::Drive drive;  // of the joints, all the time
  std::vector<PartRobot> robots = {};
  std::int64_t begins = 0;                        // steps before it
  std::vector<std::string> come = {}, gone = {};  // at its beginning
  std::set<std::string> absent = {};              // objects that are not there
  std::shared_ptr<const Compiler> compiler = {};

  Modules make_modules() const;
};

// How a link is seen, where that is not how it is touched; `shape.body` counts in the robot's own
// model, so the pose is in the link.
struct Look {
  std::string link;  // as in the scene: ROBOT/LINK
  Geometry shape;
  sim::Pose pose;
};

class Compiler {
 public:
  // Throws stance::Error at what is wrong with the spec.
  Compiler(SceneSpec spec, Sources sources);

  const SceneSpec& spec() const { return spec_; }
  const Sources& sources() const { return sources_; }
  const std::vector<BuiltRobot>& robots() const { return robots_; }
  const std::vector<Warning>& warnings() const { return warnings_; }
  std::vector<Look> find_looks() const;

  // Changes the spec; holds from step `steps` + 1 on. Throws stance::Error, and is of no use
  // afterwards: try it on a copy.
  void apply(const Edit& edit, std::int64_t steps);

  // The first moment after `steps` at which objects come or go by themselves.
  std::optional<std::int64_t> find_next(std::int64_t steps) const;
  bool is_steady() const { return !find_next(0) && find_absent(0).empty(); }

  // Names of the objects that are not there in the step after `steps` steps.
  std::set<std::string> find_absent(std::int64_t steps) const;

 private:
  friend Part compile_part(std::shared_ptr<const Compiler> compiler, std::int64_t steps);
  friend Part compile_whole(std::shared_ptr<const Compiler> compiler);

  struct Constraint {
    sim::SceneBuilder::LoopSpec loop;
    bool takes_pose = false, takes_length = false;  // from the start
  };
  // Steps before it comes, and before it goes.
  struct Presence {
    std::int64_t from = 0, until = std::numeric_limits<std::int64_t>::max();
  };

  void take_name(std::string_view group, const std::string& name);
  void add_materials();
  int find_material(const std::string& name, const Path& path) const;
  void add_environment(const EnvironmentSpec& spec);
  sim::Pose find_frame(const std::string& name, const Path& path) const;
  void add_object(const ObjectSpec& spec);
  void add_robot(const RobotSpec& spec);
  std::string find_end(const EndSpec& end, const Path& path) const;
  void add_constraint(const ConstraintSpec& spec);
  void add_ignored();
  void close_loops(const sim::Scene& open);
  Presence find_presence(const ObjectSpec& spec) const;
  bool is_gone(const std::string& name, std::int64_t steps) const;  // an object that was there
  void remove_object(const std::string& name, std::int64_t steps);

  sim::Scene build(const std::set<std::string>& absent) const;
  void set_drives(const sim::Scene& scene, sim::Drive& out) const;
  static Part make_part(std::shared_ptr<const Compiler> compiler,
                        const std::set<std::string>& absent);

  SceneSpec spec_;
  Sources sources_;
  sim::SceneBuilder builder_;
  std::set<std::string> names_;
  std::map<std::string, int> materials_;
  std::map<std::string, sim::Pose> frames_;   // of the environment
  std::vector<std::string> bodies_, shaped_;  // names that constraints, that pairs may use
  std::vector<BuiltRobot> robots_;            // by SceneSpec::robots
  std::vector<Constraint> constraints_;       // by SceneSpec::constraints
  std::vector<Warning> warnings_;
};

// The world, with all that acts and measures in it, after so many steps; and the one with all
// objects of the scene, whenever they are there.
Part compile_part(std::shared_ptr<const Compiler> compiler, std::int64_t steps);
Part compile_whole(std::shared_ptr<const Compiler> compiler);

// A scene that can be run.
struct Scene {
  std::shared_ptr<const Compiler> compiler;
  Part first;
  std::vector<Part> later = {};             // whenever objects come or go by themselves, in order
  std::vector<sim::Channel> channels = {};  // of all parts
  std::vector<Warning> warnings = {};
  std::vector<Look> looks = {};
  Settings settings = {};  // that it was read with

  const SceneSpec& spec() const { return compiler->spec(); }
  const Sources& sources() const { return compiler->sources(); }
  // The part that takes this step; the first has number 1.
  const Part& find_part(std::int64_t number) const;
};

// The scene that a spec says. Throws stance::Error at what is wrong. What overlaps by more than a
// millimetre at the start, or a constraint that is as far off, is refused by name.
Scene compile(SceneSpec spec, Sources sources = {});

// Steps between two rows of a recording. Throws stance::Error where `record` contradicts itself.
int count_record_steps(const SceneSpec& spec, const Sources& sources = {});

}  // namespace stance::scene
