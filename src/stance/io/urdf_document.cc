#include "stance/io/urdf_document.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "stance/io/urdf_lint.h"
#include "stance/io/urdf_numbers.h"
#include "stance/kernel/names.h"

namespace stance::io {
namespace {

using tinyxml2::XMLElement;
using Colour = std::array<double, 4>;
using Palette = std::map<std::string, Colour>;

constexpr std::string_view kJointTypes[] = {"revolute", "continuous", "prismatic", "planar",
                                            "floating", "fixed",      "spherical"};

std::string text_of(const XMLElement& element, const char* attribute) {
  const char* text = element.Attribute(attribute);
  return text ? text : "";
}

double number_of(const XMLElement& element, const char* attribute) {
  std::string error;  // the lint has told about it
  return read_number(text_of(element, attribute), error);
}

void remove_child(XMLElement& element, const char* name) {
  if (XMLElement* child = element.FirstChildElement(name)) element.DeleteChild(child);
}

// ---- materials --------------------------------------------------------------------------------

bool read_colour(const XMLElement& material, Colour& colour) {
  const XMLElement* element = material.FirstChildElement("color");
  if (!element || !element->Attribute("rgba")) return false;
  const Reading reading = read_quantity(Quantity::kColour4, element->Attribute("rgba"));
  if (reading.error.empty()) colour = reading.value;
  return reading.error.empty();
}

// Colours by name: the robot's own materials, and those that a visual defines on the way.
Palette read_palette(const XMLElement& robot, const std::string& file, Findings& findings) {
  Palette palette;
  std::map<std::string, int> lines;
  for (const XMLElement* material = robot.FirstChildElement("material"); material;
       material = material->NextSiblingElement("material")) {
    const std::string name = text_of(*material, "name");
    const auto [it, fresh] = lines.emplace(name, material->GetLineNum());
    if (!fresh)
      findings.warn(place_of(*material, file),
                    fmt::format("two materials are named '{}' (the first is at line {}); the first "
                                "one counts",
                                name, it->second));
    Colour colour;
    if (fresh && read_colour(*material, colour)) palette.emplace(name, colour);
    if (fresh && material->FirstChildElement("texture")) palette.emplace(name, Colour{1, 1, 1, 1});
  }
  for (const XMLElement* link = robot.FirstChildElement("link"); link;
       link = link->NextSiblingElement("link"))
    for (const XMLElement* visual = link->FirstChildElement("visual"); visual;
         visual = visual->NextSiblingElement("visual")) {
      const XMLElement* material = visual->FirstChildElement("material");
      Colour colour;
      if (material && !text_of(*material, "name").empty() && read_colour(*material, colour))
        palette.emplace(text_of(*material, "name"), colour);
    }
  return palette;
}

void read_material(const XMLElement& material, const Palette& palette, const std::string& file,
                   Findings& findings, UrdfShape& shape) {
  shape.has_colour = read_colour(material, shape.colour);
  if (shape.has_colour || material.FirstChildElement("texture")) return;
  const std::string name = text_of(material, "name");
  const auto it = palette.find(name);
  if (it != palette.end()) {
    shape.has_colour = true;
    shape.colour = it->second;
  } else if (!name.empty()) {
    findings.warn(place_of(material, file),
                  fmt::format("no material is named '{}'; the shape is drawn in grey", name));
  }
}

// ---- links ------------------------------------------------------------------------------------

UrdfShape read_shape(XMLElement& element, const Palette& palette, const std::string& file,
                     Findings& findings) {
  UrdfShape shape;
  shape.name = text_of(element, "name");
  shape.place = place_of(element, file);
  if (XMLElement* geometry = element.FirstChildElement("geometry")) {
    XMLElement* form = geometry->FirstChildElement();
    if (!form)
      findings.error(place_of(*geometry, file),
                     "the geometry is empty; put a <box>, <cylinder>, "
                     "<sphere>, <capsule> or <mesh> in it");
    else if (form->NextSiblingElement())
      findings.error(place_of(*form->NextSiblingElement(), file),
                     "a <geometry> has one shape; write another <visual> or <collision> for this");
    else if (std::string_view(form->Name()) == "capsule") {
      shape.is_capsule = true;
      form->SetName("cylinder");
    }
  }
  if (const XMLElement* material = element.FirstChildElement("material"))
    read_material(*material, palette, file, findings, shape);
  remove_child(element, "material");
  return shape;
}

UrdfLink read_link(XMLElement& element, const Palette& palette, const std::string& file,
                   Findings& findings) {
  UrdfLink link{text_of(element, "name")};
  link.place = place_of(element, file);
  for (XMLElement* visual = element.FirstChildElement("visual"); visual;
       visual = visual->NextSiblingElement("visual"))
    link.visuals.push_back(read_shape(*visual, palette, file, findings));
  for (XMLElement* collision = element.FirstChildElement("collision"); collision;
       collision = collision->NextSiblingElement("collision"))
    link.collisions.push_back(read_shape(*collision, palette, file, findings));
  return link;
}

// ---- joints -----------------------------------------------------------------------------------

void check_position_limits(XMLElement& limit, const UrdfJoint& joint, const std::string& file,
                           Findings& findings) {
  const Place place = place_of(limit, file);
  const bool has_lower = limit.Attribute("lower"), has_upper = limit.Attribute("upper");
  if (joint.type != "revolute" && joint.type != "prismatic") {
    if (has_lower || has_upper)
      findings.warn(place, fmt::format("a {} joint has no position limits; lower and upper are "
                                       "passed over",
                                       joint.type));
    limit.DeleteAttribute("lower");
    limit.DeleteAttribute("upper");
    return;
  }
  const double lower = number_of(limit, "lower"), upper = number_of(limit, "upper");
  if (lower > upper)
    return findings.error(place, fmt::format("the lower limit {:.6g} is above the upper limit "
                                             "{:.6g}; swap them",
                                             lower, upper));
  if (lower == upper)
    findings.warn(place, fmt::format("lower and upper are both {:.6g}{}: the joint cannot move",
                                     lower, has_lower && has_upper ? "" : " (0 where not given)"));
  const double largest = std::max(std::abs(lower), std::abs(upper));
  if (joint.type == "revolute" && largest >= 30.0 && largest <= 720.0)
    findings.warn(place, fmt::format("a limit of {:.6g} rad looks like degrees; angles are in "
                                     "radians",
                                     largest));
}

void check_limit(XMLElement& element, const UrdfJoint& joint, const std::string& file,
                 Findings& findings) {
  XMLElement* limit = element.FirstChildElement("limit");
  if (!limit) {
    if (joint.type == "revolute" || joint.type == "prismatic")
      findings.error(joint.place,
                     fmt::format("a {} joint needs <limit lower=\"...\" upper=\"...\" "
                                 "effort=\"...\" velocity=\"...\"/>{}",
                                 joint.type,
                                 joint.type == "revolute"
                                     ? "; a hinge that turns without end is type=\"continuous\""
                                     : ""));
    return;
  }
  check_position_limits(*limit, joint, file, findings);
  for (const char* name : {"effort", "velocity"})
    if (limit->Attribute(name) && number_of(*limit, name) == 0.0)
      findings.warn(place_of(*limit, file),
                    fmt::format("the {} limit is 0 and is taken at its word; give the real one, or "
                                "a large number for none",
                                name));
}

// Joints that move along or about an axis need one with a length; fixed ones often have 0 0 0.
void check_axis(const XMLElement& element, const std::string& file, Findings& findings) {
  const XMLElement* axis = element.FirstChildElement("axis");
  if (!axis || !axis->Attribute("xyz")) return;
  const Reading reading = read_quantity(Quantity::kDirection3, axis->Attribute("xyz"));
  const auto& v = reading.value;
  if (reading.error.empty() && std::hypot(v[0], v[1], v[2]) < 1e-12)
    findings.error(place_of(*axis, file), "the axis has no length; give a direction such as 0 0 1");
}

void read_dynamics(XMLElement& element, UrdfJoint& joint) {
  XMLElement* dynamics = element.FirstChildElement("dynamics");
  if (!dynamics) return;
  joint.rotor_inertia = number_of(*dynamics, "rotor_inertia");
  dynamics->DeleteAttribute("rotor_inertia");
  // urdfdom takes an element with neither for an error
  if (!dynamics->Attribute("damping") && !dynamics->Attribute("friction"))
    element.DeleteChild(dynamics);
}

UrdfJoint read_joint(XMLElement& element, const std::string& file, Findings& findings) {
  UrdfJoint joint{text_of(element, "name"), text_of(element, "type"), {}, {}};
  joint.place = place_of(element, file);
  if (const XMLElement* parent = element.FirstChildElement("parent"))
    joint.parent = text_of(*parent, "link");
  if (const XMLElement* child = element.FirstChildElement("child"))
    joint.child = text_of(*child, "link");

  if (element.Attribute("type") && std::find(std::begin(kJointTypes), std::end(kJointTypes),
                                             joint.type) == std::end(kJointTypes)) {
    const std::string_view nearest =
        joint.type == "ball" ? "spherical" : kernel::find_nearest_name(joint.type, kJointTypes);
    findings.error(
        joint.place,
        fmt::format("the joint type \"{}\" is not known{}; there are {}", joint.type.substr(0, 80),
                    nearest.empty() ? std::string() : fmt::format(" (\"{}\"?)", nearest),
                    fmt::join(kJointTypes, ", ")));
    return joint;
  }

  const XMLElement* mimic = element.FirstChildElement("mimic");
  if (mimic) {
    joint.leader = text_of(*mimic, "joint");
    joint.mimic_place = place_of(*mimic, file);
  }
  if (joint.type == "fixed") {
    if (mimic)
      findings.warn(joint.mimic_place, "a fixed joint has nothing to mimic with; passed over");
    joint.leader.clear();
    for (const char* name : {"axis", "limit", "dynamics", "mimic"}) remove_child(element, name);
    return joint;
  }
  check_limit(element, joint, file, findings);
  read_dynamics(element, joint);
  if (joint.type == "spherical") element.SetAttribute("type", "floating");
  if (joint.type == "spherical" || joint.type == "floating")
    remove_child(element, "axis");
  else
    check_axis(element, file, findings);
  return joint;
}

}  // namespace

UrdfDocument read_document(XMLElement& robot, const std::string& file, Findings& findings) {
  UrdfDocument document;
  document.name = text_of(robot, "name");
  document.place = place_of(robot, file);
  const Palette palette = read_palette(robot, file, findings);
  while (robot.FirstChildElement("material")) remove_child(robot, "material");
  for (XMLElement* link = robot.FirstChildElement("link"); link;
       link = link->NextSiblingElement("link"))
    document.links.push_back(read_link(*link, palette, file, findings));
  for (XMLElement* joint = robot.FirstChildElement("joint"); joint;
       joint = joint->NextSiblingElement("joint"))
    document.joints.push_back(read_joint(*joint, file, findings));
  return document;
}

}  // namespace stance::io
