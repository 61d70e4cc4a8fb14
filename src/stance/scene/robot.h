#pragma once

// A robot as read from a file: what moves (the Model), what is seen and touched (geometry), and
// what was odd about the file.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "stance/kernel/error.h"
#include "stance/model/builder.h"
#include "stance/model/model.h"

namespace stance::scene {

// Whether a robot's root link floats or is fixed.
enum class BaseChoice {
  kAuto,   // fixed when the root link is named "world", else free
  kFree,   // the root link floats: six more velocities
  kFixed,  // the root link is bolted to the world
};

// Triangles of a file, or just their corners.
struct Mesh {
  std::vector<Eigen::Vector3d> vertices;      // m, in the frame of the shape, scaled
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside
};

enum class ShapeRole { kVisual, kCollision };
enum class ShapeKind { kBox, kSphere, kCylinder, kCapsule, kMesh };

// One shape, fixed to a body. G is the frame of the shape: boxes and spheres have it in the middle,
// cylinders and capsules too, with their axis along z.
struct Geometry {
  ShapeRole role = ShapeRole::kVisual;
  ShapeKind kind = ShapeKind::kBox;
  std::string link;       // link that it belongs to, merged or not
  std::string name;       // as the file gives it; often empty
  model::BodyIndex body;  // body that carries it; 0 when fixed to the world
  model::Mat3d R_BG = model::Mat3d::identity();
  model::Vec3d p_BG;  // m

  model::Vec3d size;                     // box: full edges, m
  double radius = 0.0;                   // sphere, cylinder, capsule, m
  double length = 0.0;                   // cylinder; capsule: between the centres of its ends, m
  std::string mesh_uri;                  // mesh: as written in the file
  std::string mesh_path;                 // mesh: the file found; empty when missing
  std::shared_ptr<const Mesh> mesh;      // of it, once read (io/robot_reader.h)
  model::Vec3d scale = {1.0, 1.0, 1.0};  // mesh

  bool has_colour = false;                              // else `colour` is grey
  std::array<double, 4> colour = {0.7, 0.7, 0.7, 1.0};  // red, green, blue, alpha, 0 to 1
  Place place;
};

// A robot as it was read: its model, shapes and warnings.
struct Robot {
  model::Model model;
  model::ModelBuilder parts{""};   // links and joints that the model was built from, base included
  bool is_free = true;             // the base floats
  std::vector<Geometry> geometry;  // by link, in the order of the file
  std::vector<Warning> warnings;   // by line; the model's own among them
};

}  // namespace stance::scene
