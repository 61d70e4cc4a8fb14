// The forms that Siconos and FCLIB write problems in: local, global, rolling, each matrix dense, in
// block rows or sparse. What is read is solved, and the answer is taken back to the rows of the
// file and judged there, by the laws as a book has them and with none of the program's own
// functions.

#include <cmath>
#include <fstream>
#include <sstream>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stance/io/contact_problem.h"
#include "stance/io/hdf5_file.h"
#include "stance/kernel/error.h"
#include "stance/kernel/random.h"
#include "stance/solver/solve.h"

#include "urdf_text.h"

namespace stance::io {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::TemporaryFolder;

// As it stands in a file: M v = H r + f, u = H^T v + w; rows of a contact are N T1 T2, with rolling
// also the two moments.
struct FormProblem {
  int per_contact = 3;
  MatrixXd M, H;
  VectorXd f, w;
  std::vector<double> mu, mu_roll;

  int contacts() const { return static_cast<int>(mu.size()); }
  MatrixXd W() const { return H.transpose() * M.inverse() * H; }
  VectorXd q() const { return H.transpose() * M.inverse() * f + w; }
};

// Balls of a kilogram or so on a floor and against each other, pushed down and sideways.
FormProblem make_form_problem(int bodies, int per_contact, std::uint64_t seed) {
  kernel::Random random(seed);
  FormProblem g;
  g.per_contact = per_contact;
  const int nv = 6 * bodies, pairs = 2 * bodies - 1;
  g.M = MatrixXd::Zero(nv, nv);
  g.H = MatrixXd::Zero(nv, per_contact * pairs);
  g.f = VectorXd::Zero(nv), g.w = VectorXd::Zero(per_contact * pairs);
  for (int b = 0; b < bodies; ++b) {
    const double mass = random.uniform(0.5, 2.0);
    for (int k = 0; k < 6; ++k) g.M(6 * b + k, 6 * b + k) = k < 3 ? mass : 0.004 * mass;
    for (int k = 0; k < 3; ++k) g.f[6 * b + k] = mass * random.uniform(-1.0, 1.0);
    g.f[6 * b + 2] -= 2.0 * mass;
  }
  // normal z against the floor, x between neighbours; r from the centre to the point
  const auto add = [&](int contact, int body, const Eigen::Vector3d& normal, double sign) {
    const Eigen::Vector3d t1 = normal.unitOrthogonal(), t2 = normal.cross(t1);
    const Eigen::Vector3d r = -sign * 0.1 * normal;
    int row = per_contact * contact;
    for (const Eigen::Vector3d& d : {normal, t1, t2}) {
      g.H.block<3, 1>(6 * body, row) += sign * d;
      g.H.block<3, 1>(6 * body + 3, row++) += sign * r.cross(d);
    }
    for (const Eigen::Vector3d& d : {t1, t2})
      if (row < per_contact * (contact + 1)) g.H.block<3, 1>(6 * body + 3, row++) += sign * d;
  };
  for (int b = 0; b < bodies; ++b) add(b, b, {0, 0, 1}, 1.0);
  for (int b = 0; b + 1 < bodies; ++b)
    add(bodies + b, b, {1, 0, 0}, 1.0), add(bodies + b, b + 1, {1, 0, 0}, -1.0);
  for (int i = 0; i < pairs; ++i) {
    g.mu.push_back(random.uniform(0.2, 0.9));
    g.mu_roll.push_back(random.uniform(0.002, 0.02));
    g.w[per_contact * i] = random.uniform(0.0, 0.1);
  }
  return g;
}

// ---- as Siconos prints it -------------------------------------------------------------------

enum class Storage { kDense, kBlocks, kTriplets, kColumns };
constexpr Storage kStorages[] = {Storage::kDense, Storage::kBlocks, Storage::kTriplets,
                                 Storage::kColumns};

void print_sparse(const MatrixXd& A, bool is_triplets, std::ostream& out) {
  const int count = static_cast<int>((A.array() != 0.0).count());
  out << (is_triplets ? 1 : 2) << "\nCSparse Version 3.2.0, Sept 12, 2017.  Copyright (c) people\n";
  if (is_triplets)
    out << fmt::format("triplet: {}-by-{}, nzmax: {} nnz: {}\n", A.rows(), A.cols(), count, count);
  else
    out << fmt::format("{}-by-{}, nzmax: {} nnz: {}, 1-norm: 5.5\n", A.rows(), A.cols(), count,
                       count);
  int at = 0;
  for (int c = 0; c < A.cols(); ++c) {
    const int own = static_cast<int>((A.col(c).array() != 0.0).count());
    if (!is_triplets) out << fmt::format("    col {} : locations {} to {}\n", c, at, at + own - 1);
    at += own;
    for (int r = 0; r < A.rows(); ++r)
      if (A(r, c) != 0.0)
        out << (is_triplets ? fmt::format("    {} {} : {}\n", r, c, A(r, c))
                            : fmt::format("      {} : {}\n", r, A(r, c)));
  }
}

// Blocks of `down` rows by `across` columns, those that are all zero left out.
void print_blocks(const MatrixXd& A, int down, int across, std::ostream& out) {
  const int rows = static_cast<int>(A.rows()) / down, columns = static_cast<int>(A.cols()) / across;
  std::ostringstream blocks, starts, names;
  int count = 0;
  starts << 0 << '\t';
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) {
      const MatrixXd block = A.block(i * down, j * across, down, across);
      if (block.isZero(0.0)) continue;
      names << j << '\t';
      blocks << count++ << '\n';
      for (const double x : block.reshaped()) blocks << fmt::format("{} ", x);
      blocks << '\n';
    }
    starts << count << '\t';
  }
  out << fmt::format("{}\n{}\n{}\n", count, rows, columns);
  for (int i = 1; i <= rows; ++i) out << i * down << '\t';
  out << '\n';
  for (int j = 1; j <= columns; ++j) out << j * across << '\t';
  out << fmt::format("\n{}\n{}\n{}\n{}\n{}", rows + 1, count, starts.str(), names.str(),
                     blocks.str());
}

void print_matrix(const MatrixXd& A, Storage storage, int down, int across, std::ostream& out) {
  const int kind = storage == Storage::kDense ? 0 : storage == Storage::kBlocks ? 1 : 2;
  out << fmt::format("{}\n{}\n{}\n", kind, A.rows(), A.cols());
  if (kind == 1) return print_blocks(A, down, across, out);
  if (kind == 2) return print_sparse(A, storage == Storage::kTriplets, out);
  out << fmt::format("{}\t{}\n", A.rows(), A.cols());
  for (const double x : A.reshaped()) out << fmt::format("{} ", x);
  out << '\n';
}

std::string print_problem(const FormProblem& g, bool is_global, Storage storage) {
  std::ostringstream out;
  const auto list = [&](const auto& values) {
    for (const double x : values) out << fmt::format("{} ", x);
    out << '\n';
  };
  const int d = g.per_contact;
  out << fmt::format("{}\n{}\n", d, g.contacts());
  if (is_global) {
    print_matrix(g.M, storage, 6, 6, out);
    print_matrix(g.H, storage, 6, d, out);
    list(g.f), list(g.w);
  } else {
    print_matrix(g.W(), storage, d, d, out);
    list(g.q());
  }
  list(g.mu);
  if (d == 5) list(g.mu_roll);
  return out.str();
}

// ---- the laws, in the rows of the file ------------------------------------------------------

// Of p and u in parts: |p| <= radius, and where u is not zero p = -radius u / |u|.
double calc_disc_error(const VectorXd& p, const VectorXd& u, double radius) {
  const double outside = std::max(0.0, p.norm() - radius);
  return std::max(outside, std::abs(radius * u.norm() + p.dot(u)));
}

// The worst of Signorini's, Coulomb's and the rolling law over all contacts.
double calc_law_error(const FormProblem& g, const VectorXd& r) {
  // without W: the velocities that these impulses bring
  const VectorXd v = g.M.partialPivLu().solve(g.H * r + g.f);
  const VectorXd u = g.H.transpose() * v + g.w;
  double worst = 0.0;
  for (int i = 0; i < g.contacts(); ++i) {
    const VectorXd p = r.segment(g.per_contact * i, g.per_contact);
    const VectorXd s = u.segment(g.per_contact * i, g.per_contact);
    worst = std::max({worst, -p[0], -s[0], std::abs(p[0] * s[0])});
    worst = std::max(worst, calc_disc_error(p.segment(1, 2), s.segment(1, 2), g.mu[i] * p[0]));
    if (g.per_contact == 5)
      worst =
          std::max(worst, calc_disc_error(p.segment(3, 2), s.segment(3, 2), g.mu_roll[i] * p[0]));
  }
  return worst;
}

// Solved as it was read, back in the rows of the file.
VectorXd solve(const FormProblem& g, const solver::ContactProblem& problem) {
  const int per = g.per_contact == 5 ? 2 : 1;  // blocks of a contact
  EXPECT_EQ(problem.num_blocks(), per * g.contacts());
  std::vector<kernel::Vec3d> p(problem.num_blocks());
  solver::Solver work;
  solver::SolveOptions options;
  options.tolerance = 1e-12;
  EXPECT_TRUE(work.solve(problem, options, p).is_converged);
  VectorXd r(g.per_contact * g.contacts());
  for (int i = 0; i < g.contacts(); ++i) {
    for (int k = 0; k < 3; ++k) r[g.per_contact * i + k] = p[per * i][k];
    if (per == 1) continue;
    EXPECT_EQ(p[2 * i + 1][0], 0.0) << "nothing resists torsion";
    for (int k = 0; k < 2; ++k) r[5 * i + 3 + k] = p[2 * i + 1][1 + k];
  }
  return r;
}

TEST(ProblemForms, TextIsReadInEveryFormAndStorage) {
  const TemporaryFolder folder;
  for (const int per_contact : {3, 5})
    for (const bool is_global : {false, true})
      for (const Storage storage : kStorages)
        for (const int bodies : {1, 2, 4}) {
          SCOPED_TRACE(fmt::format("{} rows, {}, storage {}, {} bodies", per_contact,
                                   is_global ? "global" : "local", static_cast<int>(storage),
                                   bodies));
          const FormProblem g = make_form_problem(bodies, per_contact, 10 + bodies);
          const std::string file = folder.write("p.dat", print_problem(g, is_global, storage));
          const VectorXd r = solve(g, read_contact_problem(file));
          EXPECT_LT(calc_law_error(g, r), 1e-10);
          EXPECT_GT(r.norm(), 0.1) << "something presses";
        }
}

// One body with two contacts has as many velocities as rows: M looks like a W. Read so, and what
// follows ignored, the answer would be one of another problem.
TEST(ProblemForms, AGlobalProblemIsNotTakenForALocalOne) {
  FormProblem g = make_form_problem(1, 3, 5);
  g.H.conservativeResize(6, 6), g.w.conservativeResize(6);
  g.H.rightCols(3) = g.H.leftCols(3);
  g.H.block(3, 3, 3, 3) *= -0.5;  // another point of the body
  g.w.tail(3).setConstant(0.05);
  g.mu.push_back(0.4);
  const TemporaryFolder folder;
  for (const Storage storage : kStorages) {
    const std::string text = print_problem(g, true, storage);
    const VectorXd r = solve(g, read_contact_problem(folder.write("p.dat", text)));
    EXPECT_LT(calc_law_error(g, r), 1e-10);
    // what the same file says when it is cut off behind M, as if W were
    FormProblem wrong = g;
    wrong.M = MatrixXd::Identity(6, 6), wrong.H = MatrixXd::Identity(6, 6);
    wrong.f.setZero(), wrong.w = g.f;
    EXPECT_GT(calc_law_error(g, solve(wrong, read_contact_problem(folder.write(
                                                 "w.dat", print_problem(wrong, false, storage))))),
              0.1);
  }
}

void write_triplets(Hdf5File& out, const std::string& path, const MatrixXd& A) {
  std::vector<int> i, p;
  std::vector<double> x;
  for (int c = 0; c < A.cols(); ++c)
    for (int r = 0; r < A.rows(); ++r)
      if (A(r, c) != 0.0) i.push_back(r), p.push_back(c), x.push_back(A(r, c));
  const auto write_int = [&](const char* name, auto value) {
    const int number = static_cast<int>(value);
    out.write(path + name, std::span<const int>(&number, 1));
  };
  write_int("/m", A.rows()), write_int("/n", A.cols());
  write_int("/nz", x.size()), write_int("/nzmax", x.size());
  out.write(path + "/i", i), out.write(path + "/p", p), out.write(path + "/x", x);
}

void write_hdf5(const FormProblem& g, bool is_global, const std::string& group, int dimension,
                const std::string& file) {
  Hdf5File out(file, Hdf5File::Mode::kCreate);
  const auto put = [&](const char* name, const VectorXd& x) {
    out.write(group + "/vectors/" + name,
              std::span<const double>(x.data(), static_cast<std::size_t>(x.size())));
  };
  out.write(group + "/spacedim", std::span<const int>(&dimension, 1));
  out.write(group + "/vectors/mu", g.mu);
  if (g.per_contact == 5) out.write(group + "/vectors/mu_r", g.mu_roll);
  if (is_global) {
    write_triplets(out, group + "/M", g.M), write_triplets(out, group + "/H", g.H);
    put("f", g.f), put("w", g.w);
  } else {
    write_triplets(out, group + "/W", g.W());
    put("q", g.q());
  }
}

TEST(ProblemForms, Hdf5IsReadInEveryForm) {
  const TemporaryFolder folder;
  const std::string file = folder.path("p.hdf5");
  struct Form {
    const char* group;
    bool is_global;
    int per_contact, dimension;
  };
  for (const Form& form :
       {Form{"/fclib_local", false, 3, 3}, Form{"/fclib_local", false, 5, 5},
        Form{"/fclib_local_rolling", false, 5, 3}, Form{"/fclib_global", true, 3, 3},
        Form{"/fclib_global_rolling", true, 5, 5}, Form{"/fclib_global_rolling", true, 5, 3}}) {
    SCOPED_TRACE(fmt::format("{} of dimension {}", form.group, form.dimension));
    const FormProblem g = make_form_problem(3, form.per_contact, 21);
    write_hdf5(g, form.is_global, form.group, form.dimension, file);
    EXPECT_LT(calc_law_error(g, solve(g, read_contact_problem(file))), 1e-10);
  }
}

TEST(ProblemForms, WhatIsNotKnownIsRefused) {
  const TemporaryFolder folder;
  const FormProblem g = make_form_problem(2, 5, 4);
  const auto expect_fault = [&](const char* word) {
    try {
      (void)read_contact_problem(folder.path("p.hdf5"));
      ADD_FAILURE() << "was read, expected: " << word;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  FormProblem plain = g;
  plain.per_contact = 3;  // no mu_r is written
  write_hdf5(plain, true, "/fclib_global", 5, folder.path("p.hdf5"));
  expect_fault("needs /fclib_global/vectors/mu_r");
  write_hdf5(g, true, "/fclib_global", 2, folder.path("p.hdf5"));
  expect_fault("problems of dimension 2 are not solved");
  write_hdf5(g, true, "/fclib_something", 5, folder.path("p.hdf5"));
  expect_fault("holds none of /fclib_local");
}

}  // namespace
}  // namespace stance::io
