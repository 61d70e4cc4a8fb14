#include "stance/io/fclib.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stance/io/hdf5_file.h"
#include "stance/io/problem_rows.h"
#include "stance/kernel/error.h"

namespace stance::io {

using kernel::Vec3d;
using solver::Block;
using solver::ContactProblem;
using solver::Entry;
using solver::Law;

namespace {

constexpr int kMostRows = 3'000'000;

// nz >= 0: triplets (row in i, column in p), -1: compressed columns, -2: rows.
StoredMatrix read_matrix(const Hdf5File& in, const std::string& file, const std::string& path) {
  const auto fail = [&](const char* what) {
    throw Error(fmt::format("{}: {}: {}", file, path, what));
  };
  StoredMatrix matrix{in.read_int(path + "/m"), in.read_int(path + "/n"), {}};
  const int nz = in.read_int(path + "/nz");
  const std::vector<int> p = in.read_ints(path + "/p"), i = in.read_ints(path + "/i");
  const std::vector<double> x = in.read_doubles(path + "/x");
  if (matrix.rows < 0 || matrix.columns < 0 || matrix.rows > kMostRows ||
      matrix.columns > kMostRows)
    fail("m and n must be sizes");
  if (nz < -2) fail("nz must be a number of triplets, -1 or -2");
  if (nz >= 0) {
    if (p.size() < std::size_t(nz) || i.size() < std::size_t(nz) || x.size() < std::size_t(nz))
      fail("i, p and x are shorter than nz");
    for (int k = 0; k < nz; ++k) matrix.entries.push_back({i[k], p[k], x[k]});
  } else {
    const int lines = nz == -1 ? matrix.columns : matrix.rows;
    if (p.size() != std::size_t(lines) + 1 || p.front() != 0)
      fail("p must have one entry more than there are columns (nz -1) or rows (nz -2)");
    for (int a = 0; a < lines; ++a) {
      if (p[a + 1] < p[a] || std::size_t(p[a + 1]) > std::min(i.size(), x.size()))
        fail("p must not fall, nor point past the end of i and x");
      for (int k = p[a]; k < p[a + 1]; ++k)
        matrix.entries.push_back(nz == -1 ? Entry{i[k], a, x[k]} : Entry{a, i[k], x[k]});
    }
  }
  for (const Entry& entry : matrix.entries) {
    if (entry.row < 0 || entry.row >= matrix.rows || entry.column < 0 ||
        entry.column >= matrix.columns)
      fail("an index lies outside the matrix");
    if (!std::isfinite(entry.value)) fail("an entry is not finite");
  }
  return matrix;
}

std::vector<double> read_sized(const Hdf5File& in, const std::string& file, const std::string& path,
                               std::size_t size) {
  std::vector<double> values = in.read_doubles(path);
  if (values.size() != size)
    throw Error(fmt::format("{}: {} has {} entries, expected {}", file, path, values.size(), size));
  return values;
}

std::vector<double> read_vector(const Hdf5File& in, const std::string& file,
                                const std::string& path, std::size_t size) {
  std::vector<double> values = read_sized(in, file, path, size);
  for (const double value : values)
    if (!std::isfinite(value))
      throw Error(fmt::format("{}: {} holds {}, which is not finite", file, path, value));
  return values;
}

// The same, of whole numbers that are stored as doubles.
std::vector<int> read_whole(const Hdf5File& in, const std::string& file, const std::string& path,
                            std::size_t size, int least, int most) {
  std::vector<int> whole;
  for (const double value : read_vector(in, file, path, size)) {
    if (!(value >= least && value <= most) || value != std::floor(value))
      throw Error(fmt::format("{}: {} holds {}, expected whole numbers from {} to {}", file, path,
                              value, least, most));
    whole.push_back(static_cast<int>(value));
  }
  return whole;
}

// What all forms say: the dimension and the coefficients. Rolling problems have five rows per
// contact, which their group's name or their dimension tells.
ProblemRows read_rows(const Hdf5File& in, const std::string& file, const std::string& group) {
  ProblemRows rows{.file = file};
  const int dimension = in.read_int(group + "/spacedim");
  const bool has_rolling = in.has(group + "/vectors/mu_r");
  if (dimension != 3 && dimension != 5)
    throw Error(
        fmt::format("{}: problems of dimension {} are not solved here, expected 3, or 5 "
                    "with rolling friction",
                    file, dimension));
  rows.per_contact = dimension == 5 || has_rolling ? 5 : 3;
  if (rows.per_contact == 5 && !has_rolling)
    throw Error(fmt::format("{}: a problem of dimension 5 needs {}/vectors/mu_r", file, group));
  rows.mu = in.read_doubles(group + "/vectors/mu");
  if (has_rolling) rows.mu_roll = in.read_doubles(group + "/vectors/mu_r");
  return rows;
}

ContactProblem read_local(const Hdf5File& in, const std::string& file, const std::string& group) {
  const ProblemRows rows = read_rows(in, file, group);
  const StoredMatrix W = read_matrix(in, file, group + "/W");
  if (in.has(group + "/V") || in.has(group + "/R"))
    throw Error(
        fmt::format("{}: equality constraints (V, R) of a local problem are not read; use "
                    "the global form (M, H, G)",
                    file));
  return make_problem(rows, W, read_vector(in, file, group + "/vectors/q", rows.rows()));
}

// What FCLIB has no words for: laws and bounds of all blocks.
void read_laws(const Hdf5File& in, const std::string& file, ContactProblem& problem) {
  if (!in.has("/stance/law")) return;
  const std::size_t n = problem.blocks.size();
  const int last = static_cast<int>(n) - 1;
  const std::vector<int> law = read_whole(in, file, "/stance/law", n, 0,
                                          static_cast<int>(solver::kLastLaw)),
                         rows = read_whole(in, file, "/stance/rows", n, 1, 3),
                         normal = read_whole(in, file, "/stance/normal", n, -1, last);
  const std::vector<double> rolling = read_vector(in, file, "/stance/mu_rolling", n),
                            bound = read_sized(in, file, "/stance/bound", n);  // may be infinite
  for (std::size_t i = 0; i < n; ++i) {
    Block& block = problem.blocks[i];
    block.law = static_cast<Law>(law[i]);
    block.rows = rows[i];
    block.mu_rolling = rolling[i];
    block.bound = bound[i];
    block.normal = normal[i];
  }
}

// What gives way: rows on their own, then groups, one after the other.
void read_compliance(const Hdf5File& in, const std::string& file, ContactProblem& problem) {
  const std::string at = "/stance/compliance/";
  if (!in.has("/stance/compliance")) return;
  const auto fail = [&](const std::string& what) {
    throw Error(fmt::format("{}: /stance/compliance: {}", file, what));
  };
  const std::vector<double> own = in.read_doubles(at + "own"),
                            entry = in.read_doubles(at + "entry");
  const std::vector<int> count = in.read_ints(at + "count"), member = in.read_ints(at + "member");
  if (own.size() % 3 != 0 || own.size() > 3 * problem.blocks.size())
    fail("own must have three numbers a block, for no more blocks than there are");
  for (std::size_t i = 0; 3 * i < own.size(); ++i)
    problem.C.set_own(static_cast<int>(i), Vec3d(own[3 * i], own[3 * i + 1], own[3 * i + 2]));
  std::size_t first = 0, from = 0;
  for (const int size : count) {
    const std::size_t m = static_cast<std::size_t>(std::max(size, 0));
    if (m == 0 || m > member.size() - first || 9 * m * m > entry.size() - from)
      fail("count, member and entry do not fit each other");
    const std::span<const int> members(member.data() + first, m);
    if (const std::string fault = problem.C.find_fault(members, problem.num_blocks());
        !fault.empty())
      fail(fault);
    std::vector<kernel::Mat3d> columns;
    for (std::size_t k = 0; k < m * m; ++k) {
      const double* x = entry.data() + from + 9 * k;
      columns.push_back(
          {Vec3d(x[0], x[1], x[2]), Vec3d(x[3], x[4], x[5]), Vec3d(x[6], x[7], x[8])});
    }
    problem.C.add_group(members, columns);
    first += m, from += 9 * m * m;
  }
  if (first != member.size() || from != entry.size())
    fail("count, member and entry do not fit each other");
}

// M v = H r + G l + f, u = H^T v + w, 0 = G^T v + b: contacts and equality constraints on the same
// v.
ContactProblem read_global(const Hdf5File& in, const std::string& file, const std::string& group) {
  ProblemRows rows = read_rows(in, file, group);
  const StoredMatrix M = read_matrix(in, file, group + "/M");
  StoredMatrix H = read_matrix(in, file, group + "/H");
  if (H.columns != rows.contact_rows())
    throw Error(fmt::format("{}: the number of columns of H is {}, expected {}", file, H.columns,
                            rows.contact_rows()));
  std::vector<double> offset = read_vector(in, file, group + "/vectors/w", rows.contact_rows());
  const std::vector<double> f = read_vector(in, file, group + "/vectors/f", M.rows);
  if (in.has(group + "/G/x")) {
    const StoredMatrix G = read_matrix(in, file, group + "/G");
    if (G.rows != M.rows)
      throw Error(
          fmt::format("{}: the number of rows of G is {}, expected {}", file, G.rows, M.rows));
    rows.equalities = G.columns;
    for (Entry e : G.entries) {
      e.column += rows.contact_rows();
      H.entries.push_back(e);
    }
    H.columns = rows.rows();
    const std::vector<double> b = read_vector(in, file, group + "/vectors/b", G.columns);
    offset.insert(offset.end(), b.begin(), b.end());
  }
  return reduce_problem(rows, M, H, f, offset);
}

std::vector<double> flatten(std::span<const Vec3d> vectors) {
  std::vector<double> flat;
  for (const Vec3d& x : vectors) flat.insert(flat.end(), {x[0], x[1], x[2]});
  return flat;
}

void write_compliance(const solver::Compliance& C, Hdf5File& out) {
  if (C.is_empty()) return;
  std::vector<int> count;
  for (const solver::Compliance::Group& group : C.groups) count.push_back(group.count);
  std::vector<Vec3d> columns;
  for (const kernel::Mat3d& block : C.entry)
    columns.insert(columns.end(), {block.c[0], block.c[1], block.c[2]});
  out.write("/stance/compliance/own", flatten(C.own));
  out.write("/stance/compliance/count", count);
  out.write("/stance/compliance/member", C.member);
  out.write("/stance/compliance/entry", flatten(columns));
}

std::vector<Vec3d> gather(const std::string& file, const std::vector<double>& flat) {
  if (flat.size() % 3 != 0)
    throw Error(
        fmt::format("{}: a solution has three numbers a block, not {} in all", file, flat.size()));
  std::vector<Vec3d> vectors;
  for (std::size_t k = 0; k + 2 < flat.size(); k += 3)
    vectors.emplace_back(flat[k], flat[k + 1], flat[k + 2]);
  return vectors;
}

}  // namespace

ContactProblem read_fclib(const std::string& file) {
  const Hdf5File in(file, Hdf5File::Mode::kRead);
  constexpr const char* kLocal[] = {"/fclib_local", "/fclib_local_rolling"};
  constexpr const char* kGlobal[] = {"/fclib_global", "/fclib_global_rolling"};
  std::vector<std::string> forms;
  for (const char* group : {kLocal[0], kLocal[1], kGlobal[0], kGlobal[1]})
    if (in.has(group)) forms.emplace_back(group);
  if (forms.empty())
    throw Error(
        fmt::format("{}: holds none of /fclib_local, /fclib_global, /fclib_global_rolling", file));
  if (forms.size() > 1)
    throw Error(fmt::format("{}: holds more than one problem ({})", file, fmt::join(forms, ", ")));
  const std::string& group = forms.front();
  if (group == kGlobal[0] || group == kGlobal[1]) return read_global(in, file, group);
  ContactProblem problem = read_local(in, file, group);
  read_laws(in, file, problem);
  read_compliance(in, file, problem);
  return problem;
}

void write_fclib(const ContactProblem& problem, const std::string& file) {
  const int n = problem.num_blocks();
  const solver::BlockMatrix& W = problem.W;
  Hdf5File out(file, Hdf5File::Mode::kCreate);
  const auto write_int = [&](const std::string& path, int value) {
    out.write(path, std::span<const int>(&value, 1));
  };

  // W as triplets
  std::vector<int> row, column;
  std::vector<double> value;
  for (int i = 0; i < n; ++i)
    for (int k = W.row_start[i]; k < W.row_start[i + 1]; ++k)
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) {
          row.push_back(3 * i + r), column.push_back(3 * W.column[k] + c);
          value.push_back(W.block[k](r, c));
        }
  const std::string matrix = "/fclib_local/W/";
  write_int(matrix + "m", 3 * n), write_int(matrix + "n", 3 * n);
  write_int(matrix + "nz", static_cast<int>(value.size()));
  write_int(matrix + "nzmax", static_cast<int>(value.size()));
  out.write(matrix + "i", row), out.write(matrix + "p", column), out.write(matrix + "x", value);

  std::vector<double> mu, law, rows, rolling, bound, normal;
  bool only_contacts = true;
  for (const Block& block : problem.blocks) {
    mu.push_back(block.mu);
    law.push_back(static_cast<int>(block.law)), rows.push_back(block.rows);
    rolling.push_back(block.mu_rolling), bound.push_back(block.bound);
    normal.push_back(block.normal);
    only_contacts = only_contacts && block.law == Law::kContact;
  }
  write_int("/fclib_local/spacedim", 3);
  out.write("/fclib_local/vectors/q", flatten(problem.q));
  out.write("/fclib_local/vectors/mu", mu);
  write_compliance(problem.C, out);
  if (only_contacts) return;
  out.write("/stance/law", law), out.write("/stance/rows", rows);
  out.write("/stance/mu_rolling", rolling), out.write("/stance/bound", bound);
  out.write("/stance/normal", normal);
}

solver::ContactSolution read_fclib_solution(const std::string& file) {
  const Hdf5File in(file, Hdf5File::Mode::kRead);
  solver::ContactSolution solution{gather(file, in.read_doubles("/solution/r")),
                                   gather(file, in.read_doubles("/solution/u"))};
  if (solution.p.size() != solution.u.size())
    throw Error(fmt::format("{}: /solution/r and /solution/u differ in size", file));
  return solution;
}

void write_fclib_solution(const solver::ContactSolution& solution, const std::string& file) {
  Hdf5File out(file, Hdf5File::Mode::kCreate);
  out.write("/solution/r", flatten(solution.p));
  out.write("/solution/u", flatten(solution.u));
}

}  // namespace stance::io
