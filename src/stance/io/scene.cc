#include "stance/io/scene.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "stance/io/contact_law.h"
#include "stance/io/robot_reader.h"
#include "stance/io/scene_check.h"
#include "stance/io/scene_files.h"
#include "stance/kernel/names.h"
#include "stance/run/expectations.h"
#include "stance/scene/schema.h"

namespace stance::io {
namespace {

// ---- settings -----------------------------------------------------------------------------------

// Joints as people name them: a word without * that no joint has stands for all joints that contain
// it.
std::string widen(const std::string& pattern, const Robot& robot) {
  const auto fits = [&](const std::string& word) {
    const std::vector<std::string>& names = robot.model.joint_name;
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return kernel::matches(word, name); });
  };
  const std::string wide = "*" + pattern + "*";
  return !fits(pattern) && fits(wide) ? wide : pattern;
}

double evaluate_joint(const std::string& name, const std::string& value) {
  try {
    return evaluate(value, {});
  } catch (const Error& error) {
    throw Error(fmt::format("--joint {}={}: {}", name, value, error.what()));
  }
}

// What the settings say of joints must reach one.
void set_joints(const scene::Settings& settings, scene::SceneSpec& spec) {
  for (const auto& [name, text] : settings.joints) {
    const double value = evaluate_joint(name, text);
    bool is_known = false;
    for (scene::RobotSpec& robot : spec.robots) {
      const std::string pattern = widen(name, *robot.description);
      const std::vector<std::string>& names = robot.description->model.joint_name;
      const bool fits = std::any_of(names.begin(), names.end(), [&](const std::string& joint) {
        return kernel::matches(pattern, joint);
      });
      is_known = is_known || fits;
      // a robot alone says itself what it has not
      if (fits || robot.name.empty()) robot.joints.emplace_back(pattern, value);
    }
    if (!is_known && !(spec.robots.size() == 1 && spec.robots[0].name.empty()))
      throw Error(
          fmt::format("--joint {}={:g}: no robot of the scene has such a joint", name, value));
  }
}

void apply_settings(const scene::Settings& settings, SceneFile& file) {
  scene::SceneSpec& spec = file.spec;
  if (!settings.law.empty()) spec.contact.law = parse_contact_law(settings.law);
  spec.contact.threads = settings.threads;
  if (settings.duration && !sim::is_step(*settings.duration))
    throw Error(fmt::format("a duration of {:g} s is none; it must be finite and more than 0",
                            *settings.duration));
  if (settings.duration && *settings.duration != spec.duration) {
    spec.expect.after = spec.duration;
    spec.duration = *settings.duration;
    if (!spec.expect.final.empty() || !spec.expect.readings.empty())
      file.warnings.push_back({{settings.file},
                               "the final state is not checked: the scene expects it after another "
                               "duration"});
  }
  set_joints(settings, spec);
}

// ---- scenes -------------------------------------------------------------------------------------

void check_record_file(const SceneFile& file) {
  const std::string& name = file.spec.record.file;
  const std::string ending = std::filesystem::path(name).extension().string();
  if (!name.empty() && ending != ".h5" && ending != ".hdf5" && ending != ".csv")
    throw make_error(file.sources, {"record", "file"},
                     fmt::format("'{}' must end with .h5 or .csv", name));
}

SceneFile make_scene(const YamlNode& tree, const scene::Settings& settings, SceneTexts texts,
                     Findings& findings) {
  CheckedScene checked = check_scene_tree(tree, settings, findings);
  findings.sort();
  findings.throw_if_any();
  if (checked.spec.name.empty())
    checked.spec.name = std::filesystem::path(settings.file).stem().string();
  read_named_files(checked, settings.package_paths);
  SceneFile out{std::move(checked.spec), std::move(checked.sources), {}};
  out.sources.texts = std::move(texts.files);
  check_record_file(out);
  apply_settings(settings, out);
  return out;
}

SceneFile read_robot(const scene::Settings& settings) {
  if (!settings.set.empty())
    throw Error("--set: a robot alone has no variables; use --joint NAME=VALUE");
  RobotOptions options;
  options.package_paths = settings.package_paths;
  Robot robot = load_robot(settings.file, options);
  load_collision_meshes(robot);
  SceneFile out{make_robot_scene(robot), scene::Sources(Place{settings.file}), {}};
  std::vector<std::string> files = {settings.file};
  for (const Geometry& g : robot.geometry)
    if (g.role == ShapeRole::kCollision && !g.mesh_path.empty()) files.push_back(g.mesh_path);
  out.spec.robots[0].urdf = settings.file;
  add_files(std::move(files), out.spec);
  apply_settings(settings, out);
  return out;
}

// Texts that are given are a scene; else the file tells.
SceneFile read_with(const scene::Settings& settings, const SceneTexts& given, Findings& findings) {
  if (!given.are_given && find_robot_reader(settings.file)) return read_robot(settings);
  SceneTexts texts = given;
  const YamlNode tree = read_scene_files(settings.file, texts);
  return make_scene(tree, settings, std::move(texts), findings);
}

}  // namespace

scene::SceneSpec make_robot_scene(const scene::Robot& robot) {
  scene::SceneSpec out;
  out.name = robot.model.name;
  out.materials.push_back({"default", {.friction = 0.8}});
  // one that is bolted to the world may hang below its origin
  if (robot.is_free) {
    scene::EnvironmentSpec& floor = out.environment.emplace_back();
    floor.name = "floor";
    floor.shape = scene::PlaneSpec{};
  }
  scene::RobotSpec& spec = out.robots.emplace_back();
  spec.description = std::make_shared<const scene::Robot>(robot);
  spec.hold = scene::HoldSpec{};
  if (robot.is_free) spec.stand_on = 0.0;
  return out;
}

bool is_scene_file(const std::string& file) {
  std::error_code code;
  return std::filesystem::is_regular_file(file, code) && !find_robot_reader(file);
}

SceneFile read_scene(const scene::Settings& settings, const SceneTexts& texts) {
  Findings findings;
  SceneFile out = read_with(settings, texts, findings);
  out.settings = settings;
  return out;
}

SceneFile parse_scene_file(std::string_view text, const scene::Settings& settings) {
  Findings findings;
  SceneTexts texts;
  const YamlNode tree = parse_scene_files(text, settings.file, texts);
  SceneFile out = make_scene(tree, settings, std::move(texts), findings);
  out.settings = settings;
  return out;
}

SceneFile read_scene(const std::string& file) { return read_scene(scene::Settings{file}); }

scene::Scene compile_scene(SceneFile file) {
  scene::Scene out = scene::compile(std::move(file.spec), std::move(file.sources));
  out.warnings.insert(out.warnings.end(), file.warnings.begin(), file.warnings.end());
  out.settings = std::move(file.settings);
  run::check_expectations(out);
  run::check_record(out);
  return out;
}

scene::Scene load_scene(const scene::Settings& settings, const SceneTexts& texts) {
  return compile_scene(read_scene(settings, texts));
}
scene::Scene load_scene(const std::string& file) { return load_scene(scene::Settings{file}); }

scene::Scene parse_scene(std::string_view text, const scene::Settings& settings) {
  return compile_scene(parse_scene_file(text, settings));
}
scene::Scene parse_scene(std::string_view text, const std::string& file) {
  return parse_scene(text, scene::Settings{file});
}

SceneReport check_scene(const scene::Settings& settings) {
  SceneReport report;
  Findings findings;
  try {
    report.warnings = compile_scene(read_with(settings, {}, findings)).warnings;
  } catch (const Error& error) {
    if (findings.error_count() == 0) findings.error(error);
  }
  report.errors = findings.errors();
  return report;
}

// Checked like the same words in a scene.
scene::AddObjects parse_object(const std::string& name, std::string_view text) {
  if (name.empty()) throw Error("an object that is added needs a name");
  const std::string where = fmt::format("the added object '{}'", name);
  YamlNode object = parse_scene_text(text, where);
  YamlNode tree =
      parse_scene_text(fmt::format("version: {}\nobjects: {{}}", scene::kSceneVersion), where);
  YamlNode& objects = tree.items.back();
  objects.keys = {{name, object.line, object.column}};
  objects.items = {std::move(object)};
  Findings findings;
  CheckedScene checked = check_scene_tree(tree, {}, findings);
  if (findings.error_count() > 0) throw Error(findings.errors()[0].text());
  for (const scene::ObjectSpec& added : checked.spec.objects)
    if (const auto* hull = std::get_if<scene::HullSpec>(&added.shape); hull && !hull->mesh.empty())
      throw Error({where},
                  "what is added while a scene runs brings its points along; name no file");
  return {name, std::move(checked.spec.objects), std::move(checked.sources)};
}

}  // namespace stance::io
