#pragma once

// Ground given by heights on a grid. Each cell is two triangles, parted by the diagonal from its
// lower left to its upper right corner. It is a sheet: what comes from below is stopped, too.

#include <string>
#include <vector>

#include "stance/collision/mesh.h"

namespace stance::collision {

struct HeightFieldSpec {
  int columns = 0, rows = 0;      // samples along x and y, at least 2
  double spacing_x = 0.0;         // m between samples
  double spacing_y = 0.0;         //
  std::vector<double> heights{};  // z of sample (column, row) at row * columns + column, m
};

// Centred on the origin in x and y.
class HeightField {
 public:
  HeightField(const HeightFieldSpec& spec, const std::string& who);

  const Box& bounds() const { return bounds_; }
  // Height of the surface at x, y; clamped to the border outside.
  double height(double x, double y) const;

  // Calls visit(const SurfaceTriangle&) for every triangle of the cells that meet the box.
  template <class Visit>
  void for_each(const Box& box, Visit&& visit) const {
    if (!TriangleMesh::overlap(box, bounds_)) return;
    const int i0 = cell(box.low[0], bounds_.low[0], spec_.spacing_x, spec_.columns);
    const int i1 = cell(box.high[0], bounds_.low[0], spec_.spacing_x, spec_.columns);
    const int j0 = cell(box.low[1], bounds_.low[1], spec_.spacing_y, spec_.rows);
    const int j1 = cell(box.high[1], bounds_.low[1], spec_.spacing_y, spec_.rows);
    for (int j = j0; j <= j1; ++j)
      for (int i = i0; i <= i1; ++i) {
        if (!cell_meets(i, j, box.low[2], box.high[2])) continue;
        visit(make_triangle(i, j, 0));
        visit(make_triangle(i, j, 1));
      }
  }

 private:
  static int cell(double x, double low, double spacing, int samples);
  Vec3d sample(int i, int j) const;
  bool cell_meets(int i, int j, double low, double high) const;
  // Normal of the lower (0) or upper (1) triangle of a cell; false outside the grid.
  bool find_normal(int i, int j, int half, Vec3d& n) const;
  SurfaceTriangle make_triangle(int i, int j, int half) const;

  HeightFieldSpec spec_;
  Box bounds_;
};

}  // namespace stance::collision
