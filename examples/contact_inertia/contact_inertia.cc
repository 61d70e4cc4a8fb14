// The inverse inertia at the sole corners of both feet: what one newton does there.
//
//   contact_inertia [--check] robot.urdf [RIGHT_FOOT LEFT_FOOT]
//
// With --check, all ways of computing it must agree.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "stance/dynamics.h"

using namespace stance;

namespace {

int run(const char* file, bool check, const char* right, const char* left) {
  const Robot loaded = load_robot(file);
  const model::Model& model = loaded.model;

  // four corners below each foot
  std::vector<dynamics::ContactPoint> points;
  for (const char* name : {right, left}) {
    const model::BodyIndex foot = model.find_body(name);
    if (!foot.valid() || foot == 0)
      throw Error(std::string("there is no moving link '") + name + "'");
    for (const double x : {-0.1, 0.13})
      for (const double y : {-0.06, 0.06}) points.push_back({foot, dynamics::Vec3d(x, y, -0.105)});
  }

  // the free pass, then Lambda
  const std::vector<double> q = model::make_neutral(model);
  dynamics::Kinematics<double> kin(model);
  dynamics::Inertias<double> inertias(model);
  dynamics::Articulated<double> art(model);
  dynamics::update_kinematics(model, std::span<const double>(q), kin);
  dynamics::update_inertias(model, kin, inertias);
  dynamics::update_articulated(model, kin, inertias, std::span<const double>(), art);

  dynamics::ContactSet contacts(model);
  dynamics::Delassus<double> delassus(model);
  contacts.set(model, points);
  dynamics::update_points(model, kin, contacts, delassus);
  dynamics::update_lambda(dynamics::DelassusMethod::kSkeleton, model, kin, art, contacts, delassus);

  const int n = 3 * contacts.num_points();
  const std::vector<double> lambda(delassus.lambda().begin(), delassus.lambda().end());
  const auto entry = [&](int i, int j) { return lambda[j * n + i]; };
  std::printf("acceleration for 1 N upwards at the first corner of the right foot:\n");
  std::printf("  there            %9.5f m/s^2 (as if it weighed %.3f kg)\n", entry(2, 2),
              1.0 / entry(2, 2));
  std::printf("  opposite corner  %9.5f m/s^2\n", entry(11, 2));
  std::printf("  left foot        %9.5f m/s^2\n", entry(14, 2));
  if (!check) return 0;

  double worst = 0.0, largest = 0.0;
  for (const dynamics::DelassusMethod method : dynamics::kDelassusMethods) {
    dynamics::DirectDelassus direct(model);
    if (method == dynamics::DelassusMethod::kDirect)
      dynamics::update_lambda_direct(model, kin, inertias, std::span<const double>(), contacts,
                                     direct, delassus);
    else
      dynamics::update_lambda(method, model, kin, art, contacts, delassus);
    for (int k = 0; k < n * n; ++k) {
      worst = std::max(worst, std::abs(delassus.lambda()[k] - lambda[k]));
      largest = std::max(largest, std::abs(lambda[k]));
    }
  }
  std::printf("five methods agree to %.1e of the largest entry\n", worst / largest);
  return worst < 1e-10 * largest ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc > 1 && std::strcmp(argv[1], "--check") == 0;
  const int first = check ? 2 : 1;
  if (argc != first + 1 && argc != first + 3) {
    std::fprintf(stderr, "usage: contact_inertia [--check] robot.urdf [RIGHT_FOOT LEFT_FOOT]\n");
    return 2;
  }
  try {
    const bool named = argc == first + 3;
    return run(argv[first], check, named ? argv[first + 1] : "right_foot",
               named ? argv[first + 2] : "left_foot");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
