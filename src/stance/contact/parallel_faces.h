#pragma once

// One normal for flat contacts whose faces are parallel but for noise.
//
// Two fingers press on one face of a beam, a cube lies on two others: each pair has a normal of its
// own, that of whichever face was found flatter, and they differ by the microradians by which things
// that touch are tilted within the slop. Taken at their word, they ask for velocities that no rigid
// motion has, and impulses wander in search of them (solver/README.md). So flat contacts of one body
// that are parallel to within kParallel, and those of their bodies in turn, share the normal of one
// of them: of one with the fixed world if there is such, else of the first. Nothing is turned by
// more than kParallel: a slop over a tenth of a metre... (see parallel_faces.cc)

#include <span>
#include <vector>

#include "stance/collision/contact_point.h"

namespace stance::contact {

class ParallelFaces {
 public:
  // rad: two faces of 2 cm whose gaps differ by twice a slop of 1e-6 m are tilted by so much.
  static constexpr double kParallel = 1e-4;

  // Begins a step. Memory is kept.
  void clear() { faces_.clear(), links_.clear(); }

  // Points first .. end - 1 touch two flat faces and have one normal.
  void add(std::span<const collision::ContactPoint> points, int first, int end);

  // Turns the points of faces to the normal that they share, all on the level that they were on.
  void turn(std::span<collision::ContactPoint> points);

 private:
  struct Face {
    int first, end;  // its points
    int root;        // a face that it shares its normal with, itself where it is the first
    bool is_fixed;   // one of the two is the world
    kernel::Vec3d n;
  };
  struct Link {
    int face, next;  // the next of the same body, -1 at the end
  };

  int find_root(int face);
  void join(int a, int b);
  void link(int body, int face);

  std::vector<Face> faces_;
  std::vector<Link> links_;
  std::vector<int> last_;  // by body: its last link
};

}  // namespace stance::contact
