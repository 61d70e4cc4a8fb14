#include "stance/cli/robot_json.h"

#include <Eigen/Geometry>

namespace stance::cli {
namespace {

using Json = nlohmann::ordered_json;

Json vector_json(const Eigen::Vector3d& v) { return Json::array({v.x(), v.y(), v.z()}); }

Json quaternion_json(const Eigen::Matrix3d& R) {
  const Eigen::Quaterniond q(R);
  return Json::array({q.w(), q.x(), q.y(), q.z()});
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

// One body and the joint that carries it. nlohmann writes infinity as null.
Json body_json(const model::Model& model, const RobotSummary& summary, int i) {
  Json body = {{"body", i},
               {"name", model.body_name[i]},
               {"parent", model.parent[i]},
               {"joint", model.joint_name[i]},
               {"type", joint_type_text(model, i)},
               {"base", is_base(model, i)},
               {"q_start", model.q_start[i]},
               {"v_start", model.v_start[i]},
               {"mass", model.mass[i]},
               {"com", vector_json(model.com[i].eigen())},
               {"merged", summary.merged[i]}};
  if (!axis_text(model, i).empty()) body["axis"] = vector_json(model.axis[i].eigen());
  if (is_base(model, i)) return body;
  const int v = model.v_start[i];  // all coordinates of a joint share these
  body["lower"] = model.lower[v];
  body["upper"] = model.upper[v];
  body["effort"] = model.effort_limit[v];
  body["velocity"] = model.velocity_limit[v];
  body["damping"] = model.damping[v];
  body["friction"] = model.friction[v];
  body["rotor_inertia"] = model.rotor_inertia[v];
  return body;
}

const char* kind_text(io::ShapeKind kind) {
  switch (kind) {
    case io::ShapeKind::kBox: return "box";
    case io::ShapeKind::kSphere: return "sphere";
    case io::ShapeKind::kCylinder: return "cylinder";
    case io::ShapeKind::kCapsule: return "capsule";
    case io::ShapeKind::kMesh: return "mesh";
  }
  return "?";
}

Json geometry_json(const io::Robot& robot) {
  Json counts = {{"visual", Json::object()}, {"collision", Json::object()}};
  for (const io::Geometry& shape : robot.geometry) {
    Json& count = counts[shape.role == io::ShapeRole::kVisual ? "visual" : "collision"]
                        [kind_text(shape.kind)];
    count = count.is_null() ? 1 : count.get<int>() + 1;
  }
  return counts;
}

}  // namespace

Json make_robot_json(const io::Robot& robot, const RobotSummary& summary) {
  const model::Model& model = robot.model;
  Json tree = Json::array(), frames = Json::array(), mimics = Json::array(), meshes = Json::array();
  for (int i = 1; i < model.nbody; ++i) tree.push_back(body_json(model, summary, i));
  for (const model::Frame& frame : model.frames)
    frames.push_back({{"name", frame.name},
                      {"body", static_cast<int>(frame.body)},
                      {"position", vector_json(frame.p_BF.eigen())},
                      {"quaternion", quaternion_json(frame.R_BF.eigen())}});
  for (const model::Mimic& mimic : model.mimics)
    mimics.push_back({{"joint", model.joint_name[mimic.follower]},
                      {"leader", model.joint_name[mimic.leader]},
                      {"ratio", mimic.ratio},
                      {"offset", mimic.offset}});
  for (const MeshSummary& mesh : summary.meshes)
    meshes.push_back({{"uri", mesh.uri},
                      {"path", text_or_null(mesh.path)},
                      {"triangles", mesh.triangles},
                      {"problem", text_or_null(mesh.problem)}});
  return {{"name", model.name},
          {"base", summary.free_base ? "free" : "fixed"},
          {"bodies", summary.bodies},
          {"joints", summary.joints},
          {"nq", model.nq},
          {"nv", model.nv},
          {"mass", summary.mass},
          {"fixed_mass", summary.fixed_mass},
          {"com", vector_json(summary.com)},
          {"tree", std::move(tree)},
          {"frames", std::move(frames)},
          {"mimics", std::move(mimics)},
          {"geometry", geometry_json(robot)},
          {"meshes", std::move(meshes)},
          {"warnings", make_findings_json(robot.warnings)}};
}

Json make_findings_json(const std::vector<Warning>& findings) {
  Json list = Json::array();
  for (const Warning& finding : findings)
    list.push_back({{"file", finding.place.file},
                    {"line", finding.place.line},
                    {"element", finding.place.element},
                    {"message", finding.what}});
  return list;
}

std::string print_json(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stance::cli
