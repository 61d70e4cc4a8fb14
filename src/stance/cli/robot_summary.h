#pragma once

// What `stance info` and `stance check` tell about a robot, apart from how they show it.

#include <string>
#include <vector>

#include <Eigen/Core>

#include "stance/io/urdf.h"

namespace stance::cli {

// A mesh file that the robot names, once however many shapes use it.
struct MeshSummary {
  std::string uri;   // as written in the description
  std::string path;  // the file; empty when missing
  int triangles = 0;
  std::string problem;  // why the file cannot be used; empty when it can, or when it is missing
  Place place;          // first use
};

struct RobotSummary {
  bool free_base = false;                         // some tree floats
  int joints = 0;                                 // moving joints, a floating base not counted
  int bodies = 0;                                 // moving bodies
  double mass = 0.0;                              // of the moving bodies, kg
  double fixed_mass = 0.0;                        // of what is fixed to the world, kg
  Eigen::Vector3d com = Eigen::Vector3d::Zero();  // of the moving bodies at the neutral pose, in
                                                  // the root link's frame (the world's there), m
  std::vector<std::vector<std::string>> merged;   // by body: links that fixed joints added to it
  std::vector<MeshSummary> meshes;
};

// Reads every mesh file, to count its triangles and to find those that cannot be read.
RobotSummary summarize(const io::Robot& robot);

// Whether the joint of a body is one that the description has, rather than a floating base.
bool is_base(const model::Model& model, int body);

// "revolute", ...; "continuous" for a revolute joint without limits.
std::string joint_type_text(const model::Model& model, int body);

// "z", "-x", "(0.6 0.8 0)"; empty where the joint has no axis.
std::string axis_text(const model::Model& model, int body);

// A finding as one line: file:line: element: error: sentence.
std::string finding_text(const Warning& finding, const char* severity);

}  // namespace stance::cli
