// Uses the installed library as a stranger would, by its public headers alone: loads a scene, edits
// it before and while it runs, pushes, reads channels, records, takes snapshots, and has a
// controller and a sensor of its own that share what they know. Prints what does not hold.
//
//   outside SCENES FOLDER

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "stance/stance.h"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("does not hold: %s\n", what);
  ++failures;
}

// What controller and sensor of one simulation share.
struct Shared {
  int acts = 0;
};

// Lifts a body with a constant force, and counts how often it acts.
class Lift final : public stance::Controller {
 public:
  Lift(std::shared_ptr<Shared> shared, stance::model::BodyIndex body, double force)
      : shared_(std::move(shared)), body_(body), force_(force) {}

  int memory_size() const override { return 1; }
  void act(const stance::StepStart& at, std::span<double> memory, stance::Drive& drive) override {
    memory[0] += at.h;
    ++shared_->acts;
    drive.wrenches.push_back({.body = body_, .force = {0.0, 0.0, force_}});
  }

 private:
  std::shared_ptr<Shared> shared_;
  stance::model::BodyIndex body_;
  double force_;
};

class Count final : public stance::Sensor {
 public:
  explicit Count(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  std::vector<stance::Channel> channels() const override { return {{"lift/acts", "1", {""}}}; }
  void measure(const stance::StepView&, const stance::StepForces&,
               std::span<double> values) override {
    values[0] = shared_->acts;
  }

 private:
  std::shared_ptr<Shared> shared_;
};

const char* const kBall =
    "version: 1\n"
    "gravity: [0, 0, -10]\n"
    "environment: {floor: {shape: {plane: {}}}}\n"
    "objects: {ball: {shape: {sphere: {radius: 0.1}}, mass: 2, position: [0, 0, 5]}}\n";

// Free fall is v = g t and, by semi-implicit steps, z = z0 - g t (t + h) / 2.
void check_reading() {
  stance::Simulation simulation(stance::parse_scene(kBall, "ball.yaml"));
  const stance::ChannelReader place(simulation, "ball/position"),
      speed(simulation, "ball/velocity");
  expect(place.read()[2] == 5.0, "the start can be read before any step");
  simulation.advance_until(0.5);
  expect(simulation.steps() == 500, "advance_until counts steps");
  expect(std::abs(place.read()[2] - (5.0 - 5.0 * 0.5 * 0.501)) < 1e-9, "it falls");
  bool is_refused = false;
  try {
    const stance::ChannelReader none(simulation, "ball/positoin");
  } catch (const stance::Error& error) {
    is_refused = std::string(error.what()).find("ball/position") != std::string::npos;
  }
  expect(is_refused, "a wrong name is refused with the right one");
}

void check_own_controller() {
  stance::SceneFile file = stance::read_scene_text(kBall, "ball.yaml");
  file.spec.plugins.push_back(
      {.name = "lift",
       .maker = [](const stance::PluginRequest& request, stance::PluginModules& modules) {
         const auto shared = std::make_shared<Shared>();
         const auto body = request.scene.world.model.find_body("ball");
         modules.controllers.push_back(std::make_shared<Lift>(shared, body, 2.0 * 10.0));
         modules.sensors.push_back(std::make_unique<Count>(shared));
       }});
  stance::Simulation simulation(stance::compile_scene(std::move(file)));
  const stance::ChannelReader place(simulation, "ball/position"), acts(simulation, "lift/acts");
  simulation.advance_until(0.2);
  expect(std::abs(place.read()[2] - 5.0) < 1e-12, "the controller holds the ball");
  expect(acts.read()[0] == 200.0, "the sensor sees what the controller counted");
}

void check_edits() {
  stance::Simulation simulation(stance::parse_scene(kBall, "ball.yaml"));
  simulation.change({"me", stance::parse_object("box",
                                                "{shape: {box: {size: [0.2, 0.2, 0.2]}}, "
                                                "mass: 1, position: [1, 0, 2]}")});
  simulation.change({"me", stance::SetGravity{{0.0, 0.0, 0.0}}});
  simulation.change({"me", stance::PushBody{.body = "box", .force = {3.0, 0.0, 0.0}}});
  simulation.advance_until(1.0);
  const stance::ChannelReader box(simulation, "box/velocity");
  expect(std::abs(box.read()[0] - 3.0) < 1e-9, "3 N push 1 kg to 3 m/s in 1 s");
  simulation.change({"me", stance::RemoveObject{"box"}});
  simulation.advance();
  expect(std::isnan(box.read()[0]), "what is gone has no velocity");
}

void check_snapshots() {
  const stance::Scene scene = stance::parse_scene(kBall, "ball.yaml");
  stance::Simulation whole(scene), first(scene);
  first.change({"me", stance::parse_object("other",
                                           "{shape: {sphere: {radius: 0.05}}, mass: 1, "
                                           "position: [0.02, 0, 6]}")});
  whole.change({"me", stance::parse_object("other",
                                           "{shape: {sphere: {radius: 0.05}}, mass: 1, "
                                           "position: [0.02, 0, 6]}")});
  first.advance_until(0.9);
  const std::string bytes = stance::write_snapshot(scene, first.moment());
  stance::Simulation second(scene, stance::read_snapshot(scene, bytes));
  second.advance_until(2.0), whole.advance_until(2.0);
  expect(stance::write_snapshot(scene, second.moment()) ==
             stance::write_snapshot(scene, whole.moment()),
         "a run goes on from bytes, bit for bit");
}

void check_recording(const std::string& scenes, const std::string& folder) {
  const std::string file = folder + "/outside.h5";
  std::filesystem::remove(file);
  stance::Simulation simulation(stance::load_scene(
      stance::Settings{.file = scenes + "/bouncing_ball.yaml", .duration = 0.5}));
  stance::RecordingWriter writer(simulation, {.hdf5 = file});
  simulation.advance_until(0.5);
  const stance::Outcome outcome = make_outcome(simulation);
  writer.finish(outcome);
  const stance::Recording recording(file);
  const std::vector<double> heights = recording.read("ball/position");
  const stance::ChannelReader place(simulation, "ball/position");
  expect(recording.is_complete() && heights.size() == 3 * recording.rows(), "all rows are there");
  expect(heights.back() == place.read()[2], "the last row is what can be read now");
  std::vector<std::string> warnings;
  expect(!stance::replay(recording, warnings).difference, "it replays bit for bit");
}

// Looks on, and stops the run.
class Stop final : public stance::Observer {
 public:
  bool after_step(const stance::Simulation& simulation, const stance::StepView&) override {
    return simulation.steps() < 5;
  }
};

void check_observer() {
  stance::Simulation simulation(stance::parse_scene(kBall, "ball.yaml"));
  Stop stop;
  simulation.attach(stop);
  expect(!simulation.advance_until(1.0) && simulation.steps() == 5, "an observer ends the run");
}

// A scene without a text: a robot that follows keyframes, a ball in its way, a sensor. The same as
// a text runs to the same numbers.
stance::SceneSpec make_swing(const std::string& file) {
  namespace scene = stance::scene;
  stance::SceneSpec out;
  out.gravity = {};
  stance::ObjectSpec& ball = out.objects.emplace_back();
  ball.name = "ball", ball.shape = scene::SphereSpec{0.1}, ball.mass = 0.5;
  ball.pose.position = {0.3, 0.0, -2.0};
  stance::RobotSpec& arm = out.robots.emplace_back();
  arm.name = "arm";
  stance::Robot robot = stance::load_robot(file);
  stance::load_collision_meshes(robot);
  arm.description = std::make_shared<const stance::Robot>(std::move(robot));
  arm.hold = scene::HoldSpec{.frequency = 4.0};
  stance::ControllerSpec& swing = arm.controllers.emplace_back();
  swing.name = "swing", swing.kind = scene::ControllerKind::kPd;
  swing.trajectory = scene::TrajectorySpec{.keyframes = {{"there", 0.5, {{"upper_hinge", -0.4}}}}};
  stance::SensorSpec& angles = out.sensors.emplace_back();
  angles.name = "angles", angles.kind = scene::SensorKind::kEncoders, angles.at = "arm";
  return out;
}

void check_scene_by_code(const std::string& scenes) {
  const std::string file = scenes + "/../models/double_pendulum.urdf";
  const std::string text =
      "version: 1\n"
      "gravity: [0, 0, 0]\n"
      "objects: {ball: {shape: {sphere: {radius: 0.1}}, mass: 0.5, position: [0.3, 0, -2]}}\n"
      "robots: {arm: {urdf: " +
      file +
      ", hold: {frequency: 4}, controllers: {swing: {kind: pd, "
      "trajectory: {keyframes: {there: {time: 0.5, joints: {upper_hinge: -0.4}}}}}}}}\n"
      "sensors: {angles: {kind: encoders, at: arm}}\n";
  stance::Simulation by_code(stance::compile(make_swing(file)));
  stance::Simulation by_text(stance::parse_scene(text, "swing.yaml"));
  const stance::ChannelReader here(by_code, "*"), there(by_text, "*");
  bool is_same = true;
  for (int k = 0; k < 700; ++k) {
    by_code.advance(), by_text.advance();
    is_same = is_same && here.read() == there.read();
  }
  expect(is_same, "a scene by code runs to the numbers of the same text");
  expect(stance::ChannelReader(by_code, "ball/velocity").read()[0] > 0.1, "the arm hits the ball");
}

void check_version() {
  const stance::BuildInfo library = stance::find_library_build();
  expect(library.major == STANCE_VERSION_MAJOR && library.features == stance::kHeaders.features,
         "headers and library are of one version");
}

void check_dynamics(const std::string& scenes) {
  const stance::Robot robot = stance::load_robot(scenes + "/../models/pendulum.urdf");
  expect(robot.model.nv == 1, "a pendulum has one joint");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    check_version();
    check_reading();
    check_own_controller();
    check_edits();
    check_snapshots();
    check_recording(argv[1], argv[2]);
    check_observer();
    check_scene_by_code(argv[1]);
    check_dynamics(argv[1]);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  if (failures == 0) std::printf("all holds\n");
  return failures != 0;
}
