#pragma once

// Whether a convex shape comes through a mesh or height field while it moves.
//
// Contacts of a surface (surface_pair.h) are made for rows: where a normal leans over a hollow
// edge, what lies over another triangle is left out, and a shape that flies over one slope has no
// row on the next. So advancement looks at triangles one by one, from either side and as if nothing
// were around them, by true distances: the shape never comes deeper into any than it may.

#include "stance/collision/impact.h"

namespace stance::collision {

inline bool is_surface(ShapeKind kind) {
  return kind == ShapeKind::kMesh || kind == ShapeKind::kHeightField;
}

// As find_impact; `points` are those of the triangles that are met, of these alone.
bool find_surface_impact(const CollisionModel& model, GeometryPair pair, const Flight& a,
                         const Flight& b, double slack, CollisionScratch& scratch,
                         ContactBuffer& points, double& time);

// Whether the shape's middle comes through a triangle on the straight way.
bool crosses_surface(const CollisionModel& model, GeometryPair pair, const Flight& a,
                     const Flight& b, CollisionScratch& scratch);

}  // namespace stance::collision
