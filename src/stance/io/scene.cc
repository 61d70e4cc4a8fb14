#include "stance/io/scene.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "stance/io/channel_choice.h"
#include "stance/io/scene_assemble.h"
#include "stance/io/scene_channels.h"
#include "stance/io/scene_modules.h"
#include "stance/io/urdf.h"

namespace stance::io {
namespace {

// Names of expectations exist, as what they are used for.
void check_expectations(const SceneNode* expect, const LoadedScene& scene,
                        const std::vector<sim::Channel>& ever) {
  if (!expect) return;
  const model::Model& model = scene.scene.world.model;
  std::vector<std::string> bodies, joints;
  for (const model::Frame& frame : model.frames) bodies.push_back(frame.name);
  for (int i = 1; i < model.nbody; ++i)
    if (model.joint_nq(i) == 1) joints.push_back(model.joint_name[i]);
  const auto is_gone = [&](const std::string& name) {
    return std::any_of(ever.begin(), ever.end(), [&](const sim::Channel& channel) {
      return channel.name == name + "/position";
    });
  };
  const auto demand = [&](const SceneNode& entry, const std::vector<std::string>& known,
                          const char* what) {
    if (std::find(known.begin(), known.end(), entry.name()) == known.end())
      throw Error(entry.place(),
                  fmt::format("there is no {} '{}'{}", what, entry.name(),
                              is_gone(entry.name()) ? " at the end of the run"
                                                    : suggest_name(entry.name(), known)));
  };
  for (const SceneNode& entry : expect->groups("final")) {
    bool is_body = false;
    for (const char* key : {"position", "x", "y", "z", "velocity", "spin"})
      is_body = is_body || entry.has(key);
    if (is_body) demand(entry, bodies, "object or link");
    if (entry.has("value") || entry.has("rate")) demand(entry, joints, "joint");
  }
}

// How long to simulate: as the user says, or `otherwise`.
double choose_duration(const SceneOptions& options, double otherwise) {
  if (options.duration && !sim::is_step(*options.duration))
    throw Error(fmt::format("a duration of {:g} s is none; it must be finite and more than 0",
                            *options.duration));
  return options.duration.value_or(otherwise);
}

// What stands under record:, in steps.
SceneRecord read_record(const SceneNode* node, double step) {
  SceneRecord out;
  if (!node) return out;
  if (const SceneNode::Value* channels = node->find("channels"))
    out.channels = channels->texts, out.places = channels->places;
  if (node->has("every_steps")) out.every = node->integer("every_steps");
  if (node->has("every")) {
    const double steps = node->number("every") / step;
    const double whole = std::clamp(std::round(steps), 1.0, 1e9);
    if (std::abs(steps - whole) > 1e-6 * steps)
      throw Error(node->place("every"),
                  fmt::format("'every' is {:g} s, which is not a multiple of the step, {:g} s",
                              node->number("every"), step));
    if (node->has("every_steps") && out.every != static_cast<int>(whole))
      throw Error(node->place("every"), "'every' and 'every_steps' do not say the same");
    out.every = static_cast<int>(whole);
  }
  if (node->has("file")) out.file = node->text("file");
  const std::string ending = std::filesystem::path(out.file).extension().string();
  if (node->has("file") && ending != ".h5" && ending != ".hdf5" && ending != ".csv")
    throw Error(node->place("file"), fmt::format("'{}' must end with .h5 or .csv", out.file));
  out.flush = node->number("flush");
  return out;
}

// Channels that are to be recorded exist.
void check_channels(const LoadedScene& scene) {
  if (scene.record.channels.empty()) return;
  const auto made = make_channels(scene);
  std::vector<sim::ChannelSource*> sources;
  for (const auto& source : made) sources.push_back(source.get());
  (void)ChannelChoice(sources, scene.record.channels, scene.record.places);
}

void sort_unique(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

LoadedScene make_scene(const YamlNode& tree, const std::string& file, const SceneOptions& options,
                       Findings& findings) {
  const auto checked =
      std::make_shared<const CheckedScene>(check_scene_tree(tree, options.settings, findings));
  findings.sort();
  findings.throw_if_any();
  const SceneNode& root = checked->root;
  const std::string name =
      root.has("name") ? root.text("name") : std::filesystem::path(file).stem().string();
  LoadedScene out = assemble_scene(checked, name, options, {file});
  if (root.has("about")) out.about = root.text("about");
  out.step = root.number("step");
  out.duration = choose_duration(options, root.number("duration"));
  out.record = read_record(root.group("record"), out.step);
  if (const SceneNode* interaction = root.group("interaction")) {
    out.interaction.stiffness = interaction->number("stiffness");
    out.interaction.touch = interaction->number("touch");
    out.interaction.probe_radius = interaction->number("probe_radius");
    out.interaction.device_scale = interaction->number("device_scale");
    out.interaction.device_origin = interaction->vector("device_origin");
  }
  out.seed = checked->seed;
  for (const auto& [variable, value] : checked->scope.variables)
    if (const double* number = std::get_if<double>(&value))
      out.variables.push_back({variable, *number});
  root.find_files(out.files);
  sort_unique(out.files);
  out.expect = read_expectations(root.group("expect"));
  // what is expected at the end is there then
  const LoadedScene& last = out.find_part(std::llround(root.number("duration") / out.step));
  check_expectations(root.group("expect"), last, out.channels);
  check_readings(root.group("expect"), last);
  if (options.duration && *options.duration != root.number("duration") &&
      !(out.expect.final.empty() && out.expect.readings.empty())) {
    out.expect.final.clear(), out.expect.readings.clear();
    out.warnings.push_back({{file},
                            "the final state is not checked: the scene expects it after "
                            "another duration"});
  }
  for (LoadedScene& part : out.later)
    part.step = out.step, part.expect = out.expect, part.duration = out.duration;
  check_channels(out);
  if (const std::vector<std::string> unread = root.find_unread(); !unread.empty())
    throw std::logic_error("a key of the scene does nothing: " + unread.front());
  return out;
}

}  // namespace

sim::Actuation LoadedScene::make_actuation() const {
  const sim::World& world = scene.world;
  sim::Drive base(world);
  const auto copy = [](const std::vector<double>& from, std::vector<double>& to) {
    if (!from.empty()) to = from;
  };
  copy(tau, base.tau), copy(stiffness, base.stiffness), copy(damping, base.damping);
  copy(target, base.target), copy(limit, base.limit);
  sim::Actuation::Controllers made;
  for (const ControllerMaker& make : controllers) make(scene, made);
  return {world, base, std::move(made)};
}

const LoadedScene& LoadedScene::find_part(std::int64_t number) const {
  const LoadedScene* out = this;
  for (const LoadedScene& part : later)
    if (part.begins < number) out = &part;
  return *out;
}

std::unique_ptr<sim::SensorSuite> LoadedScene::make_sensors() const {
  auto suite = std::make_unique<sim::SensorSuite>(scene.world);
  for (const SensorMaker& make : sensors) make(scene, *suite);
  return suite;
}

LoadedScene load_scene(const std::string& path, const SceneOptions& options) {
  Findings findings;
  SceneTexts texts = options.texts;
  LoadedScene out = make_scene(read_scene_files(path, texts), path, options, findings);
  out.texts = std::move(texts.files);
  return out;
}

LoadedScene parse_scene(std::string_view text, const std::string& file,
                        const SceneOptions& options) {
  Findings findings;
  SceneTexts texts = options.texts;
  LoadedScene out = make_scene(parse_scene_files(text, file, texts), file, options, findings);
  out.texts = std::move(texts.files);
  return out;
}

SceneReport check_scene(const std::string& path, const SceneOptions& options) {
  SceneReport report;
  Findings findings;
  try {
    SceneTexts texts;
    const YamlNode tree = read_scene_files(path, texts);
    report.warnings = make_scene(tree, path, options, findings).warnings;
  } catch (const Error& error) {
    if (findings.error_count() == 0) findings.error(error);
  }
  report.errors = findings.errors();
  return report;
}

LoadedScene load_robot_scene(const std::string& urdf, const SceneOptions& options) {
  RobotPart part;
  UrdfOptions urdf_options;
  urdf_options.package_paths = options.package_paths;
  part.robot = load_urdf(urdf, urdf_options);
  std::vector<JointStart> starts;
  for (const auto& [pattern, value] : widen_joints(options.joints, part.robot))
    starts.push_back({pattern, value, {}});
  part.placement.start = find_start(part.robot, starts);
  part.placement.replace_missing = true;
  part.hold = RobotPart::Hold{};
  if (part.robot.is_free) part.stand_on = 0.0;

  LoadedScene out = assemble_robot(std::move(part), options, {urdf});
  out.duration = choose_duration(options, out.duration);
  out.files.push_back(urdf);
  sort_unique(out.files);
  return out;
}

}  // namespace stance::io
