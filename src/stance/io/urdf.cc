#include "stance/io/urdf.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "stance/dynamics/validate.h"
#include "stance/io/urdf_document.h"
#include "stance/io/urdf_geometry.h"
#include "stance/io/urdf_lint.h"
#include "stance/io/urdf_numbers.h"
#include "stance/io/urdfdom_reader.h"
#include "stance/io/xml_text.h"
#include "stance/model/builder.h"

namespace stance::io {
namespace {

using Base = model::ModelBuilder::Base;

// ---- from urdfdom's terms to ours ---------------------------------------------------------------

model::LinkSpec make_link(const urdf::Link& link, const UrdfLink& entry) {
  model::LinkSpec spec{link.name};
  spec.place = entry.place;
  if (!link.inertial) return spec;
  const urdf::Inertial& inertial = *link.inertial;
  const Eigen::Matrix3d R = rotation_of(inertial.origin);
  Eigen::Matrix3d I;
  I << inertial.ixx, inertial.ixy, inertial.ixz,  //
      inertial.ixy, inertial.iyy, inertial.iyz,   //
      inertial.ixz, inertial.iyz, inertial.izz;
  spec.mass = inertial.mass;
  spec.com = position_of(inertial.origin);
  spec.inertia = R * I * R.transpose();
  return spec;
}

model::JointType type_of(const UrdfJoint& entry) {
  if (entry.type == "revolute" || entry.type == "continuous") return model::JointType::kRevolute;
  if (entry.type == "prismatic") return model::JointType::kPrismatic;
  if (entry.type == "planar") return model::JointType::kPlanar;
  if (entry.type == "floating") return model::JointType::kFree;
  if (entry.type == "spherical") return model::JointType::kSpherical;
  return model::JointType::kFixed;
}

double limit_of(double value) {
  return std::abs(value) >= kNoLimit ? std::copysign(model::kInfinity, value) : value;
}

model::JointSpec make_joint(const urdf::Joint& joint, const UrdfJoint& entry) {
  model::JointSpec spec{joint.name, type_of(entry), joint.parent_link_name, joint.child_link_name};
  spec.R_PJ = rotation_of(joint.parent_to_joint_origin_transform);
  spec.p_PJ = position_of(joint.parent_to_joint_origin_transform);
  spec.axis = {joint.axis.x, joint.axis.y, joint.axis.z};
  spec.rotor_inertia = entry.rotor_inertia;
  spec.place = entry.place;
  if (joint.limits) {
    spec.velocity_limit = limit_of(joint.limits->velocity);
    spec.effort_limit = limit_of(joint.limits->effort);
  }
  if (joint.limits && (entry.type == "revolute" || entry.type == "prismatic")) {
    spec.lower = limit_of(joint.limits->lower);
    spec.upper = limit_of(joint.limits->upper);
  }
  if (joint.dynamics) {
    spec.damping = joint.dynamics->damping;
    spec.friction = joint.dynamics->friction;
  }
  if (joint.mimic)
    spec.mimic =
        model::MimicSpec{joint.mimic->joint_name, joint.mimic->multiplier, joint.mimic->offset};
  return spec;
}

// ---- the base ---------------------------------------------------------------------------------

bool is_world(std::string_view name) {
  constexpr std::string_view kWorld = "world";
  return std::equal(name.begin(), name.end(), kWorld.begin(), kWorld.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

// Decides what the root link does, and warns about links that look like the world but are not.
Base choose_base(const UrdfDocument& document, BaseChoice choice, Findings& findings) {
  std::unordered_set<std::string_view> carried;
  for (const UrdfJoint& joint : document.joints) carried.insert(joint.child);
  Base base = Base::kFree;
  for (const UrdfLink& link : document.links) {
    if (!is_world(link.name)) continue;
    if (carried.count(link.name)) {
      findings.warn(link.place, fmt::format("only a root link named 'world' stands for the world; "
                                            "here '{}' is a link like any other",
                                            link.name));
    } else if (choice == BaseChoice::kFree) {
      findings.error(link.place, fmt::format("the root link '{}' is the world and cannot float; "
                                             "rename it, or use a fixed base",
                                             link.name));
    } else {
      base = Base::kFixed;
    }
  }
  if (choice == BaseChoice::kAuto) return base;
  return choice == BaseChoice::kFixed ? Base::kFixed : Base::kFree;
}

// ---- all of it ----------------------------------------------------------------------------------

// Plain URDF for urdfdom, from a document that has been linted and read.
std::string print_clean(tinyxml2::XMLElement& robot) {
  tinyxml2::XMLPrinter printer(nullptr, true);
  robot.Accept(&printer);
  return printer.CStr();
}

model::ModelBuilder make_parts(const UrdfDocument& document, const urdf::ModelInterface& source,
                               Base base) {
  model::ModelBuilder builder(document.name);
  for (const UrdfLink& link : document.links)
    builder.add_link(make_link(*source.links_.at(link.name), link));
  for (const UrdfJoint& joint : document.joints)
    builder.add_joint(make_joint(*source.joints_.at(joint.name), joint));
  builder.attach_roots(base);
  return builder;
}

// A joint with nothing to move has no equation of motion. The link named is the outermost one.
void check_dynamics(const UrdfDocument& document, const model::Model& model, Findings& findings) {
  const model::BodyIndex body = dynamics::find_singular_body(model);
  if (!body.valid()) return;
  const auto link =
      std::find_if(document.links.begin(), document.links.end(),
                   [&](const UrdfLink& l) { return l.name == model.body_name[body]; });
  findings.error(
      link == document.links.end() ? document.place : link->place,
      fmt::format("the link '{}' and what hangs on it have no positive inertia that joint "
                  "'{}' could move; give it an <inertial> with mass and moments",
                  model.body_name[body], model.joint_name[body]));
}

// Checks, cleans and builds. Errors that end the reading are thrown, all others are in `findings`;
// the robot is of use only when there are none.
Robot read_urdf(std::string_view text, const std::string& file, const RobotOptions& options,
                Findings& findings) {
  Robot robot;
  text = check_xml_text(text, file);
  tinyxml2::XMLDocument xml;
  parse_xml(text, file, xml);
  tinyxml2::XMLElement& root = find_robot(xml, file);
  lint_urdf(root, file, findings);
  const UrdfDocument document = read_document(root, file, findings);
  check_tree(document, findings);
  const Base base = choose_base(document, options.base, findings);
  if (findings.error_count() > 0) return robot;

  const auto source = read_with_urdfdom(print_clean(root), document.place);
  robot.parts = make_parts(document, *source, base);
  robot.model = robot.parts.build();
  robot.is_free = base == Base::kFree;
  for (const Warning& warning : robot.model.warnings) findings.warn(warning.place, warning.what);
  check_dynamics(document, robot.model, findings);
  robot.geometry = make_geometry(document, *source, robot.model);
  find_meshes(file, options.package_paths, robot.geometry, findings);
  return robot;
}

template <class Text>
UrdfReport report(const Text& get_text, const std::string& file, const RobotOptions& options) {
  Findings findings;
  UrdfReport result;
  try {
    result.robot = read_urdf(get_text(), file, options, findings);
  } catch (const Error& error) {
    findings.error(error);
  }
  if (options.strict) findings.make_strict();
  findings.sort();
  if (findings.error_count() > 0) result.robot.reset();
  if (result.robot) result.robot->warnings = findings.warnings();
  result.errors = findings.errors();
  result.warnings = findings.warnings();
  return result;
}

// The robot of a report, or its first error thrown.
Robot take_robot(UrdfReport report) {
  if (report.robot) return std::move(*report.robot);
  Findings findings;
  for (Finding& error : report.errors)
    findings.error(std::move(error.place), std::move(error.what));
  findings.throw_if_any();
  throw Error("the robot could not be read");  // not reached: no robot means errors
}

}  // namespace

UrdfReport check_urdf(const std::string& path, const RobotOptions& options) {
  std::string text;
  const auto get_text = [&]() -> std::string_view { return text = read_text_file(path); };
  return report(get_text, path, options);
}

UrdfReport check_urdf_text(std::string_view text, const std::string& file,
                           const RobotOptions& options) {
  return report([&] { return text; }, file, options);
}

Robot load_urdf(const std::string& path, const RobotOptions& options) {
  return take_robot(check_urdf(path, options));
}

Robot parse_urdf(std::string_view text, const std::string& file, const RobotOptions& options) {
  return take_robot(check_urdf_text(text, file, options));
}

}  // namespace stance::io
