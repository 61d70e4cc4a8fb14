#pragma once

// Static triangle meshes, counter-clockwise seen from outside. Pieces that close are the surface of
// something solid. Those with borders are sheets, which stop what comes from behind, too.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "stance/kernel/vec3.h"

namespace stance::collision {

using kernel::Vec3d;

using Triangle = std::array<int, 3>;  // indices of vertices

// A triangle with what its surroundings add: beyond each edge another surface goes on.
struct SurfaceTriangle {
  Vec3d v[3];
  Vec3d n;          // unit
  Vec3d beyond[3];  // normal of the triangle beyond edge k (v[k] to v[k+1]); where there is one
  bool active[3];   // the edge juts out (convex) or is a border: normals may lean over it
  bool hollow[3];   // it juts out on the back
  bool border[3];   // nothing beyond
  bool is_sheet;    // of a piece with borders: its back is a surface, too
  int vertex[3], edge[3], index;  // names
};

struct Box {
  Vec3d low, high;
};

// The same triangle as a surface seen from its back.
SurfaceTriangle turn_over(const SurfaceTriangle& t);

// Which way an edge from a to b bends between triangles with these normals, the first on its left:
// 1 where it juts out, -1 where it is hollow, 0 where it is flat.
int find_bend(const Vec3d& n, const Vec3d& beyond, const Vec3d& a, const Vec3d& b);

class TriangleMesh {
 public:
  // Throws stance::Error naming `who`. Triangles without area are left out; vertices at the same
  // place are joined, so that a soup of triangles has edges too.
  TriangleMesh(std::span<const Vec3d> vertices, std::span<const Triangle> triangles,
               const std::string& who);

  const Box& bounds() const { return nodes_[0].box; }
  int size() const { return static_cast<int>(surface_.size()); }
  const std::vector<SurfaceTriangle>& triangles() const { return surface_; }

  // Calls visit(const SurfaceTriangle&) for every triangle whose box meets the given one.
  template <class Visit>
  void for_each(const Box& box, Visit&& visit) const {
    for_each_if([&](const Box& b) { return overlap(b, box); }, visit);
  }
  // The same for any test of boxes; tree order, so always the same.
  template <class Test, class Visit>
  void for_each_if(Test&& test, Visit&& visit) const {
    int stack[64], top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const Node& node = nodes_[stack[--top]];
      if (!test(node.box)) continue;
      if (node.count > 0) {
        for (int k = node.first; k < node.first + node.count; ++k)
          if (test(boxes_[k])) visit(surface_[k]);
      } else {
        stack[top++] = node.first + 1;
        stack[top++] = node.first;
      }
    }
  }

  static bool overlap(const Box& a, const Box& b) {
    const kernel::Long4 apart = (a.low.e > b.high.e) | (a.high.e < b.low.e);
    return !(apart[0] | apart[1] | apart[2]);
  }

 private:
  struct Node {
    Box box;
    int first;  // first triangle of a leaf, or the first of two neighbouring children
    int count;  // triangles of a leaf; 0 otherwise
  };

  void find_sheets();
  void split(int node, int first, int count);

  std::vector<SurfaceTriangle> surface_;  // in tree order
  std::vector<Box> boxes_;                // of each
  std::vector<Node> nodes_;
};

}  // namespace stance::collision
