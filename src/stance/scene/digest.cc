#include "stance/scene/digest.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <variant>
#include <vector>

#include "stance/kernel/checksum.h"
#include "stance/scene/schema.h"

namespace stance::scene {
namespace {

class Digest {
 public:
  explicit Digest(const SceneSpec& spec) : spec_(spec) {}

  std::string calc() {
    add_group(scene_schema(), &spec_);
    add_unkeyed_options(spec_.contact);
    for (const EnvironmentSpec& part : spec_.environment) add_mesh_of(part.shape);
    for (const ObjectSpec& object : spec_.objects) add_mesh_of(object.shape);
    for (const RobotSpec& robot : spec_.robots) {
      add(robot.description ? "read" : "not read");
      if (robot.description) add_robot(*robot.description);
      add_pairs(robot.unmeeting);
      for (const ControllerSpec& controller : robot.controllers)
        if (controller.trajectory && controller.trajectory->table)
          add_table(*controller.trajectory->table);
    }
    add_files();
    return hash_.hex();
  }

 private:
  void add(std::string_view text) {
    add(static_cast<double>(text.size()));
    hash_.add(text);
  }
  void add(double number) {
    if (number == 0.0) number = 0.0;  // -0 is 0
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    hash_.add({bytes, sizeof bytes});
  }
  void add(const Vec3d& v) { add(v[0]), add(v[1]), add(v[2]); }
  template <class Matrix>
  void add_matrix(const Matrix& m) {
    for (int i = 0; i < m.rows(); ++i)
      for (int j = 0; j < m.cols(); ++j) add(m(i, j));
  }
  void add_pairs(const NamePairs& pairs) {
    add(static_cast<double>(pairs.size()));
    for (const auto& [a, b] : pairs) add(a), add(b);
  }

  // What is in effect but has no key. A new field of ContactOptions breaks the build here: give it
  // a key, or add it, or say why it does not matter (threads: the bits are the same).
  void add_unkeyed_options(const contact::ContactOptions& options) {
    const auto& [law, penalty, facets, tolerance, max_sweeps, accelerate, margin, slop, correction,
                 loop_correction, capacity, most_points, threads] = options;
    add(accelerate ? 1.0 : 0.0), add(most_points);
  }

  // All files, in an order that does not depend on where they lie.
  void add_files() {
    std::vector<std::string> hashes;
    for (const FileSpec& file : spec_.files) hashes.push_back(file.sha256);
    std::sort(hashes.begin(), hashes.end());
    for (const std::string& hash : hashes) add(hash);
  }

  // The hash of a file that the scene names, if it has been read.
  const std::string* find_content(const std::string& path) const {
    for (const FileSpec& file : spec_.files)
      if (file.path == path) return &file.sha256;
    return nullptr;
  }

  // Fields in the order of the schema, each with its name, so that values cannot change places.
  void add_group(const SceneGroup& group, const void* owner) {
    for (const SceneKey& key : group.keys) {
      if (!key.matters) continue;
      add(key.name);
      if (key.group)
        add_parts(key, owner);
      else
        add_value(key, owner);
    }
  }

  void add_parts(const SceneKey& key, const void* owner) {
    const std::size_t count = key.field.count(owner);
    add(static_cast<double>(count));
    for (std::size_t k = 0; k < count; ++k) {
      if (key.field.name) add(*key.field.name(owner, k));
      add_group(*key.group, key.field.part(owner, k));
    }
  }

  void add_value(const SceneKey& key, const void* owner) {
    FieldValue value;
    if (!key.field.get || !key.field.get(owner, value)) return add("nothing");
    const bool is_file = key.kind == ValueKind::kPath || key.kind == ValueKind::kPaths;
    add(static_cast<double>(value.numbers.size()));
    for (const double number : value.numbers) add(number);
    add(static_cast<double>(value.texts.size()));
    for (const std::string& text : value.texts) {
      const std::string* content = is_file ? find_content(text) : nullptr;
      add(content ? *content : text);
    }
  }

  // Data count as they are: code may have made or changed them, and the file that a mesh names may
  // keep its vertices in another one.
  void add_mesh(const Mesh* mesh) {
    if (!mesh) return add("no mesh");
    add(static_cast<double>(mesh->vertices.size()));
    for (const Eigen::Vector3d& vertex : mesh->vertices) add_matrix(vertex);
    add(static_cast<double>(mesh->triangles.size()));
    for (const std::array<int, 3>& triangle : mesh->triangles)
      for (const int corner : triangle) add(corner);
  }

  void add_mesh_of(const ShapeSpec& shape) {
    if (const auto* hull = std::get_if<HullSpec>(&shape)) add_mesh(hull->data.get());
    if (const auto* mesh = std::get_if<MeshSpec>(&shape)) add_mesh(mesh->data.get());
  }

  void add_table(const control::JointTable& table) {
    for (const std::string& joint : table.joints) add(joint);
    for (const double time : table.times) add(time);
    for (const double value : table.values) add(value);
  }

  void add_robot(const Robot& robot) {
    for (const model::LinkSpec& link : robot.parts.links()) {
      add(link.name), add(link.mass);
      add_matrix(link.com), add_matrix(link.inertia);
    }
    for (const model::JointSpec& joint : robot.parts.joints()) {
      add(joint.name), add(static_cast<double>(joint.type)), add(joint.parent), add(joint.child);
      add_matrix(joint.R_PJ), add_matrix(joint.p_PJ), add_matrix(joint.axis);
      for (const double number :
           {joint.lower, joint.upper, joint.velocity_limit, joint.effort_limit, joint.damping,
            joint.friction, joint.rotor_inertia})
        add(number);
      if (joint.mimic) add(joint.mimic->leader), add(joint.mimic->ratio), add(joint.mimic->offset);
    }
    for (const Geometry& g : robot.geometry) {
      if (g.role != ShapeRole::kCollision) continue;
      add(g.link), add(static_cast<double>(g.kind)), add(g.size), add(g.radius), add(g.length);
      add(g.p_BG);
      for (int k = 0; k < 3; ++k) add(g.R_BG.c[k]);
      add(g.scale), add_mesh(g.mesh.get());
    }
  }

  const SceneSpec& spec_;
  kernel::Sha256 hash_;
};

}  // namespace

std::string calc_digest(const SceneSpec& spec) { return Digest(spec).calc(); }

}  // namespace stance::scene
