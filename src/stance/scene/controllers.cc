#include "stance/sim/controllers.h"

#include <algorithm>

#include <fmt/format.h>

#include "stance/kernel/names.h"
#include "stance/scene/find.h"
#include "stance/scene/modules.h"

namespace stance::scene {
namespace {

constexpr double kPi = 3.14159265358979323846;

const char* kind_name(ControllerKind kind) {
  switch (kind) {
    case ControllerKind::kPd: return "pd";
    case ControllerKind::kComputedTorque: return "computed_torque";
    case ControllerKind::kGravityCompensation: return "gravity_compensation";
    case ControllerKind::kAdmittance: return "admittance";
    case ControllerKind::kLookAt: return "look_at";
  }
  return "";
}

// ---- trajectories -----------------------------------------------------------------------------

// One row of values per time, from the start on.
class TrajectoryMaker {
 public:
  TrajectoryMaker(const BuiltRobot& robot, std::vector<std::string> joints, const Sources& sources)
      : robot_(robot), sources_(sources), joints_(std::move(joints)), row_(joints_.size(), 0.0) {
    for (const auto& [name, value] : robot.placement.start)
      if (const auto it = std::find(joints_.begin(), joints_.end(), name); it != joints_.end())
        row_[it - joints_.begin()] = value;
  }

  void add_keyframes(const std::vector<KeyframeSpec>& keyframes, const Path& path) {
    for (const KeyframeSpec& keyframe : keyframes) {
      const Path here = path / "keyframes" / keyframe.name;
      if (times_.empty() && keyframe.time > 0.0) add(0.0, here);
      for (const auto& [pattern, value] : keyframe.joints)
        set(pattern, value, here / "joints" / pattern);
      add(keyframe.time, here / "time");
    }
    if (times_.empty()) throw make_error(sources_, path, "a trajectory without keyframes");
  }

  void add_table(const control::JointTable& table) {
    const std::size_t n = table.joints.size();
    for (std::size_t row = 0; row < table.times.size(); ++row) {
      for (std::size_t k = 0; k < n; ++k) set(table.joints[k], table.values[row * n + k], {});
      add(table.times[row], {});
    }
  }

  control::Trajectory make(control::Interpolation interpolation) const {
    return {times_, values_, interpolation};
  }

 private:
  void set(const std::string& pattern, double value, const Path& path) {
    const model::Model& model = robot_.robot.model;
    bool is_driven = false;
    for (const std::string& name : find_joints(robot_.robot, pattern, sources_, path)) {
      const auto it = std::find(joints_.begin(), joints_.end(), name);
      if (it == joints_.end()) continue;
      is_driven = true;
      const int k = model.v_start[model.find_joint(name)];
      if (value < model.lower[k] || value > model.upper[k])
        throw make_error(sources_, path,
                         fmt::format("the joint '{}' would go to {:g}, beyond its limits {:g} "
                                     "and {:g}",
                                     name, value, model.lower[k], model.upper[k]));
      row_[it - joints_.begin()] = value;
    }
    if (!is_driven)
      throw make_error(sources_, path,
                       fmt::format("the controller does not drive the joint '{}'", pattern));
  }

  void add(double time, const Path& path) {
    if (!times_.empty() && !(time > times_.back()))
      throw make_error(
          sources_, path,
          fmt::format("the keyframe at {:g} s comes after one at {:g} s", time, times_.back()));
    times_.push_back(time);
    values_.insert(values_.end(), row_.begin(), row_.end());
  }

  const BuiltRobot& robot_;
  const Sources& sources_;
  std::vector<std::string> joints_;
  std::vector<double> row_, times_, values_;
};

std::optional<control::Trajectory> make_trajectory(const std::optional<TrajectorySpec>& spec,
                                                   const BuiltRobot& robot,
                                                   const std::vector<std::string>& joints,
                                                   const Sources& sources, const Path& path) {
  if (!spec) return std::nullopt;
  if (!spec->table) {
    TrajectoryMaker maker(robot, joints, sources);
    maker.add_keyframes(spec->keyframes, path);
    return maker.make(spec->interpolation);
  }
  const Sources of_file(Place{spec->file});
  TrajectoryMaker maker(robot, joints, of_file);
  maker.add_table(*spec->table);
  return maker.make(spec->interpolation);
}

// ---- what carries and what looks ----------------------------------------------------------------

// What the robot's admittance feels of a thing in its hands.
sim::Carried make_carried(const ControllerSpec& spec, const BuiltRobot& robot,
                          const ModuleSite& site, const Path& path) {
  const model::Model& model = site.scene.world.model;
  sim::Carried carried;
  if (spec.carries.empty() != spec.hands.empty())
    throw make_error(site.sources, path, "what is carried needs both, `carries` and `hands`");
  if (spec.carries.empty()) return carried;
  for (const std::string& hand : spec.hands) {
    const model::FrameIndex frame = model.find_frame(robot.prefix + hand);
    if (!frame.valid())
      throw make_error(site.sources, path / "hands",
                       fmt::format("the robot has no link '{}'", hand));
    carried.hands.push_back(model.frames[frame].body);
  }
  if (site.absent.count(spec.carries)) return {};
  carried.body = find_moving_link(model, spec.carries, site.sources, path / "carries").body;
  return carried;
}

// Who looks, and where to when nobody is there.
std::shared_ptr<sim::Controller> make_look_at(const ControllerSpec& spec, const BuiltRobot& robot,
                                              const std::vector<int>& coordinates,
                                              const ModuleSite& site, const Path& path) {
  if (spec.link.empty())
    throw make_error(site.sources, path, "look_at needs the `link` that looks");
  const model::Model& model = site.scene.world.model;
  const model::FrameIndex eyes = model.find_frame(robot.prefix + spec.link);
  if (!eyes.valid() || model.frames[eyes].body == model::BodyIndex(0))
    throw make_error(site.sources, path / "link",
                     fmt::format("the robot has no link '{}' that can move", spec.link));
  const model::Frame& from = model.frames[eyes];
  sim::LookAt::Point at{};
  if (!spec.at.empty() && !site.absent.count(spec.at)) {
    const model::Frame& to = find_moving_link(model, spec.at, site.sources, path / "at");
    at = {to.body, to.p_BF};
  }
  return std::make_shared<sim::LookAt>(coordinates, sim::LookAt::Point{from.body, from.p_BF},
                                       from.R_BF, at, spec.speed);
}

// Keys that this kind does not answer to.
void check_controller(const ControllerSpec& spec, const BuiltRobot& robot, const Sources& sources,
                      const Path& path) {
  const ControllerKind kind = spec.kind;
  const bool has_reference = kind == ControllerKind::kPd || kind == ControllerKind::kComputedTorque;
  const bool is_admittance = kind == ControllerKind::kAdmittance;
  const auto fail = [&](const char* key, const std::string& what) {
    throw make_error(sources, path / key, what);
  };
  if (spec.trajectory && !has_reference)
    fail("trajectory", fmt::format("{} follows no trajectory", kind_name(kind)));
  if (robot.robot.is_free &&
      (kind == ControllerKind::kComputedTorque || kind == ControllerKind::kGravityCompensation))
    fail("kind", fmt::format("{} is for robots on a fixed base; a free one is also carried by "
                             "what it stands on",
                             kind_name(kind)));
  if (!spec.carries.empty() && !is_admittance)
    fail("carries", fmt::format("{} feels nothing of what is carried", kind_name(kind)));
  if (spec.contacts && !is_admittance)
    fail("contacts", fmt::format("{} feels nothing of contacts", kind_name(kind)));
  if (spec.contacts && !spec.carries.empty())
    fail("contacts", "what is carried would be felt twice; leave out `carries`");
}

}  // namespace

std::shared_ptr<sim::Controller> make_controller(const ControllerSpec& spec,
                                                 const BuiltRobot& robot, const ModuleSite& site) {
  const Path path{"robots", robot.placement.name, "controllers", spec.name};
  const std::vector<std::string> joints =
      find_joints(robot.robot, spec.joints, site.sources, path / "joints");
  const std::vector<int> coordinates = find_coordinates(site.scene.world.model, robot, joints);
  std::optional<control::Trajectory> trajectory =
      make_trajectory(spec.trajectory, robot, joints, site.sources, path / "trajectory");
  check_controller(spec, robot, site.sources, path);
  const sim::Carried carried = make_carried(spec, robot, site, path);
  const sim::World& world = site.scene.world;
  const std::size_t n = coordinates.size();
  const auto make_reference = [&] {
    return sim::Reference(world, site.scene.start, coordinates, std::move(trajectory));
  };
  switch (spec.kind) {
    case ControllerKind::kPd: return std::make_shared<sim::FollowReference>(make_reference());
    case ControllerKind::kComputedTorque: {
      const double w = 2.0 * kPi * spec.frequency;
      return std::make_shared<sim::ComputedTorque>(world, make_reference(), w * w,
                                                   2.0 * spec.damping_ratio * w);
    }
    case ControllerKind::kGravityCompensation:
      return std::make_shared<sim::GravityCompensation>(world, coordinates);
    case ControllerKind::kAdmittance:
      return std::make_shared<sim::JointAdmittance>(
          world, coordinates, std::vector<double>(n, spec.mass),
          std::vector<double>(n, spec.damping), carried, spec.contacts);
    case ControllerKind::kLookAt: return make_look_at(spec, robot, coordinates, site, path);
  }
  throw make_error(site.sources, path / "kind", "there is no such controller");
}

std::shared_ptr<sim::Controller> make_force(const ForceSpec& spec, const ModuleSite& site) {
  const Path path{"forces", spec.name};
  const model::Model& model = site.scene.world.model;
  const model::Frame& link = find_moving_link(model, spec.body, site.sources, path / "body");
  if (!(spec.until > spec.from))
    throw make_error(site.sources, path / "until",
                     fmt::format("the force '{}' ends at {:g} s, before it begins at {:g} s",
                                 spec.name, spec.until, spec.from));
  return std::make_shared<sim::Push>(
      sim::PointWrench{link.body, link.p_BF + link.R_BF * spec.point, spec.force, spec.torque,
                       model.find_frame(link.name)},
      spec.from, spec.until);
}

}  // namespace stance::scene
