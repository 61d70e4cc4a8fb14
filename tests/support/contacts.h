#pragma once

// Random contact points, and Lambda and Omega by dense algebra to compare with.

#include <vector>

#include "stance/dynamics/contact_set.h"
#include "stance/dynamics/delassus.h"

#include "support/workbench.h"

namespace stance::test {

using Points = std::vector<dynamics::ContactPoint>;

inline dynamics::ContactPoint make_contact(kernel::Random& random, int body) {
  const Eigen::Vector3d p = make_vector(random, 3, 0.3);
  return {model::BodyIndex(body), kernel::Vec3d(p)};
}

// Points in no order; bodies come several times, above and below each other and in other trees.
inline Points make_contacts(kernel::Random& random, const model::Model& model, int count) {
  Points points;
  for (int n = 0; n < count; ++n) {
    const bool again = n > 0 && random.integer(3) == 0;
    const int body = again ? static_cast<int>(points[random.integer(n)].body)
                           : 1 + random.integer(model.nbody - 1);
    points.push_back(make_contact(random, body));
  }
  return points;
}

// M + diagonal.
inline Eigen::MatrixXd calc_mass(Workbench& w, const Eigen::VectorXd& diagonal) {
  Eigen::MatrixXd M = w.calc_mass_matrix();
  if (diagonal.size() > 0) M += diagonal.asDiagonal();
  return M;
}

// J M^-1 J^T with everything dense.
inline Eigen::MatrixXd calc_dense_lambda(Workbench& w, const Points& points,
                                         const Eigen::VectorXd& diagonal) {
  Eigen::MatrixXd J(3 * points.size(), w.model.nv);
  for (std::size_t p = 0; p < points.size(); ++p)
    J.middleRows<3>(3 * p) = w.calc_point_jacobian(points[p].body, points[p].p_BC);
  return J * solve_dense(calc_mass(w, diagonal), J.transpose());
}

// The library's answer by one of its methods.
struct DelassusBench {
  explicit DelassusBench(const model::Model& model)
      : contacts(model), delassus(model), direct(model) {}

  Eigen::MatrixXd calc_lambda(dynamics::DelassusMethod method, Workbench& w, const Points& points,
                              const Eigen::VectorXd& diagonal) {
    contacts.set(w.model, points);
    dynamics::update_points(w.model, w.kin, contacts, delassus);
    if (method == dynamics::DelassusMethod::kDirect) {
      dynamics::update_lambda_direct(w.model, w.kin, w.inertias, in(diagonal), contacts, direct,
                                     delassus);
    } else {
      dynamics::update_articulated(w.model, w.kin, w.inertias, in(diagonal), w.art);
      dynamics::update_lambda(method, w.model, w.kin, w.art, contacts, delassus);
    }
    const auto size = static_cast<Eigen::Index>(3 * points.size());
    return Eigen::Map<const Eigen::MatrixXd>(delassus.lambda().data(), size, size);
  }

  dynamics::ContactSet contacts;
  dynamics::Delassus<double> delassus;
  dynamics::DirectDelassus direct;
};

}  // namespace stance::test
