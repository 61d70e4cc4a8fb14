#pragma once

// One normal for flat contacts whose faces are parallel but for noise.
//
// Two fingers press on one face of a beam, a cube lies on two others: each pair has a normal of its
// own, that of whichever face was found to part them best, and they differ by the microradians by
// which things that touch are tilted within the slop. Taken at their word they ask for velocities
// that no rigid motion has, and impulses wander in search of them (solver/README.md): of 10,000
// steps of a humanoid that is pulled at its beam 490 missed 1e-8 with them, 21 without. So flat
// contacts of one body that are parallel to within kParallel, and those of the bodies beyond, share
// one normal: that of a contact with the fixed world if there is such, else of the first. None is
// turned by more than kParallel, so a contact that slides at 1 m/s leaves its face by 1e-7 m in a
// step, which the gap of the next one sees.

#include <span>
#include <vector>

#include "stance/collision/contact_point.h"

namespace stance::contact {

class ParallelFaces {
 public:
  // rad: a face of 2 cm that lies in by twice a slop of 1e-6 m at one end is tilted by so much.
  static constexpr double kParallel = 1e-4;

  // Makes room, so that steps ask for none.
  void reserve(int bodies, int points);

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
