#pragma once

// All geometries of a scene, immutable after build().

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stance/collision/convex.h"
#include "stance/collision/height_field.h"
#include "stance/collision/mesh.h"
#include "stance/collision/pair_filter.h"
#include "stance/collision/polyhedron.h"
#include "stance/collision/shape.h"

namespace stance::collision {

inline constexpr int kMaxGeometries = 16384;

// Data of shapes that do not fit in a few numbers.
struct ShapeSet {
  std::vector<Polyhedron> polyhedra;       // hulls and the cores of boxes, capsules, spheres
  std::vector<TriangleMesh> meshes;        //
  std::vector<HeightField> height_fields;  //
};

// Bounding box of a geometry in its own frame.
struct LocalBounds {
  Vec3d center;     // in G
  Vec3d half;       // of the core, along the axes of G
  double rounding;  // added in every direction
};

// What every step reads of a geometry, close together.
struct Placement {
  Mat3d R_BG;
  Vec3d p_BG;
  LocalBounds bounds;  // unused for planes
  double extent;       // m, from the origin of the body to the farthest point; 0 for planes
  int geometry;
  int body;
  bool turned;  // R_BG is not the identity
};

struct CollisionModel {
  int nbody = 1;                           // bodies 0 .. nbody-1 have poses
  std::vector<Geometry> geometries;        //
  std::vector<Convex> convex;              // per geometry; unused for planes, meshes, height fields
  std::vector<Placement> placements;       // per geometry
  std::vector<ShapeKind> kind;             // per geometry
  std::vector<int> moving;                 // geometries of bodies other than the world
  std::vector<int> planes;                 // geometries
  std::vector<int> boxed;                  // geometries that are not planes
  PairFilter filter;                       //
  std::shared_ptr<const ShapeSet> shapes;  // convex holds pointers into it

  int size() const { return static_cast<int>(geometries.size()); }
};

// Collects geometries; every function throws stance::Error on input that makes no shape, naming the
// geometry and what to do.
class CollisionBuilder {
 public:
  // Shapes with data. The name is for messages.
  Shape make_hull(std::span<const Vec3d> points, const std::string& name);
  Shape make_mesh(std::span<const Vec3d> vertices, std::span<const Triangle> triangles,
                  const std::string& name);
  Shape make_height_field(const HeightFieldSpec& spec, const std::string& name);

  // Returns the index of the geometry.
  int add(Geometry geometry);
  const std::vector<Geometry>& geometries() const { return geometries_; }

  // Pairs that never meet. Bodies may be named before their geometries.
  void disable_geometries(int a, int b);
  void disable_bodies(int a, int b);
  // parent[i] is the body that body i hangs on; parents below 1 (world, none) are passed over, so
  // that a robot's base still meets the ground it is fixed to.
  void disable_parent_child(std::span<const int> parent);

  CollisionModel build() const;

 private:
  std::vector<Geometry> geometries_;
  std::vector<std::pair<int, int>> geometry_pairs_, body_pairs_;
  ShapeSet shapes_;
};

// A copy of the model without the pairs of moving bodies that touch (gap < margin) in these poses:
// what touches at rest is meant to. Only bodies of the same family, by number, are looked at; those
// below zero have none.
CollisionModel disable_touching(const CollisionModel& model, std::span<const Mat3d> R_WB,
                                std::span<const Vec3d> p_WB, double margin,
                                std::span<const int> family);

}  // namespace stance::collision
