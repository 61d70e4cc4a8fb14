#include "stance/collision/height_field.h"

#include <algorithm>
#include <cmath>

#include "stance/kernel/error.h"

namespace stance::collision {

using kernel::cross;
using kernel::norm;

HeightField::HeightField(const HeightFieldSpec& spec, const std::string& who) : spec_(spec) {
  if (spec.columns < 2 || spec.rows < 2)
    throw Error(who + ": " + std::to_string(spec.columns) + " x " + std::to_string(spec.rows) +
                " samples; a height field needs at least 2 x 2");
  if (!(spec.spacing_x > 0.0) || !(spec.spacing_y > 0.0) || !std::isfinite(spec.spacing_x) ||
      !std::isfinite(spec.spacing_y))
    throw Error(who + ": the spacing of its samples must be a positive length");
  const std::size_t count = static_cast<std::size_t>(spec.columns) * spec.rows;
  if (spec.heights.size() != count)
    throw Error(who + ": " + std::to_string(spec.heights.size()) + " heights for " +
                std::to_string(count) + " samples; give one for each, row by row");
  for (double h : spec.heights)
    if (!std::isfinite(h)) throw Error(who + ": a height is not a finite number; fill the gap");
  const auto [low, high] = std::minmax_element(spec.heights.begin(), spec.heights.end());
  const double x = 0.5 * (spec.columns - 1) * spec.spacing_x;
  const double y = 0.5 * (spec.rows - 1) * spec.spacing_y;
  bounds_ = {Vec3d(-x, -y, *low), Vec3d(x, y, *high)};
}

int HeightField::cell(double x, double low, double spacing, int samples) {
  return static_cast<int>(std::clamp((x - low) / spacing, 0.0, samples - 2.0));
}

Vec3d HeightField::sample(int i, int j) const {
  return Vec3d(bounds_.low[0] + i * spec_.spacing_x, bounds_.low[1] + j * spec_.spacing_y,
               spec_.heights[static_cast<std::size_t>(j) * spec_.columns + i]);
}

bool HeightField::cell_meets(int i, int j, double low, double high) const {
  const std::size_t k = static_cast<std::size_t>(j) * spec_.columns + i;
  const auto& h = spec_.heights;
  const double a = h[k], b = h[k + 1], c = h[k + spec_.columns], d = h[k + spec_.columns + 1];
  return std::max({a, b, c, d}) >= low && std::min({a, b, c, d}) <= high;
}

bool HeightField::find_normal(int i, int j, int half, Vec3d& n) const {
  if (i < 0 || j < 0 || i > spec_.columns - 2 || j > spec_.rows - 2) return false;
  const Vec3d a = sample(i, j), c = sample(i + 1, j + 1);
  const Vec3d b = half == 0 ? sample(i + 1, j) : c, d = half == 0 ? c : sample(i, j + 1);
  n = cross(b - a, d - a);
  n = (1.0 / norm(n)) * n;
  return true;
}

SurfaceTriangle HeightField::make_triangle(int i, int j, int half) const {
  // lower: (i,j) (i+1,j) (i+1,j+1); upper: (i,j) (i+1,j+1) (i,j+1)
  SurfaceTriangle t{};
  const int di[2][3] = {{0, 1, 1}, {0, 1, 0}}, dj[2][3] = {{0, 0, 1}, {0, 1, 1}};
  for (int k = 0; k < 3; ++k) {
    t.v[k] = sample(i + di[half][k], j + dj[half][k]);
    t.vertex[k] = (j + dj[half][k]) * spec_.columns + i + di[half][k];
  }
  t.is_sheet = true;
  find_normal(i, j, half, t.n);
  t.index = 2 * (j * spec_.columns + i) + half;

  // beyond: lower: cell below, cell to the right, own upper; upper: own lower, cell above, to the
  // left
  const int ni[2][3] = {{i, i + 1, i}, {i, i, i - 1}}, nj[2][3] = {{j - 1, j, j}, {j, j + 1, j}};
  for (int k = 0; k < 3; ++k) {
    t.border[k] = !find_normal(ni[half][k], nj[half][k], 1 - half, t.beyond[k]);
    const int bend = t.border[k] ? 1 : find_bend(t.n, t.beyond[k], t.v[k], t.v[(k + 1) % 3]);
    t.active[k] = bend > 0, t.hollow[k] = bend < 0;
    // an edge is named by its first sample and its direction
    const int a = t.vertex[k], b = t.vertex[(k + 1) % 3], step = std::abs(a - b);
    t.edge[k] = 3 * std::min(a, b) + (step == 1 ? 0 : step == spec_.columns ? 1 : 2);
  }
  return t;
}

double HeightField::height(double x, double y) const {
  const int i = cell(x, bounds_.low[0], spec_.spacing_x, spec_.columns);
  const int j = cell(y, bounds_.low[1], spec_.spacing_y, spec_.rows);
  const double u = std::clamp((x - bounds_.low[0]) / spec_.spacing_x - i, 0.0, 1.0);
  const double v = std::clamp((y - bounds_.low[1]) / spec_.spacing_y - j, 0.0, 1.0);
  const double a = sample(i, j)[2], c = sample(i + 1, j + 1)[2];
  if (u >= v) {
    const double b = sample(i + 1, j)[2];
    return a + u * (b - a) + v * (c - b);
  }
  const double d = sample(i, j + 1)[2];
  return a + v * (d - a) + u * (c - d);
}

}  // namespace stance::collision
