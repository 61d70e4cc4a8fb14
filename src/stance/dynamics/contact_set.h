#pragma once

// Points fixed to bodies of the forest, and the part of the tree that matters to them.
//
// The skeleton keeps, of every tree, the contacting bodies and the bodies where the paths from
// them to the root meet; everything in between is a path between two nodes of the skeleton.

#include <span>
#include <vector>

#include "stance/kernel/vec3.h"
#include "stance/model/model.h"

namespace stance::dynamics {

struct ContactPoint {
  model::BodyIndex body;
  kernel::Vec3d p_BC;  // in the body frame, m
};

class ContactSet {
 public:
  explicit ContactSet(const model::Model& model);

  // Takes over a new set of points; points on the world are refused. Allocates only when there are
  // more points than ever before.
  void set(const model::Model& model, std::span<const ContactPoint> points);

  struct Node {
    int body = 0;
    int parent = -1;   // node above in the skeleton; -1 for the highest of its tree
    int contact = -1;  // number of the contacting body, -1 for a mere meeting of paths
    int first = 0;     // the first node of the same tree
    int below = 0;     // how many nodes hang below it
    int top = 0;       // body where the path above it ends: the node above, a floating base, or 0
    int path_begin = 0, path_end = 0;  // coordinates of that path in path(), tip first
  };

  std::span<const ContactPoint> points() const { return points_; }
  int num_points() const { return static_cast<int>(points_.size()); }
  int num_bodies() const { return static_cast<int>(bodies_.size()); }
  const std::vector<int>& bodies() const { return bodies_; }      // contacting, ascending
  const std::vector<int>& body_of() const { return body_of_; }    // per point: index in bodies()
  const std::vector<int>& by_body() const { return by_body_; }    // points sorted by body
  const std::vector<int>& first_of() const { return first_of_; }  // per body: start in by_body()
  const std::vector<Node>& nodes() const { return nodes_; }       // parents before children
  const std::vector<int>& node_of() const { return node_of_; }    // per contacting body

  // Coordinates of the paths above the nodes, one path after another.
  const std::vector<int>& path() const { return path_; }

  // Bodies on the paths from contacting bodies to their roots, parents before children.
  const std::vector<int>& visited() const { return visited_; }

 private:
  std::vector<ContactPoint> points_;
  std::vector<int> bodies_, body_of_, by_body_, first_of_, node_of_, visited_, path_;
  std::vector<Node> nodes_;
  std::vector<int> mark_;  // by body: how many visited children; -1 if not visited
  std::vector<int> slot_;  // by body: contacting number, then node number
};

}  // namespace stance::dynamics
