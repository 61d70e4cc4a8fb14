#include "stance/cli/robot_text.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace stance::cli {
namespace {

constexpr int kMostRows = 300;
constexpr std::size_t kMostWarnings = 20;

std::string heading(const char* text, const Style& style) {
  return fmt::format("\n{}{}{}\n", style.bold, text, style.plain);
}

std::string count_text(int count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// A limit or loss; a dash where there is none.
std::string number_text(double value, double none) {
  return value == none || std::isinf(value) ? "-" : fmt::format("{:.4g}", value);
}

std::string format_facts(const io::Robot& robot, const RobotSummary& summary, const Style& style) {
  const model::Model& model = robot.model;
  std::string text = fmt::format("{}{}{}\n", style.bold, model.name, style.plain);
  const auto add = [&](const char* what, const std::string& value) {
    text += fmt::format("  {}{:<15}{}{}\n", style.dim, what, style.plain, value);
  };
  add("base", summary.free_base ? "free" : "fixed to the world");
  add("bodies",
      fmt::format("{} (from {})", summary.bodies,
                  count_text(static_cast<int>(model.frames.size()) - 1, "link", "links")));
  add("joints", std::to_string(summary.joints));
  add("coordinates", fmt::format("nq {}, nv {}", model.nq, model.nv));
  add("mass",
      fmt::format("{:.6g} kg{}", summary.mass,
                  summary.fixed_mass > 0.0
                      ? fmt::format(", and {:.6g} kg fixed to the world", summary.fixed_mass)
                      : ""));
  add("centre of mass",
      fmt::format("{:.4f} {:.4f} {:.4f} m at the neutral pose, in the root's frame",
                  summary.com.x(), summary.com.y(), summary.com.z()));
  return text;
}

std::string format_joints(const model::Model& model, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"joint", "type", "axis", "lower", "upper",
                                                 "effort", "velocity", "damping", "friction",
                                                 "rotor"}};
  int left_out = 0;
  for (int i = 1; i < model.nbody; ++i) {
    if (is_base(model, i)) continue;
    if (static_cast<int>(rows.size()) > kMostRows) {
      ++left_out;
      continue;
    }
    const int v = model.v_start[i];
    rows.push_back({model.joint_name[i], joint_type_text(model, i), axis_text(model, i),
                    number_text(model.lower[v], -model::kInfinity),
                    number_text(model.upper[v], model::kInfinity),
                    number_text(model.effort_limit[v], model::kInfinity),
                    number_text(model.velocity_limit[v], model::kInfinity),
                    number_text(model.damping[v], 0.0), number_text(model.friction[v], 0.0),
                    number_text(model.rotor_inertia[v], 0.0)});
  }
  if (rows.size() == 1) return {};
  std::string text = heading("Joints", style) + format_table(rows, 3, style);
  if (left_out > 0) text += fmt::format("  … and {} more; --json lists all\n", left_out);
  return text;
}

std::string format_mimics(const model::Model& model, const Style& style) {
  if (model.mimics.empty()) return {};
  std::string text = heading("Mimics", style);
  int shown = 0;
  for (const model::Mimic& mimic : model.mimics) {
    if (++shown > kMostRows) break;
    const std::string offset =
        mimic.offset == 0.0
            ? ""
            : fmt::format(" {} {:.6g}", mimic.offset < 0.0 ? "-" : "+", std::abs(mimic.offset));
    text += fmt::format("  {} = {:.6g} {}{}\n", model.joint_name[mimic.follower], mimic.ratio,
                        model.joint_name[mimic.leader], offset);
  }
  return text;
}

std::string format_shapes(const io::Robot& robot, const RobotSummary& summary, const Style& style) {
  if (robot.geometry.empty()) return {};
  static constexpr const char* kKinds[][2] = {{"box", "boxes"},
                                              {"sphere", "spheres"},
                                              {"cylinder", "cylinders"},
                                              {"capsule", "capsules"},
                                              {"mesh", "meshes"}};
  std::map<io::ShapeRole, std::map<io::ShapeKind, int>> counts;
  for (const io::Geometry& shape : robot.geometry) ++counts[shape.role][shape.kind];
  std::string text = heading("Shapes", style);
  for (const auto& [role, by_kind] : counts) {
    std::vector<std::string> parts;
    for (const auto& [kind, count] : by_kind) {
      const auto& names = kKinds[static_cast<int>(kind)];
      parts.push_back(count_text(count, names[0], names[1]));
    }
    text += fmt::format("  {}{:<11}{}{}\n", style.dim,
                        role == io::ShapeRole::kVisual ? "visual" : "collision", style.plain,
                        fmt::join(parts, ", "));
  }
  if (summary.meshes.empty()) return text;

  int found = 0, broken = 0;
  long triangles = 0;
  for (const MeshSummary& mesh : summary.meshes) {
    found += !mesh.path.empty();
    broken += !mesh.problem.empty();
    triangles += mesh.triangles;
  }
  const int missing = static_cast<int>(summary.meshes.size()) - found;
  text += fmt::format("  {}{:<11}{}{} found with {} triangles", style.dim, "mesh files",
                      style.plain, found, triangles);
  if (broken > 0) text += fmt::format(", {} of them unusable", broken);
  text +=
      missing > 0 ? fmt::format(", {}{} missing{}\n", style.yellow, missing, style.plain) : "\n";
  return text;
}

std::string format_warnings(const std::vector<Warning>& warnings, const Style& style) {
  if (warnings.empty()) return {};
  std::string text = heading("Warnings", style);
  for (std::size_t k = 0; k < std::min(kMostWarnings, warnings.size()); ++k)
    text += fmt::format("  {}{}{}\n", style.yellow, warnings[k].text(), style.plain);
  if (warnings.size() > kMostWarnings)
    text +=
        fmt::format("  … and {} more; stance check lists all\n", warnings.size() - kMostWarnings);
  return text;
}

}  // namespace

std::string format_robot(const io::Robot& robot, const RobotSummary& summary, const Style& style) {
  return format_facts(robot, summary, style) + heading("Tree", style) +
         format_tree(robot.model, summary, style) + format_joints(robot.model, style) +
         format_mimics(robot.model, style) + format_shapes(robot, summary, style) +
         format_warnings(robot.warnings, style);
}

}  // namespace stance::cli
