#pragma once

// Shapes and poses to contact points: the entry of the layer.

#include <memory>
#include <span>

#include "stance/collision/broad_phase.h"
#include "stance/collision/collision_model.h"
#include "stance/collision/contact_point.h"
#include "stance/collision/surface_pair.h"

namespace stance::collision {

// How far a body's points may move before anyone looks again: those at r from its origin by
// shift + turn r.
struct Reach {
  double shift = 0.0;  // m
  double turn = 0.0;   // rad
};

// Everything that can be recomputed. One per thread and model.
struct CollisionScratch {
  explicit CollisionScratch(const CollisionModel& model);

  std::vector<Mat3d> R_WG;    // poses of the geometries (ngeometry), by find_contacts; those of the
  std::vector<Vec3d> p_WG;    // world are set once
  std::vector<double> reach;  // of the geometries, m, by find_contacts
  std::vector<BroadPhase::Plane> planes;  // where the planes are, by find_contacts
  BroadPhase broad;
  std::unique_ptr<SurfaceContacts> surface;  // of the pair at hand
};

// Refreshes the poses of all geometries (R_WG, p_WG) from those of the bodies, without looking for
// contacts.
void update_poses(const CollisionModel& model, std::span<const Mat3d> R_WB,
                  std::span<const Vec3d> p_WB, CollisionScratch& scratch);

// Puts one geometry of a body where its body is said to be, for find_pair_contacts.
void set_pose(const CollisionModel& model, int geometry, const Mat3d& R_WB, const Vec3d& p_WB,
              CollisionScratch& scratch);

// Pairs that may meet and whose boxes, as far as both bodies reach, come nearer than margin; in the
// order of find_contacts, its first half. Pairs of moving planes are found, too.
const std::vector<GeometryPair>& find_pairs(const CollisionModel& model,
                                            std::span<const Mat3d> R_WB,
                                            std::span<const Vec3d> p_WB,
                                            std::span<const Reach> reach, double margin,
                                            CollisionScratch& scratch);

// Adds the contacts of one pair with gaps below `near`, by the poses in scratch.
void find_pair_contacts(const CollisionModel& model, GeometryPair pair, double near,
                        CollisionScratch& scratch, ContactBuffer& out);

// Every pair of features with a gap below margin (m, at least 0) and the reach of both bodies (by
// index; empty: none), in order of geometry_a, then geometry_b: the order depends on the poses
// alone, not on the past. Poses of bodies are by index; the world's (index 0) are not looked at.
// Contacts that do not fit are counted in out.dropped(). No heap is used, unless more pairs of
// bounding boxes overlap than ever before.
void find_contacts(const CollisionModel& model, std::span<const Mat3d> R_WB,
                   std::span<const Vec3d> p_WB, std::span<const Reach> reach, double margin,
                   CollisionScratch& scratch, ContactBuffer& out);
inline void find_contacts(const CollisionModel& model, std::span<const Mat3d> R_WB,
                          std::span<const Vec3d> p_WB, double margin, CollisionScratch& scratch,
                          ContactBuffer& out) {
  find_contacts(model, R_WB, p_WB, {}, margin, scratch, out);
}

}  // namespace stance::collision
