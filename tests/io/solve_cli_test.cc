// `stance solve` as a user meets it: exit codes, JSON, files.

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stance/io/contact_problem.h"
#include "stance/solver/residual.h"

#include "problem_text.h"
#include "run_program.h"

namespace stance::io {
namespace {

using testing::contains;
using testing::Outcome;
using testing::run;
using testing::TemporaryFolder;

std::string quote(const std::string& path) { return "'" + path + "'"; }

// A brick on four corners that slides: redundant contacts, symmetric W.
solver::ContactProblem make_brick() {
  solver::ContactProblem problem;
  std::vector<solver::Entry> entries;
  const double x[] = {0.1, 0.1, -0.1, -0.1}, y[] = {0.05, -0.05, 0.05, -0.05};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      // normals couple through mass and both tilts, tangents through the mass
      entries.push_back({3 * i, 3 * j, 1.0 + 300.0 * x[i] * x[j] + 1000.0 * y[i] * y[j]});
      entries.push_back({3 * i + 1, 3 * j + 1, 1.0});
      entries.push_back({3 * i + 2, 3 * j + 2, 1.0});
    }
  problem.W = solver::make_block_matrix(4, std::move(entries));
  for (int i = 0; i < 4; ++i) {
    problem.q.emplace_back(-0.1, 1.0, 0.0);
    problem.blocks.emplace_back();
    problem.blocks.back().mu = 0.3;
  }
  return problem;
}

class SolveCli : public ::testing::Test {
 protected:
  SolveCli() {
    write_contact_problem(problem_, file_);
    write_contact_problem(problem_, folder_.path("p.hdf5"));
  }
  const TemporaryFolder folder_;
  const std::string file_ = folder_.path("p.dat");
  const solver::ContactProblem problem_ = make_brick();
};

TEST_F(SolveCli, SolvesAndSaysSo) {
  for (const char* name : {"p.dat", "p.hdf5"}) {
    const Outcome outcome = run("solve " + quote(folder_.path(name)));
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    for (const char* words : {"4 contacts", "solved in", "0 open, 4 sliding, 0 sticking"})
      EXPECT_TRUE(contains(outcome.output, words)) << outcome.output;
  }
}

TEST_F(SolveCli, PrintsJson) {
  for (const std::string law : {"exact", "lcp"}) {
    const Outcome outcome = run("solve " + quote(file_) + " --json --law " + law);
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const nlohmann::json json = nlohmann::json::parse(outcome.output);
    EXPECT_EQ(json.at("contacts"), 4);
    EXPECT_EQ(json.at("converged"), true);
    EXPECT_GT(json.at("iterations").get<int>(), 0);
    EXPECT_GT(json.at("seconds").get<double>(), 0.0);
    EXPECT_LT(json.at("residual").get<double>(), law == "exact" ? 1e-8 : 0.1);
    EXPECT_LE(json.at("law_residual").get<double>(), 1e-8);
    EXPECT_TRUE(json.at("method").is_string());
    EXPECT_EQ(json.contains("statistics"), law == "exact");
    if (law != "exact") continue;
    const nlohmann::json& took = json.at("statistics");
    EXPECT_EQ(took.at("sweeps").get<int>() + took.at("newton_steps").get<int>(),
              json.at("iterations").get<int>());
    EXPECT_GT(took.at("grades").get<int>(), 0);
  }
}

// What is written is the answer: it has the residual that was printed, and u = W p + q.
TEST_F(SolveCli, WritesTheAnswer) {
  for (const char* name : {"answer.txt", "answer.hdf5"}) {
    const std::string out = folder_.path(name);
    const Outcome outcome = run("solve " + quote(file_) + " --json --out " + quote(out));
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    const solver::ContactSolution answer = read_contact_solution(out);
    ASSERT_EQ(answer.p.size(), 4u);
    const double printed = nlohmann::json::parse(outcome.output).at("residual");
    EXPECT_NEAR(calc_residual(problem_, answer.p).relative, printed, 1e-15);
    std::vector<kernel::Vec3d> u(4);
    calc_velocities(problem_, answer.p, u);
    double normal = 0.0;
    for (int i = 0; i < 4; ++i) {
      EXPECT_LT(norm(u[i] - answer.u[i]), 1e-15);
      normal += answer.p[i][0];
    }
    // mass 1, closing at 0.1 m/s; friction of the whole brick takes 0.3 of that off its speed
    EXPECT_NEAR(normal, 0.1, 1e-8);
    EXPECT_NEAR(answer.u[0][1], 1.0 - 0.03, 1e-8);
  }
}

TEST_F(SolveCli, BadInputExitsWithOne) {
  for (const std::string& file :
       {folder_.write("bad.dat", "3 1 0 3 3 3 3 1 2 x"), folder_.path("none.dat"), folder_.path(),
        folder_.write("bad.hdf5", "\x89HDF\r\n\x1a\n")}) {
    const Outcome outcome = run("solve " + quote(file));
    EXPECT_EQ(outcome.code, 1) << file;
    EXPECT_TRUE(outcome.output.empty()) << outcome.output;
    EXPECT_TRUE(contains(outcome.errors, file)) << outcome.errors;
  }
  EXPECT_EQ(run("solve " + quote(file_) + " --out " + quote(folder_.path("none/a.txt"))).code, 1);
}

TEST_F(SolveCli, WrongUsageExitsWithTwo) {
  for (const std::string arguments :
       {"", " --tol -1", " --law pyramids", " --facets 3", " --max-seconds 0", " --no-such-flag"}) {
    const Outcome outcome =
        run(arguments.empty() ? std::string("solve") : "solve " + quote(file_) + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_TRUE(outcome.output.empty()) << outcome.output;
    EXPECT_FALSE(outcome.errors.empty());
  }
}

// A tolerance below rounding is not reached; what there is comes out all the same, in the cones.
TEST_F(SolveCli, UnsolvedExitsWithFourInTime) {
  const std::string out = folder_.path("answer.txt");
  const Outcome outcome =
      run("solve " + quote(file_) + " --tol 1e-300 --max-seconds 0.2 --json --out " + quote(out));
  EXPECT_EQ(outcome.code, 4) << outcome.output << outcome.errors;
  const nlohmann::json json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json.at("converged"), false);
  EXPECT_LT(json.at("seconds").get<double>(), 2.0);
  const solver::ContactSolution answer = read_contact_solution(out);
  EXPECT_LT(calc_residual(problem_, answer.p).relative, 1e-8);
  EXPECT_EQ(calc_residual(problem_, answer.p).cone_violation, 0.0);
  EXPECT_TRUE(contains(run("solve " + quote(file_) + " --tol 1e-300 --max-seconds 0.1").output,
                       "not solved"));
}

}  // namespace
}  // namespace stance::io
