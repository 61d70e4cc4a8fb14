// Contact problems in files: what is written comes back to the last bit, global problems become
// local ones, and the public problems are solved.

#include "stance/io/contact_problem.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include "stance/io/hdf5_file.h"
#include "stance/kernel/error.h"
#include "stance/solver/solve.h"

#include "problem_text.h"
#include "urdf_text.h"

namespace stance::io {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using solver::ContactProblem;
using solver::ContactSolution;
using solver::Law;
using testing::make_asymmetric;
using testing::make_dense;
using testing::TemporaryFolder;

void expect_same(const ContactProblem& a, const ContactProblem& b) {
  ASSERT_EQ(a.num_blocks(), b.num_blocks());
  ASSERT_EQ(a.q.size(), b.q.size());
  EXPECT_EQ(a.W.row_start, b.W.row_start);
  EXPECT_EQ(a.W.column, b.W.column);
  EXPECT_EQ(a.W.diagonal, b.W.diagonal);
  EXPECT_EQ(make_dense(a.W), make_dense(b.W));
  for (int i = 0; i < a.num_blocks(); ++i) {
    EXPECT_EQ(a.q[i].eigen(), b.q[i].eigen());
    EXPECT_EQ(a.blocks[i].law, b.blocks[i].law) << i;
    EXPECT_EQ(a.blocks[i].rows, b.blocks[i].rows) << i;
    EXPECT_EQ(a.blocks[i].mu, b.blocks[i].mu) << i;
    EXPECT_EQ(a.blocks[i].mu_rolling, b.blocks[i].mu_rolling) << i;
    EXPECT_EQ(a.blocks[i].bound, b.blocks[i].bound) << i;
    EXPECT_EQ(a.blocks[i].normal, b.blocks[i].normal) << i;
  }
}

TEST(ContactProblemFile, ComesBackToTheLastBit) {
  const TemporaryFolder folder;
  for (const char* name : {"p.dat", "p.hdf5", "p.h5"})
    for (const int n : {0, 1, 2, 7}) {
      SCOPED_TRACE(std::string(name) + ", blocks " + std::to_string(n));
      const ContactProblem problem = make_asymmetric(n, 5);
      write_contact_problem(problem, folder.path(name));
      expect_same(problem, read_contact_problem(folder.path(name)));
    }
}

TEST(ContactProblemFile, KeepsAllLawsInHdf5) {
  const TemporaryFolder folder;
  ContactProblem problem = make_asymmetric(6, 9);
  problem.blocks[1] = {.law = Law::kSpin, .mu = 0.1, .mu_rolling = 0.02, .normal = 0};
  problem.blocks[2] = {.law = Law::kBilateral, .rows = 2};
  problem.blocks[3] = {.law = Law::kUnilateral, .rows = 1};
  problem.blocks[4] = {.law = Law::kBox, .rows = 1, .bound = 0.7};
  problem.blocks[5] = {
      .law = Law::kBox, .rows = 1, .bound = std::numeric_limits<double>::infinity()};
  write_contact_problem(problem, folder.path("laws.hdf5"));
  expect_same(problem, read_contact_problem(folder.path("laws.hdf5")));
}

// Two pads and rows that give way on their own.
solver::Compliance make_compliance(int n) {
  kernel::Random random(17);
  solver::Compliance C;
  for (const std::vector<int>& members : {std::vector<int>{0, 2, 3}, std::vector<int>{4}}) {
    const int m = static_cast<int>(members.size());
    MatrixXd A(3 * m, 3 * m);
    for (double& x : A.reshaped()) x = random.uniform(-1.0, 1.0);
    const MatrixXd dense = A * A.transpose();
    std::vector<kernel::Mat3d> columns;
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i)
        columns.emplace_back(Eigen::Matrix3d(dense.block<3, 3>(3 * i, 3 * j)));
    C.add_group(members, columns);
  }
  for (int i = 1; i < n; i += 3) C.set_own(i, {0.1 * i, 1e-17 / 3.0, 1e5});
  return C;
}

TEST(ContactProblemFile, KeepsWhatGivesWay) {
  const TemporaryFolder folder;
  for (const char* name : {"p.dat", "p.hdf5"})
    for (const bool has_laws : {false, true}) {
      SCOPED_TRACE(name);
      if (has_laws && std::string(name) == "p.dat") continue;
      ContactProblem problem = make_asymmetric(7, 5);
      problem.C = make_compliance(7);
      if (has_laws) problem.blocks[5] = {.law = Law::kBox, .rows = 1, .bound = 0.7};
      write_contact_problem(problem, folder.path(name));
      const ContactProblem read = read_contact_problem(folder.path(name));
      expect_same(problem, read);
      ASSERT_EQ(read.C.own.size(), problem.C.own.size());
      for (std::size_t i = 0; i < read.C.own.size(); ++i)
        EXPECT_EQ(read.C.own[i].eigen(), problem.C.own[i].eigen());
      EXPECT_EQ(read.C.member, problem.C.member);
      ASSERT_EQ(read.C.groups.size(), problem.C.groups.size());
      ASSERT_EQ(read.C.entry.size(), problem.C.entry.size());
      for (std::size_t k = 0; k < read.C.entry.size(); ++k)
        EXPECT_EQ(read.C.entry[k].eigen(), problem.C.entry[k].eigen());
      std::vector<kernel::Vec3d> p(7), u(7), v(7);
      for (int i = 0; i < 7; ++i) p[i] = {1.0, 0.1 * i, -0.2};
      calc_velocities(problem, p, u), calc_velocities(read, p, v);
      for (int i = 0; i < 7; ++i) EXPECT_EQ(u[i].eigen(), v[i].eigen());
    }
  // what does not give way has no word of it in the file
  write_contact_problem(make_asymmetric(3, 1), folder.path("rigid.dat"));
  EXPECT_TRUE(read_contact_problem(folder.path("rigid.dat")).C.is_empty());
  std::ifstream in(folder.path("rigid.dat"));
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(text.find("compliance"), std::string::npos);
}

TEST(ContactProblemFile, SaysWhatIsWrongWithCompliance) {
  const TemporaryFolder folder;
  ContactProblem problem = make_asymmetric(5, 5);
  const auto expect_fault = [&](const std::string& tail, const char* word) {
    write_contact_problem(problem, folder.path("p.dat"));
    std::ofstream(folder.path("p.dat"), std::ios::app) << "stance_compliance\n" << tail;
    try {
      (void)read_contact_problem(folder.path("p.dat"));
      FAIL() << "no error: " << tail;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  const std::string unit = "1 0 0 0 1 0 0 0 1 ", zero = "0 0 0 0 0 0 0 0 0 ";
  expect_fault("0 1 2 3 1 " + unit + zero + zero + unit, "ascend");
  expect_fault("0 2 1 3 " + unit + "1 3 " + unit, "another group");
  expect_fault("0 1 1 9 " + unit, "a block of a compliance group");
  expect_fault("0 1 2 0 1 " + unit + unit + zero + unit, "symmetric");
  expect_fault("0 1 1 0 -1 0 0 0 1 0 0 0 1", "semidefinite");
  expect_fault("1 -0.5 0 0 0", "negative");
  expect_fault("0 1 1 0 1 0", "file ends");
  expect_fault("0 1 1 0 1 x", "expected a number");

  // the same in HDF5
  problem.C = make_compliance(5);
  write_contact_problem(problem, folder.path("p.hdf5"));
  EXPECT_NO_THROW((void)read_contact_problem(folder.path("p.hdf5")));
  problem.C.member[0] = 3;  // not ascending
  write_contact_problem(problem, folder.path("p.hdf5"));
  EXPECT_THROW((void)read_contact_problem(folder.path("p.hdf5")), Error);
}

TEST(ContactProblemFile, DatHoldsContactsOnly) {
  const TemporaryFolder folder;
  ContactProblem problem = make_asymmetric(3, 1);
  problem.blocks[1].law = Law::kBilateral;
  try {
    write_contact_problem(problem, folder.path("p.dat"));
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("block 1"), std::string::npos) << what;
    EXPECT_NE(what.find(".hdf5"), std::string::npos) << what;
  }
  EXPECT_THROW(write_contact_problem(problem, folder.path("p.txt")), Error);
}

// Dense and in block rows, entries stand column by column. This W is positive definite; with every
// block transposed it is not.
TEST(ContactProblemFile, DatIsColumnMajor) {
  Eigen::Matrix<double, 6, 6> W;
  W.setIdentity();
  // u of contact 0 along row r comes from contact 1 along column c: one entry, r != c
  const double x = 0.9;
  W(0, 4) = W(4, 0) = x;   // block (0,1) at (0,1), block (1,0) at (1,0)
  W(1, 3) = W(3, 1) = -x;  // block (0,1) at (1,0)
  std::string dense = "3 2 0 6 6 6 6\n";
  for (int c = 0; c < 6; ++c)
    for (int r = 0; r < 6; ++r) dense += fmt::format("{} ", W(r, c));
  std::string blocks = "3 2 1 6 6 4 2 2 3 6 3 6 3 4 0 2 4 0 1 0 1\n";
  for (int k = 0; k < 4; ++k) {
    blocks += fmt::format("{} ", k);
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) blocks += fmt::format("{} ", W(3 * (k / 2) + r, 3 * (k % 2) + c));
  }
  const std::string rest = "\n-1 0.1 0.2 -1 0.3 0.4\n0.5 0.6\n";
  const TemporaryFolder folder;
  for (const std::string& text : {dense + rest, blocks + rest, blocks + rest + "1\n"}) {
    const ContactProblem problem = read_contact_problem(folder.write("p.dat", text));
    EXPECT_EQ(make_dense(problem.W), MatrixXd(W));
    EXPECT_EQ(problem.q[1][2], 0.4);
    EXPECT_EQ(problem.blocks[1].mu, 0.6);
  }
}

// The README of the public problems: read row by row, W stays symmetric but becomes indefinite.
TEST(ContactProblemFile, RowMajorBlocksWouldBeIndefinite) {
  const TemporaryFolder folder;
  // J of three rows per contact on one body: W = J J^T
  kernel::Random random(3);
  MatrixXd J(12, 6);
  for (double& x : J.reshaped()) x = random.uniform(-1, 1);
  const MatrixXd W = J * J.transpose();
  ContactProblem problem = make_asymmetric(4, 1);
  problem.W = solver::make_block_matrix(4, std::span(W.data(), W.size()));
  write_contact_problem(problem, folder.path("p.dat"));
  const MatrixXd read = make_dense(read_contact_problem(folder.path("p.dat")).W);
  MatrixXd turned = read;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      turned.block<3, 3>(3 * i, 3 * j) = read.block<3, 3>(3 * i, 3 * j).transpose().eval();
  const auto smallest = [](const MatrixXd& A) {
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(A).eigenvalues().minCoeff();
  };
  EXPECT_GT(smallest(read), -1e-12);
  EXPECT_LT(smallest(turned), -0.1);
}

TEST(ContactProblemFile, ReadsWhatFewWrite) {
  const TemporaryFolder folder;
  // a plus sign, numbers too small for a double, Windows line ends, tabs
  const ContactProblem problem = read_contact_problem(folder.write(
      "p.dat", "3\r\n1\r\n0\t3 3\r\n3 3\r\n+1 0 1e-400 0 1 0 -1e-999 0 1\r\n-1 +0.5 0\r\n0.3\r\n"));
  EXPECT_EQ(make_dense(problem.W), MatrixXd(MatrixXd::Identity(3, 3)));
  EXPECT_EQ(problem.q[0][1], 0.5);
}

// ---------------------------------------------------------------------------------------------
// Global problems: M v = H r + G l + f, u = H^T v + w, 0 = G^T v + b.

struct Global {
  MatrixXd M, H, G;
  VectorXd f, w, b;
  std::vector<double> mu;
};

Global make_global(int nv, int contacts, int bilateral, std::uint64_t seed) {
  kernel::Random random(seed);
  const auto fill = [&](auto& x) {
    for (double& value : x.reshaped()) value = random.uniform(-1, 1);
  };
  Global g{MatrixXd(nv, nv),
           MatrixXd(nv, 3 * contacts),
           MatrixXd(nv, bilateral),
           VectorXd(nv),
           VectorXd(3 * contacts),
           VectorXd(bilateral),
           std::vector<double>(contacts)};
  fill(g.M), fill(g.H), fill(g.G), fill(g.f), fill(g.w), fill(g.b);
  g.M = g.M * g.M.transpose() + nv * MatrixXd::Identity(nv, nv);
  for (double& mu : g.mu) mu = random.uniform(0.0, 1.0);
  return g;
}

// nz >= 0 triplets, -1 compressed columns, -2 compressed rows
void write_matrix(Hdf5File& out, const std::string& path, const MatrixXd& A, int storage) {
  const int rows = static_cast<int>(A.rows()), columns = static_cast<int>(A.cols());
  std::vector<int> p, i;
  std::vector<double> x;
  if (storage != 0) p.push_back(0);
  const int lines = storage == -2 ? rows : columns, across = storage == -2 ? columns : rows;
  for (int a = 0; a < lines; ++a) {
    for (int k = 0; k < across; ++k) {
      i.push_back(k);
      if (storage == 0) p.push_back(a);
      x.push_back(storage == -2 ? A(a, k) : A(k, a));
    }
    if (storage != 0) p.push_back(static_cast<int>(x.size()));
  }
  const auto write_int = [&](const char* name, int value) {
    out.write(path + name, std::span<const int>(&value, 1));
  };
  write_int("/m", rows), write_int("/n", columns);
  write_int("/nz", storage == 0 ? static_cast<int>(x.size()) : storage);
  write_int("/nzmax", static_cast<int>(x.size()));
  out.write(path + "/p", p), out.write(path + "/i", i), out.write(path + "/x", x);
}

std::span<const double> span_of(const VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

void write_global(const Global& g, int storage, const std::string& file) {
  Hdf5File out(file, Hdf5File::Mode::kCreate);
  const std::string root = "/fclib_global";
  const int dimension = 3;
  out.write(root + "/spacedim", std::span<const int>(&dimension, 1));
  write_matrix(out, root + "/M", g.M, storage);
  write_matrix(out, root + "/H", g.H, storage);
  out.write(root + "/vectors/f", span_of(g.f)), out.write(root + "/vectors/w", span_of(g.w));
  out.write(root + "/vectors/mu", g.mu);
  if (g.G.cols() == 0) return;
  write_matrix(out, root + "/G", g.G, storage);
  out.write(root + "/vectors/b", span_of(g.b));
}

TEST(GlobalProblemFile, BecomesALocalOne) {
  const TemporaryFolder folder;
  const std::string file = folder.path("global.hdf5");
  for (const int storage : {0, -1, -2})
    for (const int bilateral : {0, 1, 3, 4, 8}) {
      SCOPED_TRACE(fmt::format("storage {}, {} bilateral rows", storage, bilateral));
      const Global g = make_global(9, 3, bilateral, 40 + bilateral);
      write_global(g, storage, file);
      const ContactProblem problem = read_contact_problem(file);

      // dense: contacts first, then bilateral rows, three to a block
      const int contacts = static_cast<int>(g.mu.size()), blocks = contacts + (bilateral + 2) / 3;
      MatrixXd J = MatrixXd::Zero(9, 3 * blocks);
      J << g.H, g.G, MatrixXd::Zero(9, 3 * (blocks - contacts) - bilateral);
      VectorXd offset = VectorXd::Zero(3 * blocks);
      offset.head(3 * contacts) = g.w;
      offset.segment(3 * contacts, bilateral) = g.b;
      const MatrixXd inverse = g.M.inverse();
      const MatrixXd W = J.transpose() * inverse * J;
      const VectorXd q = J.transpose() * inverse * g.f + offset;

      ASSERT_EQ(problem.num_blocks(), blocks);
      EXPECT_LT((make_dense(problem.W) - W).norm(), 1e-13 * W.norm());
      for (int i = 0; i < blocks; ++i) {
        EXPECT_LT((problem.q[i].eigen() - q.segment<3>(3 * i)).norm(), 1e-13 * q.norm());
        const bool is_contact = i < contacts;
        EXPECT_EQ(problem.blocks[i].law, is_contact ? Law::kContact : Law::kBilateral);
        EXPECT_EQ(problem.blocks[i].mu, is_contact ? g.mu[i] : 0.0);
        EXPECT_EQ(problem.blocks[i].rows,
                  is_contact ? 3 : std::min(3, bilateral - 3 * (i - contacts)));
      }
    }
}

// A mass matrix that is singular up to rounding has no pivot that is exactly zero.
TEST(GlobalProblemFile, RefusesASingularMass) {
  const TemporaryFolder folder;
  Global g = make_global(5, 1, 0, 3);
  for (const int rank : {0, 3, 4}) {
    const MatrixXd factor = make_global(5, 2, 0, 77).H.leftCols(rank);
    g.M = factor * factor.transpose();
    write_global(g, -1, folder.path("global.hdf5"));
    try {
      read_contact_problem(folder.path("global.hdf5"));
      FAIL() << "rank " << rank << " of 5 was read";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("M is singular"), std::string::npos) << error.what();
    }
  }
  // ratios of masses alone do not make it so
  g.M = VectorXd{{1e-9, 1e9, 1.0, 1e-3, 1e6}}.asDiagonal();
  write_global(g, -1, folder.path("global.hdf5"));
  EXPECT_EQ(read_contact_problem(folder.path("global.hdf5")).num_blocks(), 1);
}

// ---------------------------------------------------------------------------------------------

TEST(ContactSolutionFile, ComesBackToTheLastBit) {
  const TemporaryFolder folder;
  kernel::Random random(8);
  for (const char* name : {"s.txt", "s.hdf5", "s.h5"})
    for (const int n : {0, 1, 5}) {
      ContactSolution solution;
      for (int i = 0; i < n; ++i)
        for (auto* x : {&solution.p, &solution.u})
          x->emplace_back(random.uniform(-1, 1), random.uniform(-1, 1) * 1e-12,
                          random.uniform(-1, 1) * 1e12);
      write_contact_solution(solution, folder.path(name));
      const ContactSolution read = read_contact_solution(folder.path(name));
      ASSERT_EQ(read.p.size(), solution.p.size());
      ASSERT_EQ(read.u.size(), solution.u.size());
      for (int i = 0; i < n; ++i) {
        EXPECT_EQ(read.p[i].eigen(), solution.p[i].eigen()) << name;
        EXPECT_EQ(read.u[i].eigen(), solution.u[i].eigen()) << name;
      }
    }
}

// ---------------------------------------------------------------------------------------------

std::filesystem::path find_public_problems() {
  const char* shared = std::getenv("STANCE_SHARED");
  const std::filesystem::path root = shared ? shared : STANCE_SOURCE_DIR "/../shared";
  for (const char* below : {"data/fc3d", "fc3d", "../data/fc3d"})
    if (std::filesystem::is_directory(root / below)) return root / below;
  return {};
}

// Row A12 on problems from other hands.
TEST(PublicProblems, AllReachTheTolerance) {
  const std::filesystem::path folder = find_public_problems();
  if (folder.empty()) GTEST_SKIP() << "there is no folder of public problems";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".dat" && entry.path().extension() != ".hdf5") continue;
    SCOPED_TRACE(entry.path().filename().string());
    ++count;
    const ContactProblem problem = read_contact_problem(entry.path().string());
    std::vector<kernel::Vec3d> p(problem.num_blocks());
    solver::Solver work;
    solver::SolveOptions options;
    options.tolerance = 1e-8;
    (void)work.solve(problem, options, p);
    EXPECT_LT(calc_residual(problem, p).relative, 1e-8);
  }
  EXPECT_EQ(count, 16);
}

}  // namespace
}  // namespace stance::io
