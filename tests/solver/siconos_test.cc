// The same contact problems solved by other hands: Siconos, in a process of its own (bench/peers).

#include <filesystem>

#include <gtest/gtest.h>

#include "stance/io/contact_problem.h"
#include "stance/solver/solve.h"

#include "io/urdf_text.h"
#include "peers/siconos_client.h"
#include "solver/heap_problem.h"

namespace stance::solver {
namespace {

using bench::SiconosProcess;
using bench::SiconosSetup;

constexpr double kTolerance = 1e-11;
constexpr double kAgreement = 1e-8;  // of velocities, m/s; those of the heaps are about 1

class Siconos : public testing::Test {
 protected:
  void SetUp() override {
    if (STANCE_PEER_SICONOS[0] == '\0') GTEST_SKIP() << "built without the peer siconos";
  }

  // Impulses by one set-up, or nothing.
  std::vector<Vec3d> solve_there(const ContactProblem& problem, const SiconosSetup& setup) {
    const std::string file = folder_.path("problem.dat");
    io::write_contact_problem(problem, file);
    SiconosProcess process;
    process.set_timeout(120.0);
    if (!process.start(STANCE_PEER_SICONOS, setup, kTolerance, file)) return {};
    const auto flat = process.impulses(problem.num_blocks());
    std::vector<Vec3d> p;
    for (std::size_t k = 0; flat && k < flat->size(); k += 3)
      p.emplace_back((*flat)[k], (*flat)[k + 1], (*flat)[k + 2]);
    return p;
  }

  const io::testing::TemporaryFolder folder_;
};

// Fewer contacts than bodies and little friction: the answer is unique.
TEST_F(Siconos, AgreesOnVelocities) {
  for (int seed = 0; seed < 5; ++seed) {
    const ContactProblem problem =
        bench::make_heap_problem(seed, {.bodies = 10, .contacts = 8, .mass_ratio = 1.0, .mu = 0.2});
    std::vector<Vec3d> ours(8), u_ours(8), u_theirs(8);
    Solver solver;
    SolveOptions options;
    options.tolerance = kTolerance;
    ASSERT_TRUE(solver.solve(problem, options, ours).is_converged);
    calc_velocities(problem, ours, u_ours);
    for (const SiconosSetup& setup : bench::kSiconosSetups) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << setup.solver << " "
                                      << setup.storage << " " << setup.tweak);
      const std::vector<Vec3d> theirs = solve_there(problem, setup);
      ASSERT_EQ(theirs.size(), 8u);
      // Siconos stops by its own measure, whose scale may differ a little from ours
      EXPECT_LT(calc_residual(problem, theirs).relative, 10.0 * kTolerance);
      calc_velocities(problem, theirs, u_theirs);
      for (int i = 0; i < 8; ++i) EXPECT_LT(norm(u_ours[i] - u_theirs[i]), kAgreement) << i;
    }
  }
}

TEST_F(Siconos, SaysWhatItCannotDo) {
  const std::string file = folder_.path("problem.dat");
  io::write_contact_problem(bench::make_heap_problem(1), file);
  SiconosProcess process;
  EXPECT_FALSE(process.start(STANCE_PEER_SICONOS, {"nobody", "block", "default"}, 1e-8, file));
  EXPECT_EQ(process.error(), "unknown solver nobody");
  EXPECT_FALSE(process.start(STANCE_PEER_SICONOS, {"nsgs", "heap", "hybrid"}, 1e-8, file));
  EXPECT_EQ(process.error(), "unknown storage heap");
  EXPECT_FALSE(process.is_running());
}

}  // namespace
}  // namespace stance::solver
