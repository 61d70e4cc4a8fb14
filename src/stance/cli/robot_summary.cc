#include "stance/cli/robot_summary.h"

#include <map>

#include <fmt/format.h>

#include "stance/io/findings.h"
#include "stance/io/mesh.h"

namespace stance::cli {
namespace {

using model::JointType;

// Centre of mass with every joint at its zero, where the body frame lies on the joint frame.
Eigen::Vector3d calc_neutral_com(const model::Model& model, double mass) {
  std::vector<Eigen::Matrix3d> R_WB(model.nbody, Eigen::Matrix3d::Identity());
  std::vector<Eigen::Vector3d> p_WB(model.nbody, Eigen::Vector3d::Zero());
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  for (int i = 1; i < model.nbody; ++i) {
    const int parent = model.parent[i];
    p_WB[i] = p_WB[parent] + R_WB[parent] * model.p_PJ[i].eigen();
    R_WB[i] = R_WB[parent] * model.R_PJ[i].eigen();
    moment += model.mass[i] * (p_WB[i] + R_WB[i] * model.com[i].eigen());
  }
  return mass > 0.0 ? Eigen::Vector3d(moment / mass) : moment;
}

MeshSummary read_mesh(const io::Geometry& shape) {
  MeshSummary mesh{shape.mesh_uri, shape.mesh_path, 0, {}, shape.place};
  if (mesh.path.empty()) return mesh;
  try {
    mesh.triangles =
        static_cast<int>(io::load_mesh(mesh.path, shape.scale.eigen()).triangles.size());
  } catch (const Error& error) {
    mesh.problem = io::bare_message(error);
  }
  return mesh;
}

}  // namespace

RobotSummary summarize(const io::Robot& robot) {
  const model::Model& model = robot.model;
  RobotSummary summary;
  summary.bodies = model.nbody - 1;
  for (int i = 1; i < model.nbody; ++i) {
    if (is_base(model, i)) summary.free_base = true;
    if (!is_base(model, i)) ++summary.joints;
  }
  summary.mass = model.total_mass();
  summary.fixed_mass = model.mass[0];
  summary.com = calc_neutral_com(model, summary.mass);

  summary.merged.resize(model.nbody);
  for (const model::Frame& frame : model.frames)
    if (frame.name != model.body_name[frame.body]) summary.merged[frame.body].push_back(frame.name);

  std::map<std::string, bool> seen;
  for (const io::Geometry& shape : robot.geometry)
    if (shape.kind == io::ShapeKind::kMesh && seen.emplace(shape.mesh_uri, true).second)
      summary.meshes.push_back(read_mesh(shape));
  return summary;
}

bool is_base(const model::Model& model, int body) {
  return model.joint_type[body] == JointType::kFree && model.parent[body] == 0;
}

std::string joint_type_text(const model::Model& model, int body) {
  const bool endless = model.joint_type[body] == JointType::kRevolute &&
                       model.lower[model.v_start[body]] == -model::kInfinity &&
                       model.upper[model.v_start[body]] == model::kInfinity;
  return endless ? "continuous" : std::string(model::joint_type_name(model.joint_type[body]));
}

std::string axis_text(const model::Model& model, int body) {
  const JointType type = model.joint_type[body];
  if (type != JointType::kRevolute && type != JointType::kPrismatic && type != JointType::kPlanar)
    return {};
  const model::Vec3d& axis = model.axis[body];
  for (int k = 0; k < 3; ++k)
    if (axis[k] == 1.0 || axis[k] == -1.0)
      return fmt::format("{}{}", axis[k] < 0.0 ? "-" : "", "xyz"[k]);
  return fmt::format("({:.4g} {:.4g} {:.4g})", axis[0], axis[1], axis[2]);
}

std::string finding_text(const Warning& finding, const char* severity) {
  const std::string place = finding.place.text();
  return fmt::format("{}{}{}: {}", place, place.empty() ? "" : ": ", severity, finding.what);
}

}  // namespace stance::cli
