// The same mechanics from other hands: mass matrix, bias and accelerations of MuJoCo and DART,
// each in a process of its own (bench/peers).

#include <gtest/gtest.h>

#include "peer_model.h"
#include "peers/peer_client.h"
#include "support/contacts.h"
#include "support/robots.h"
#include "support/workbench.h"

namespace stance::dynamics {
namespace {

using bench::PeerEval;
using bench::PeerProcess;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::relative_error;
using test::Workbench;

constexpr double kAgreement = 1e-8;  // what the project promises, of the largest entry

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<double> to_std(const VectorXd& x) { return {x.data(), x.data() + x.size()}; }
VectorXd to_eigen(const std::vector<double>& x) {
  return Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

struct PeerCase {
  const char* name;
  const char* executable;      // empty when it was not built
  bool has_inner_free_joints;  // free joints below other bodies
  bool has_rotors;             // in Lambda too, not only in the mass matrix
};

void PrintTo(const PeerCase& peer, std::ostream* os) { *os << peer.name; }

class Peer : public testing::TestWithParam<PeerCase> {
 protected:
  void SetUp() override {
    if (GetParam().executable[0] == '\0')
      GTEST_SKIP() << "built without the peer " << GetParam().name;
  }

  // Whether the peer has all joints of the model.
  bool can_take(const Model& model) const {
    for (int i = 1; i < model.nbody; ++i) {
      if (model.joint_type[i] == model::JointType::kPlanar) return false;
      if (model.joint_type[i] == model::JointType::kFree && model.parent[i] != 0 &&
          !GetParam().has_inner_free_joints)
        return false;
    }
    return true;
  }

  void start(const Model& model, const Vec3d& gravity) {
    ASSERT_TRUE(process_.start(GetParam().executable,
                               bench::write_model(bench::make_peer_model(model, gravity))))
        << process_.error();
  }

  void expect_agreement(const Model& model, std::uint64_t seed) {
    SCOPED_TRACE(model.name + ", state " + std::to_string(seed));
    Workbench w = test::make_workbench(model, seed);
    kernel::Random random(4200 + seed);
    const VectorXd tau = test::make_vector(random, model.nv, 10.0);
    const auto peer = process_.eval(to_std(w.q), to_std(w.v), to_std(tau));
    ASSERT_TRUE(peer.has_value()) << process_.error();
    const MatrixXd M = Eigen::Map<const RowMajor>(peer->M.data(), model.nv, model.nv);
    EXPECT_LT(relative_error(w.calc_mass_matrix(), M), kAgreement) << "mass matrix";
    EXPECT_LT(relative_error(w.calc_bias(), to_eigen(peer->bias)), kAgreement) << "bias";
    EXPECT_LT(relative_error(w.calc_forward(tau), to_eigen(peer->vdot)), kAgreement)
        << "accelerations";
  }

  void expect_same_lambda(Model model, std::uint64_t seed) {
    SCOPED_TRACE(model.name + ", contacts " + std::to_string(seed));
    if (!GetParam().has_rotors) model.rotor_inertia.assign(model.nv, 0.0);
    Workbench w = test::make_workbench(model, seed);
    kernel::Random random(4300 + seed);
    const test::Points points = test::make_contacts(random, model, 4);
    ASSERT_TRUE(process_.set(to_std(w.q), to_std(w.v), to_std(VectorXd::Zero(model.nv))));
    ASSERT_TRUE(process_.set_contacts(bench::make_peer_contacts(points))) << process_.error();
    const auto peer = process_.lambda();
    ASSERT_TRUE(peer.has_value()) << process_.error();
    test::DelassusBench bench(model);
    const MatrixXd lambda = bench.calc_lambda(DelassusMethod::kSkeleton, w, points, VectorXd());
    EXPECT_LT(relative_error(lambda, MatrixXd(Eigen::Map<const RowMajor>(peer->data(), 12, 12))),
              kAgreement);
  }

  PeerProcess process_;
};

TEST_P(Peer, AgreesOnTheHumanoid) {
  const auto model = test::find_robot("humanoid");
  if (!model) GTEST_SKIP() << "built without the URDF reader";
  start(*model, test::kTiltedGravity);
  for (int seed = 0; seed < 5; ++seed) {
    expect_agreement(*model, seed);
    expect_same_lambda(*model, seed);
  }
}

TEST_P(Peer, AgreesOnRandomForests) {
  int taken = 0;
  for (int seed = 0; seed < 40; ++seed) {
    const Model model = test::make_forest(seed, {.only_peer_joints = true});
    if (!can_take(model)) continue;
    ++taken;
    start(model, test::kTiltedGravity);
    expect_agreement(model, seed);
    expect_same_lambda(model, seed);
    process_.stop();
  }
  EXPECT_GE(taken, 10);
}

INSTANTIATE_TEST_SUITE_P(Peers, Peer,
                         testing::Values(PeerCase{"mujoco", STANCE_PEER_MUJOCO, false, true},
                                         PeerCase{"dart", STANCE_PEER_DART, true, false}),
                         [](const auto& peer) { return std::string(peer.param.name); });

}  // namespace
}  // namespace stance::dynamics
