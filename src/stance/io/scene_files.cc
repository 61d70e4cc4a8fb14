#include "stance/io/scene_files.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "stance/io/mesh.h"
#include "stance/io/plugin.h"
#include "stance/io/robot_reader.h"
#include "stance/io/srdf.h"
#include "stance/io/trajectory_csv.h"
#include "stance/kernel/checksum.h"

namespace stance::io {
namespace {

using scene::Path;

class FileReader {
 public:
  FileReader(CheckedScene& scene, const std::vector<std::string>& package_paths)
      : spec_(scene.spec),
        sources_(scene.sources),
        scope_(scene.scope),
        package_paths_(package_paths) {}

  void read() {
    for (scene::EnvironmentSpec& part : spec_.environment)
      read_shape(part.shape, {"environment", part.name, "shape"});
    for (scene::ObjectSpec& object : spec_.objects)
      read_shape(object.shape, {"objects", object.name, "shape"});
    for (scene::RobotSpec& robot : spec_.robots) read_robot(robot);
    for (scene::PluginSpec& plugin : spec_.plugins) {
      const Path path{"plugins", plugin.name, "library"};
      plugin.maker = load_plugin(plugin.library, sources_.find(path));
      files_.push_back(plugin.library);
    }
    add_files(std::move(files_), spec_);
  }

 private:
  // A file that the scene names, there or not.
  const std::string& find_file(const std::string& file, const Path& path) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(file, code))
      throw make_error(sources_, path, fmt::format("there is no file {}", file));
    files_.push_back(file);
    return file;
  }

  std::shared_ptr<const scene::Mesh> read_mesh(const std::string& file, const kernel::Vec3d& scale,
                                               const Path& path) {
    return std::make_shared<const scene::Mesh>(
        load_mesh(find_file(file, path), {scale[0], scale[1], scale[2]}));
  }

  void read_shape(scene::ShapeSpec& shape, const Path& path) {
    if (auto* hull = std::get_if<scene::HullSpec>(&shape); hull && !hull->mesh.empty())
      at_path(sources_, path,
              [&] { hull->data = read_mesh(hull->mesh, hull->scale, path / "hull" / "mesh"); });
    if (auto* mesh = std::get_if<scene::MeshSpec>(&shape))
      at_path(sources_, path,
              [&] { mesh->data = read_mesh(mesh->file, mesh->scale, path / "mesh" / "file"); });
    if (auto* field = std::get_if<scene::HeightFieldSpec>(&shape); field && !field->height.empty())
      at_path(sources_, path / "height_field" / "height",
              [&] { work_out_heights(*field, scope_); });
  }

  void read_robot(scene::RobotSpec& robot) {
    const Path path{"robots", robot.name};
    RobotOptions options;
    options.base = robot.base;
    options.package_paths = robot.package_paths;
    options.package_paths.insert(options.package_paths.end(), package_paths_.begin(),
                                 package_paths_.end());
    robot.description = describe(find_file(robot.urdf, path / "urdf"), options, path);
    if (!robot.srdf.empty())
      robot.unmeeting = load_srdf(find_file(robot.srdf, path / "srdf"), *robot.description);
    for (scene::ControllerSpec& controller : robot.controllers)
      if (controller.trajectory && !controller.trajectory->file.empty())
        controller.trajectory->table = std::make_shared<const control::JointTable>(load_joint_table(
            find_file(controller.trajectory->file,
                      path / "controllers" / controller.name / "trajectory" / "file")));
  }

  // Copies of a robot share what was read.
  std::shared_ptr<const Robot> describe(const std::string& file, const RobotOptions& options,
                                        const Path& path) {
    auto& known = robots_[{file, static_cast<int>(options.base), options.package_paths}];
    if (!known) {
      Robot robot = load_robot(file, options);
      at_path(sources_, path, [&] { load_collision_meshes(robot); });
      for (const Geometry& g : robot.geometry)
        if (g.role == ShapeRole::kCollision && !g.mesh_path.empty()) files_.push_back(g.mesh_path);
      known = std::make_shared<const Robot>(std::move(robot));
    }
    return known;
  }

  scene::SceneSpec& spec_;
  const scene::Sources& sources_;
  const Scope& scope_;
  const std::vector<std::string>& package_paths_;
  std::vector<std::string> files_;
  std::map<std::tuple<std::string, int, std::vector<std::string>>, std::shared_ptr<const Robot>>
      robots_;
};

}  // namespace

void add_files(std::vector<std::string> files, scene::SceneSpec& spec) {
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  for (const std::string& file : files)
    spec.files.push_back({file, kernel::calc_file_sha256(file)});
}

void work_out_heights(scene::HeightFieldSpec& field, const Scope& scope) {
  constexpr std::size_t kMost = 1'000'000;  // as scene/pose.cc allows, which refuses more
  if (static_cast<std::size_t>(field.columns) * static_cast<std::size_t>(field.rows) > kMost)
    return;
  Scope local = scope;
  field.heights.clear();
  for (int row = 0; row < field.rows; ++row)
    for (int column = 0; column < field.columns; ++column) {
      local.locals["x"] = field.spacing[0] * (column - 0.5 * (field.columns - 1));
      local.locals["y"] = field.spacing[1] * (row - 0.5 * (field.rows - 1));
      try {
        field.heights.push_back(evaluate(field.height, local));
      } catch (const Error& error) {
        throw Error(fmt::format("'height': {}", error.what()));
      }
    }
}

void read_named_files(CheckedScene& scene, const std::vector<std::string>& package_paths) {
  FileReader(scene, package_paths).read();
}

}  // namespace stance::io
