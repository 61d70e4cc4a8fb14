// From a compiler to the world of one moment.

#include <algorithm>

#include "stance/scene/compile.h"
#include "stance/scene/find.h"
#include "stance/scene/modules.h"
#include "stance/sim/joint_inertia.h"

namespace stance::scene {
namespace {

constexpr double kPi = 3.14159265358979323846;

// The gains by which a robot is held where it starts.
void add_hold(const HoldSpec& hold, const BuiltRobot& robot, const model::Model& model,
              const std::vector<double>& ratio, const std::vector<double>& inertias,
              sim::Drive& out) {
  const model::Model& own = robot.robot.model;
  const double w = 2.0 * kPi * hold.frequency;
  for (int j = 1; j < own.nbody; ++j) {
    if (own.joint_nq(j) != 1) continue;
    const int k = model.v_start[model.find_joint(robot.prefix + own.joint_name[j])];
    const bool by_inertia = !inertias.empty();
    out.stiffness[k] = by_inertia ? inertias[k] * w * w : ratio[k] * hold.stiffness.value_or(0.0);
    out.damping[k] = by_inertia ? 2.0 * hold.damping_ratio * inertias[k] * w
                                : ratio[k] * hold.damping.value_or(0.0);
  }
}

}  // namespace

sim::Scene Compiler::build(const std::set<std::string>& absent) const {
  return at_path(sources_, {}, [&] {
    sim::SceneBuilder builder = builder_;
    for (const std::string& name : absent) builder.remove_body(name);
    sim::Scene scene = builder.build();
    const model::Model& model = scene.world.model;
    for (std::size_t r = 0; r < robots_.size(); ++r) {
      const BuiltRobot& robot = robots_[r];
      const model::BodyIndex base = find_base(model, robot);
      if (spec_.robots[r].stand_on && robot.robot.is_free)
        put_on_floor(scene.world, base, *spec_.robots[r].stand_on, 0.0, scene.start);
      if (robot.robot.is_free) {
        double* v = scene.start.v.data() + model.v_start[base];
        for (int k = 0; k < 3; ++k) v[k] = robot.spin[k], v[3 + k] = robot.velocity[k];
      }
      for (const auto& [joint, rate] : robot.rates)
        scene.start.v[model.v_start[model.find_joint(robot.prefix + joint)]] = rate;
    }
    return scene;
  });
}

void Compiler::set_drives(const sim::Scene& scene, sim::Drive& out) const {
  const model::Model& model = scene.world.model;
  if (robots_.empty()) return;
  for (int i = 1; i < model.nbody; ++i)
    if (model.joint_nq(i) == 1) out.target[model.v_start[i]] = scene.start.q[model.q_start[i]];
  std::vector<double> inertias;
  for (std::size_t r = 0; r < robots_.size(); ++r) {
    const BuiltRobot& robot = robots_[r];
    const RobotSpec& spec = spec_.robots[r];
    const model::Model& own = robot.robot.model;
    std::vector<double> ratio(model.nv, 1.0);
    const auto find = [&](const std::string& joint) {
      return model.v_start[model.find_joint(robot.prefix + joint)];
    };
    for (int j = 1; j < own.nbody && spec.effort_limits; ++j)
      if (own.joint_nq(j) == 1)
        out.limit[find(own.joint_name[j])] = own.effort_limit[own.v_start[j]];
    for (const BuiltRobot::Actuator& actuator : robot.actuators) {
      ratio[find(actuator.joint)] = actuator.ratio;
      if (actuator.limit) out.limit[find(actuator.joint)] = *actuator.limit;
    }
    for (const BuiltRobot::Flexible& flexible : robot.flexible)
      for (const std::string& joint : flexible.joints)
        out.stiffness[find(joint)] = flexible.stiffness,
        out.damping[find(joint)] = flexible.damping;
    if (spec.hold) {
      const bool by_inertia = !spec.hold->stiffness && !spec.hold->damping;
      if (by_inertia && inertias.empty())
        inertias = calc_carried_inertias(scene.world, scene.start);
      add_hold(*spec.hold, robot, model, ratio, by_inertia ? inertias : std::vector<double>(), out);
    }
    for (const DriveSpec& drive : spec.drives)
      for (const std::string& joint : find_joints(robot.robot, drive.name, sources_,
                                                  {"robots", spec.name, "drives", drive.name})) {
        const int k = find(joint);
        out.tau[k] = ratio[k] * drive.torque;
        if (drive.stiffness) out.stiffness[k] = ratio[k] * *drive.stiffness;
        if (drive.damping) out.damping[k] = ratio[k] * *drive.damping;
        if (drive.target) out.target[k] = *drive.target;
      }
  }
}

// What robots look like, by link.
std::vector<Look> Compiler::find_looks() const {
  std::vector<Look> out;
  for (const BuiltRobot& robot : robots_)
    for (const Geometry& g : robot.robot.geometry) {
      if (g.role != ShapeRole::kVisual) continue;
      const model::Model& own = robot.robot.model;
      const model::Frame& link = own.frames[own.find_frame(g.link)];
      const kernel::Mat3d R_LB = transpose(link.R_BF);
      out.push_back({robot.prefix + g.link, g, {R_LB * g.R_BG, R_LB * (g.p_BG - link.p_BF)}});
    }
  return out;
}

// The world without some objects, with all that acts and measures there.
Part Compiler::make_part(std::shared_ptr<const Compiler> compiler,
                         const std::set<std::string>& absent) {
  const Compiler& c = *compiler;
  sim::Scene scene = c.build(absent);
  std::size_t loop = 0;
  for (std::size_t k = 0; k < c.constraints_.size(); ++k) {
    const sim::SceneBuilder::LoopSpec& spec = c.constraints_[k].loop;
    if (!absent.count(spec.link_a) && !absent.count(spec.link_b))
      scene.world.loops[loop++].name = c.spec_.constraints[k].name;
  }
  sim::Drive drive(scene.world);
  c.set_drives(scene, drive);
  Part out{.scene = std::move(scene), .drive = std::move(drive), .absent = absent};
  for (const BuiltRobot& robot : c.robots_)
    out.robots.push_back(
        {robot.placement.name, robot.robot.is_free
                                   ? std::optional(find_base(out.scene.world.model, robot))
                                   : std::nullopt});
  out.compiler = std::move(compiler);
  out.make_modules().actuation.start(out.scene.world, out.scene.start);
  return out;
}

Modules Part::make_modules() const {
  MadeModules made = scene::make_modules(compiler->spec(),
                                         {scene, compiler->robots(), absent, compiler->sources()});
  auto suite = std::make_unique<sim::SensorSuite>(scene.world);
  for (auto& sensor : made.sensors) suite->add(std::move(sensor));
  return {{scene.world, drive, std::move(made.controllers)}, std::move(suite)};
}

Part compile_part(std::shared_ptr<const Compiler> compiler, std::int64_t steps) {
  const Compiler& c = *compiler;
  Part out = Compiler::make_part(std::move(compiler), c.find_absent(steps));
  out.begins = steps;
  for (const ObjectSpec& object : c.spec_.objects) {
    const Compiler::Presence presence = c.find_presence(object);
    if (presence.from == steps) out.come.push_back(object.name);
    if (presence.until == steps) out.gone.push_back(object.name);
  }
  for (std::vector<std::string>* names : {&out.come, &out.gone})
    std::sort(names->begin(), names->end());
  return out;
}

Part compile_whole(std::shared_ptr<const Compiler> compiler) {
  return Compiler::make_part(std::move(compiler), {});
}

}  // namespace stance::scene
