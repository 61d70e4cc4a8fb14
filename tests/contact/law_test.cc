// One flag for all laws, and the faceted one. Rows A4, A5, S1.

#include "stance/contact/lcp.h"
#include "stance/io/contact_law.h"

#include "contact/penalty_scenes.h"

namespace stance {
namespace {

using namespace test;

constexpr ContactLaw kLaws[] = {ContactLaw::kExact,          ContactLaw::kLcp,
                                ContactLaw::kPenaltyFbl,     ContactLaw::kPenaltyLinear,
                                ContactLaw::kPenaltyClipped, ContactLaw::kPenaltyHuntCrossley};

TEST(ContactLaws, HaveNames) {
  EXPECT_EQ(contact::contact_law_names().size(), std::size(kLaws));
  for (const ContactLaw law : kLaws)
    EXPECT_EQ(contact::find_contact_law(contact::contact_law_name(law)), law);
  EXPECT_EQ(io::parse_contact_law("penalty_fbl"), ContactLaw::kPenaltyFbl);
  EXPECT_FALSE(contact::find_contact_law("soft"));
}

TEST(ContactLaws, MisspeltNamesAreGuessed) {
  try {
    (void)io::parse_contact_law("penalty_lineal", {"scene.yaml", 7});
    FAIL();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("scene.yaml:7"), std::string::npos) << what;
    EXPECT_NE(what.find("did you mean 'penalty_linear'?"), std::string::npos) << what;
    EXPECT_NE(what.find("penalty_hunt_crossley"), std::string::npos) << what;
  }
}

// The same scene under every law: the ball comes to rest within what its law lets it sink in.
TEST(ContactLaws, EveryOneCarriesABall) {
  for (const ContactLaw law : kLaws) {
    ContactOptions options;
    options.law = law;
    options.penalty.hunt_damping = 10.0;
    Simulation s(make_ball(options, 0.05, 0.0));
    s.run(3.0, 1e-3);
    EXPECT_LT(std::abs(s.position()[2] - kRadius), 6e-4) << contact::contact_law_name(law);
    EXPECT_LT(std::abs(s.velocity()[2]), 0.02) << contact::contact_law_name(law);
    EXPECT_EQ(s.unconverged, 0);
    // the sum of all impulses carried the weight: momentum
    EXPECT_GT(s.report.contact.points, 0) << contact::contact_law_name(law);
  }
}

// Rows A5, S1: pyramids turn friction towards their corners; graded against the cone, the distance
// says so and falls with the number of facets, while the pyramids' own problem is solved.
TEST(ContactLaws, FacetsShowInTheDistanceFromTheExactLaw) {
  const auto slide = [](ContactLaw law, int facets, double& distance) {
    ContactOptions options;
    options.law = law;
    options.facets = facets;
    sim::Scene scene = make_ball(options, 0.0, 0.0);
    contact::Material material = scene.world.materials[0];
    material.friction = 0.3;
    scene.world.materials.set(0, material);
    const double angle = 25 * kDegree;
    scene.start.v[3] = 2.0 * std::cos(angle), scene.start.v[4] = 2.0 * std::sin(angle);
    Simulation s(std::move(scene));
    distance = 0.0;
    s.run(0.05, 1e-3, [&] {
      distance = std::max(distance, s.report.contact.distance);
      EXPECT_LT(s.report.contact.residual, 1e-8);
      if (law == ContactLaw::kExact) {
        EXPECT_EQ(s.report.contact.residual, s.report.contact.distance);
      }
    });
    EXPECT_EQ(s.unconverged, 0);
    return std::atan2(s.velocity()[1], s.velocity()[0]) / kDegree;
  };
  double exact, coarse, fine;
  EXPECT_NEAR(slide(ContactLaw::kExact, 0, exact), 25.0, 1e-9);
  EXPECT_GT(slide(ContactLaw::kLcp, 4, coarse), 26.5);  // pushed back along x only
  EXPECT_NEAR(slide(ContactLaw::kLcp, 64, fine), 25.0, 0.2);
  EXPECT_LT(exact, 1e-8);
  EXPECT_GT(coarse, 1e-4);
  EXPECT_LT(fine, 0.2 * coarse);
}

// Joint limits and dry friction of joints stay exact beside every contact law: a sled without
// friction at its foot is braked by 2 N in its joint, or stops dead at a limit.
TEST(ContactLaws, JointRowsStayExact) {
  for (const ContactLaw law : kLaws) {
    ContactOptions options;
    options.law = law;
    options.penalty.hunt_damping = 50.0;
    Simulation braked(make_sled(options, 0.0, 0.0, 1.0, 0.0, 1.0, 2.0));
    braked.run(0.3, 1e-3);
    EXPECT_NEAR(braked.state.v[0], 1.0 - 2.0 * 0.3, 1e-9) << contact::contact_law_name(law);
    braked.run(0.4, 1e-3);
    EXPECT_NEAR(braked.state.v[0], 0.0, 1e-12) << contact::contact_law_name(law);

    Simulation stopped(make_sled(options, 0.0, 0.2, 1.0, 0.0, 1.0, 0.0, 0.1));
    stopped.run(0.3, 1e-3);
    EXPECT_NEAR(stopped.state.q[0], 0.1, 1e-5) << contact::contact_law_name(law);
    EXPECT_LT(std::abs(stopped.state.v[0]), 1e-6) << contact::contact_law_name(law);
  }
}

// A problem without an answer: the impulses of the last step stand and the status says so.
TEST(ContactLaws, LemkeFailingIsSaid) {
  solver::BodyProblem problem;
  problem.nodes.emplace_back().end = 1;
  problem.response.emplace_back();  // nothing moves it
  solver::BodyProblem::Rows& rows = problem.rows.emplace_back();
  rows.a = 0;
  rows.f_a[0].lin = {0, 0, 1}, rows.f_a[1].lin = {1, 0, 0}, rows.f_a[2].lin = {0, 1, 0};
  problem.blocks.emplace_back().mu = 0.5;
  problem.q.push_back({-1.0, 0.0, 0.0});
  solver::BodySweeps sweeps;
  sweeps.start(problem);
  std::vector<Vec3d> p = {{2.0, 3.0, 0.0}};
  const contact::LawStatus status = contact::solve_lcp(problem, 8, 1e-8, sweeps, p);
  EXPECT_FALSE(status.solve.is_converged);
  EXPECT_GT(status.residual, 0.1);  // by its own complementarity: z = 0 leaves w = -1
  EXPECT_GT(p[0][0], 0.0);
  EXPECT_LE(std::hypot(p[0][1], p[0][2]), 0.5 * p[0][0] * (1.0 + 1e-12));
}

}  // namespace
}  // namespace stance
