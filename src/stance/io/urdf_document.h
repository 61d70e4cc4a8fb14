#pragma once

// What a robot description says beyond what urdfdom keeps: places in the file, the order of links
// and joints, colours, and our extensions (docs/urdf.md). The extensions are taken out of the
// document, so that urdfdom sees plain URDF.

#include <array>
#include <string>
#include <vector>

#include <tinyxml2.h>

#include "stance/io/findings.h"

namespace stance::io {

struct UrdfShape {
  std::string name;         // often empty
  bool is_capsule = false;  // urdfdom sees a cylinder
  bool has_colour = false;
  std::array<double, 4> colour = {0.7, 0.7, 0.7, 1.0};  // red, green, blue, alpha
  Place place = {};
};

struct UrdfLink {
  std::string name;
  std::vector<UrdfShape> visuals = {}, collisions = {};  // in the order of the file
  Place place = {};
};

struct UrdfJoint {
  std::string name, type, parent, child;
  std::string leader = {};     // joint that this one mimics; empty when none
  double rotor_inertia = 0.0;  // kg m^2 at the joint
  Place place = {}, mimic_place = {};
};

struct UrdfDocument {
  std::string name;
  std::vector<UrdfLink> links;  // in the order of the file
  std::vector<UrdfJoint> joints;
  Place place;  // of <robot>
};

// Reads and checks the links and joints of a linted robot (urdf_lint.h), and takes out of it what
// urdfdom does not know or would trip over.
UrdfDocument read_document(tinyxml2::XMLElement& robot, const std::string& file,
                           Findings& findings);

// Checks the names and the tree: every name once, every joint between two links that exist, one
// root, no loops, mimics that lead somewhere.
void check_tree(const UrdfDocument& document, Findings& findings);

}  // namespace stance::io
