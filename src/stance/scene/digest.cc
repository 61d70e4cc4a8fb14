#include "stance/scene/digest.h"

#include <cstring>

#include "stance/kernel/checksum.h"
#include "stance/scene/schema.h"

namespace stance::scene {
namespace {

class Digest {
 public:
  explicit Digest(const SceneSpec& spec) : spec_(spec) {}

  std::string calc() {
    add_group(scene_schema(), &spec_);
    for (const RobotSpec& robot : spec_.robots)
      if (robot.description && !find_content(robot.urdf)) add_robot(*robot.description);
    for (const RobotSpec& robot : spec_.robots) add_pairs(robot.unmeeting);
    for (const FileSpec& file : spec_.files) add(file.sha256);  // meshes that robots name, too
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

  // One that came from no file.
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
      if (!g.mesh) continue;
      for (const Eigen::Vector3d& vertex : g.mesh->vertices) add_matrix(vertex);
    }
  }

  const SceneSpec& spec_;
  kernel::Sha256 hash_;
};

}  // namespace

std::string calc_digest(const SceneSpec& spec) { return Digest(spec).calc(); }

}  // namespace stance::scene
