// What is asked of the points of two flat faces is one rigid motion's.

#include "stance/contact/flat_contact.h"

#include <Eigen/QR>
#include <gtest/gtest.h>

namespace stance::contact {
namespace {

using collision::ContactPoint;
using kernel::Vec3d;

// Corners of a square above a level plane, with these gaps, midway between the surfaces.
std::vector<ContactPoint> make_corners(const std::vector<double>& gaps) {
  const double xs[] = {-0.05, 0.05, 0.05, -0.05}, ys[] = {-0.05, -0.05, 0.05, 0.05};
  std::vector<ContactPoint> points(gaps.size());
  for (std::size_t k = 0; k < gaps.size(); ++k) {
    points[k] = {};
    points[k].p_W = {xs[k], ys[k], 0.5 * gaps[k]};
    points[k].n_W = {0, 0, 1};
    points[k].gap = gaps[k];
  }
  return points;
}

// How far what may be closed is from an affine function of the place.
double find_misfit(std::span<const ContactPoint> points, std::span<const double> room) {
  const int n = static_cast<int>(points.size());
  Eigen::MatrixXd A(n, 3);
  Eigen::VectorXd b(n);
  for (int k = 0; k < n; ++k) {
    A.row(k) << 1.0, points[k].p_W[0], points[k].p_W[1];
    b[k] = room[k];
  }
  return (A * A.colPivHouseholderQr().solve(b) - b).norm();
}

// A cube tilted by all sorts of angles, some corners in, some out: impulses of all four can act.
TEST(FlatContact, AsksForARigidMotion) {
  const double band = 1e-6;
  for (int i = -8; i <= 8; ++i)
    for (int j = -8; j <= 8; ++j)
      for (const double lowest : {-1.5e-6, -1e-9, 0.0, 4e-7, 3e-6}) {
        const double a = 4e-7 * i, b = 3e-7 * j;  // rise of a side
        std::vector<double> gaps = {0.0, a, a + b, b};
        const double least = *std::min_element(gaps.begin(), gaps.end());
        for (double& gap : gaps) gap += lowest - least;
        std::vector<ContactPoint> points = make_corners(gaps);
        ParallelFaces faces;
        std::vector<Room> room;
        prepare_flat_contacts(band, points, faces, room);
        std::vector<double> alone, linked;
        for (std::size_t k = 0; k < points.size(); ++k) {
          alone.push_back(room[k].alone), linked.push_back(room[k].linked);
          EXPECT_NEAR(points[k].p_W[2], points[0].p_W[2], 1e-20);  // one level
          // never deeper than the lowest is already, or the surface
          EXPECT_GE(room[k].alone, 0.0);
          EXPECT_LE(room[k].alone, gaps[k] - std::min(lowest, 0.0) + 1e-20);
          EXPECT_GE(room[k].linked, 0.0);
          EXPECT_LE(room[k].linked, gaps[k] - std::min(lowest, 0.0) + band);
        }
        EXPECT_LT(find_misfit(points, alone), 1e-15);
        EXPECT_LT(find_misfit(points, linked), 2e-15) << i << " " << j << " " << lowest;
      }
}

// Two points of a face side by side, a little apart in height, and one that is deep: the others may
// close their own gap and a few bands, not the metres that a plane through the two would leave.
TEST(FlatContact, NoPointIsGivenRoomToFallThrough) {
  const double band = 1e-6;
  for (const double apart : {1e-12, 1e-9, 1e-6, 1e-3, 2e-2})
    for (const double depth : {0.0, 1e-7, 5e-4}) {
      std::vector<ContactPoint> points = make_corners({-depth, 0.9e-6, 1e-4, 2e-4});
      points[1].p_W = points[0].p_W + Vec3d(apart, apart, 0.0);
      ParallelFaces faces;
      std::vector<Room> room;
      prepare_flat_contacts(band, points, faces, room);
      for (std::size_t k = 0; k < points.size(); ++k) {
        EXPECT_LE(room[k].linked, points[k].gap + depth + 20 * band) << apart;
        EXPECT_LE(room[k].linked, std::max(points[k].gap, 0.0) + 20 * band) << apart;
        EXPECT_LE(room[k].alone, std::max(points[k].gap, 0.0) + 20 * band) << apart;
      }
    }
}

TEST(FlatContact, ClosedOnesAskForNothing) {
  std::vector<ContactPoint> points = make_corners({-1e-7, 2e-7, 6e-7, 3e-7});
  ParallelFaces faces;
  std::vector<Room> room;
  prepare_flat_contacts(1e-6, points, faces, room);
  for (const Room& each : room) EXPECT_EQ(each.linked, 0.0);
}

// Points of other faces, with their own normals, are left where they are.
TEST(FlatContact, LeavesOtherFacesAlone) {
  std::vector<ContactPoint> points = make_corners({0.0, 1e-4, 2e-4, 1e-4});
  points[2].n_W = {0.6, 0.0, 0.8};
  const Vec3d before = points[2].p_W;
  ParallelFaces faces;
  std::vector<Room> room;
  prepare_flat_contacts(1e-6, points, faces, room);
  EXPECT_EQ(norm(points[2].p_W - before), 0.0);
  EXPECT_EQ(room[2].alone, 2e-4);
}

// The band is a matter of time steps: it vanishes faster than what gravity closes in one.
TEST(FlatContact, BandShrinksWithTheStep) {
  EXPECT_DOUBLE_EQ(calc_band(1e-6, 1e-2), 1e-6);
  EXPECT_DOUBLE_EQ(calc_band(1e-6, 1e-4), 1e-8);
}

// Four corners of a face of geometry `geometry`, of body `body` on body 1, tilted by an angle.
void add_face(int geometry, int body, double tilt, std::vector<ContactPoint>& points) {
  for (ContactPoint point : make_corners({0.0, 0.0, 0.0, 0.0})) {
    point.n_W = {std::sin(tilt), 0.0, std::cos(tilt)};
    point.p_W.set(2, -std::tan(tilt) * point.p_W[0]);
    point.geometry_a = 1, point.geometry_b = geometry;
    point.body_a = 1, point.body_b = body;
    points.push_back(point);
  }
}

// A beam on two fingers that are tilted against each other by a microradian: all normals are one,
// and the points of each finger are on one level across it. What is tilted more keeps its own.
TEST(FlatContact, FacesThatAreParallelShareANormal) {
  std::vector<ContactPoint> points;
  add_face(2, 2, 0.0, points);
  add_face(3, 3, 6e-6, points);
  add_face(4, 4, 1e-3, points);
  ParallelFaces faces;
  std::vector<Room> room;
  for (int step = 0; step < 2; ++step) {  // what a step leaves behind does not matter
    std::vector<ContactPoint> now = points;
    prepare_flat_contacts(1e-6, now, faces, room);
    for (int k = 0; k < 8; ++k) {
      EXPECT_EQ(norm(now[k].n_W - Vec3d(0, 0, 1)), 0.0);
      EXPECT_NEAR(now[k].p_W[2], now[k < 4 ? 0 : 4].p_W[2], 1e-20);
      EXPECT_LT(norm(now[k].p_W - points[k].p_W), 1e-6);
    }
    for (int k = 8; k < 12; ++k) EXPECT_EQ(norm(now[k].n_W - points[k].n_W), 0.0);
  }
}

// The fixed world's normal comes first, through the bodies between.
TEST(FlatContact, TheWorldsNormalComesFirst) {
  std::vector<ContactPoint> points;
  add_face(2, 2, 5e-6, points);
  add_face(3, 0, 0.0, points);
  ParallelFaces faces;
  std::vector<Room> room;
  prepare_flat_contacts(1e-6, points, faces, room);
  for (const ContactPoint& point : points) EXPECT_EQ(norm(point.n_W - Vec3d(0, 0, 1)), 0.0);
}

}  // namespace
}  // namespace stance::contact
