#include "stance/io/siconos_dat.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <type_traits>

#include <fmt/format.h>

#include "stance/kernel/error.h"

namespace stance::io {

using solver::BlockMatrix;
using solver::ContactProblem;
using solver::Entry;

namespace {

constexpr int kMostContacts = 1'000'000;

// The numbers of a text file, one after the other, with a sentence when one is not as expected.
class Numbers {
 public:
  Numbers(std::string_view text, const std::string& file)
      : file_(file), at_(text.data()), end_(text.data() + text.size()) {}

  double number(const char* what) {
    const double value = read<double>(what, "a number");
    if (!std::isfinite(value)) fail(fmt::format("{} is {}, which is not finite", what, value));
    return value;
  }

  int count(const char* what, int least, int most) {
    const int value = read<int>(what, "a whole number");
    if (value < least || value > most)
      fail(fmt::format("{} is {}, expected {} to {}", what, value, least, most));
    return value;
  }

  std::vector<int> counts(const char* what, int size, int least, int most) {
    std::vector<int> values(size);
    for (int& value : values) value = count(what, least, most);
    return values;
  }

  // Passes over a word if it stands next.
  bool has_word(std::string_view word) {
    skip_space();
    if (std::string_view(at_, std::find_if(at_, end_, is_space)) != word) return false;
    at_ += word.size();
    return true;
  }

  [[noreturn]] void fail(const std::string& what) const { throw Error({file_, line_}, what); }

 private:
  void skip_space() {
    for (; at_ != end_ && is_space(*at_); ++at_) line_ += *at_ == '\n';
  }

  template <class T>
  T read(const char* what, const char* kind) {
    skip_space();
    if (at_ == end_) fail(fmt::format("the file ends where {} should stand", what));
    const char* stop = std::find_if(at_, end_, is_space);
    // from_chars knows no leading +
    const char* first = *at_ == '+' && at_ + 1 != stop && at_[1] != '-' ? at_ + 1 : at_;
    T value{};
    const auto [next, error] = std::from_chars(first, stop, value);
    // what is too small for a double is zero to us
    const bool is_tiny = std::is_floating_point_v<T> && error == std::errc::result_out_of_range &&
                         next == stop &&
                         std::abs(std::strtod(std::string(first, stop).c_str(), nullptr)) < 1.0;
    if ((error != std::errc() && !is_tiny) || next != stop)
      fail(fmt::format("expected {} for {}, found '{}'", kind, what, make_printable(at_, stop)));
    at_ = stop;
    return is_tiny ? T{} : value;
  }

  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  static std::string make_printable(const char* first, const char* stop) {
    constexpr std::ptrdiff_t kMost = 40;
    std::string text(first, std::min(stop - first, kMost));
    for (char& c : text)
      if (c < ' ' || c > '~') c = '?';
    return text;
  }

  std::string file_;
  const char *at_, *end_;
  int line_ = 1;
};

// What other readers pass over, since they stop at the last mu: what gives way, after this word.
constexpr std::string_view kComplianceWord = "stance_compliance";

kernel::Vec3d read_vector(Numbers& in, const char* what) {
  const double x = in.number(what), y = in.number(what), z = in.number(what);
  return {x, y, z};
}

void read_compliance(Numbers& in, int n, solver::Compliance& C) {
  const int own = in.count("the number of blocks with compliance of their own", 0, n);
  for (int i = 0; i < own; ++i) C.set_own(i, read_vector(in, "compliance of a block"));
  const int groups = in.count("the number of compliance groups", 0, n);
  for (int g = 0; g < groups; ++g) {
    const int m = in.count("the number of blocks of a compliance group", 1, n);
    const std::vector<int> members = in.counts("a block of a compliance group", m, 0, n - 1);
    if (const std::string fault = C.find_fault(members, n); !fault.empty()) in.fail(fault);
    std::vector<kernel::Mat3d> columns;  // grows as the file does, as above
    for (long long k = 1LL * m * m; k > 0; --k) {
      kernel::Mat3d block;
      for (kernel::Vec3d& column : block.c)
        column = read_vector(in, "an entry of a compliance group");
      columns.push_back(block);
    }
    C.add_group(members, columns);
  }
}

void write_compliance(const solver::Compliance& C, std::ostream& out) {
  const auto list = [&](const kernel::Vec3d& x) {
    out << fmt::format("{} {} {}\n", x[0], x[1], x[2]);
  };
  out << kComplianceWord << '\n' << C.own.size() << '\n';
  for (const kernel::Vec3d& own : C.own) list(own);
  out << C.groups.size() << '\n';
  for (const solver::Compliance::Group& group : C.groups) {
    out << group.count << '\n';
    for (int k = 0; k < group.count; ++k) out << C.member[group.first + k] << ' ';
    out << '\n';
    const std::size_t end = group.entries + static_cast<std::size_t>(group.count) * group.count;
    for (std::size_t k = group.entries; k < end; ++k)
      for (const kernel::Vec3d& column : C.entry[k].c) list(column);
  }
}

BlockMatrix read_dense(Numbers& in, int n) {
  in.count("the number of rows of W", 3 * n, 3 * n);
  in.count("the number of columns of W", 3 * n, 3 * n);
  std::vector<double> dense;  // grows as the file does: a false size must not take all memory
  for (std::size_t k = 9 * static_cast<std::size_t>(n) * n; k > 0; --k)
    dense.push_back(in.number("an entry of W"));
  return solver::make_block_matrix(n, dense);
}

BlockMatrix read_block_rows(Numbers& in, int n) {
  const int num_blocks = in.count("the number of blocks", 0, 2'000'000'000);
  in.count("the number of block rows", n, n);
  in.count("the number of block columns", n, n);
  for (const char* what : {"a cumulative row size", "a cumulative column size"})
    for (int k = 1; k <= n; ++k)
      if (in.count(what, 0, 3 * n) != 3 * k) in.fail("blocks of W must be 3 x 3");
  in.count("the number of row pointers", n + 1, n + 1);
  in.count("the number of block columns listed", num_blocks, num_blocks);
  const std::vector<int> row_start = in.counts("a row pointer", n + 1, 0, num_blocks);
  for (int i = 0; i < n; ++i)
    if (row_start[i] > row_start[i + 1]) in.fail("the row pointers must not fall");
  if (row_start[0] != 0 || row_start[n] != num_blocks)
    in.fail("the row pointers must run from 0 to the number of blocks");
  std::vector<int> column;
  for (int k = 0; k < num_blocks; ++k) column.push_back(in.count("a block column", 0, n - 1));

  std::vector<Entry> entries;
  for (int i = 0; i < n; ++i)
    for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
      in.count("the number of a block", k, k);
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r)
          entries.push_back({3 * i + r, 3 * column[k] + c, in.number("an entry of W")});
    }
  return make_block_matrix(n, std::move(entries));
}

}  // namespace

ContactProblem read_siconos_dat(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(fmt::format("{}: cannot open the file", file));
  std::ostringstream text;
  text << in.rdbuf();
  return parse_siconos_dat(text.view(), file);
}

ContactProblem parse_siconos_dat(std::string_view text, const std::string& file) {
  Numbers in(text, file);
  if (in.count("the dimension", 0, 1000) != 3)
    in.fail("only problems of dimension 3 are solved here");
  const int n = in.count("the number of contacts", 0, kMostContacts);
  const int storage = in.count("the storage of W (0 dense, 1 block rows)", 0, 1);
  in.count("the number of rows of W", 3 * n, 3 * n);
  in.count("the number of columns of W", 3 * n, 3 * n);
  ContactProblem problem;
  problem.W = storage == 0 ? read_dense(in, n) : read_block_rows(in, n);
  problem.q.resize(n);
  for (kernel::Vec3d& q : problem.q) {
    const double normal = in.number("q"), first = in.number("q"), second = in.number("q");
    q = kernel::Vec3d(normal, first, second);
  }
  problem.blocks.resize(n);
  for (solver::Block& block : problem.blocks) {
    block.mu = in.number("mu");
    if (block.mu < 0.0) in.fail(fmt::format("mu is {}, expected 0 or more", block.mu));
  }
  if (in.has_word(kComplianceWord)) read_compliance(in, n, problem.C);
  return problem;
}

void write_siconos_dat(const ContactProblem& problem, const std::string& file) {
  const int n = problem.num_blocks();
  const BlockMatrix& W = problem.W;
  for (int i = 0; i < n; ++i)
    if (problem.blocks[i].law != solver::Law::kContact)
      throw Error(
          fmt::format("{}: a .dat file can hold contacts only, but block {} is something "
                      "else; write .hdf5 instead",
                      file, i));
  std::ofstream out(file);
  const auto list = [&](const std::vector<int>& values) {
    out << fmt::format("{}\n", fmt::join(values, " "));
  };
  std::vector<int> sizes(n);
  for (int i = 0; i < n; ++i) sizes[i] = 3 * (i + 1);
  out << fmt::format("3\n{}\n1\n{}\n{}\n{}\n{} {}\n", n, 3 * n, 3 * n, W.block.size(), n, n);
  list(sizes), list(sizes);
  out << fmt::format("{} {}\n", n + 1, W.block.size());
  list(W.row_start), list(W.column);
  for (std::size_t k = 0; k < W.block.size(); ++k) {
    out << k;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) out << ' ' << fmt::format("{}", W.block[k](r, c));
    out << '\n';
  }
  for (const kernel::Vec3d& q : problem.q) out << fmt::format("{} {} {}\n", q[0], q[1], q[2]);
  for (const solver::Block& block : problem.blocks) out << fmt::format("{}\n", block.mu);
  if (!problem.C.is_empty()) write_compliance(problem.C, out);
  if (!out.flush()) throw Error(fmt::format("{}: cannot write the file", file));
}

}  // namespace stance::io
