#include "stance/io/siconos_dat.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <type_traits>

#include <fmt/format.h>

#include "stance/io/problem_rows.h"
#include "stance/kernel/error.h"

namespace stance::io {

using solver::BlockMatrix;
using solver::ContactProblem;

namespace {

constexpr int kMostContacts = 1'000'000, kMostRows = 5 * kMostContacts;

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

  // A count that a comma may follow.
  int count_of(const std::string& what, int most) {
    std::string_view word = next_word();
    const char* stop = word.data() + word.size();
    if (word.ends_with(',')) --stop;
    int value = -1;
    const auto [next, error] = std::from_chars(word.data(), stop, value);
    if (error != std::errc() || next != stop || value < 0 || value > most)
      fail(fmt::format("expected {}, found '{}'", what, make_printable(word)));
    skip_word();
    return value;
  }

  std::vector<int> counts(const char* what, int size, int least, int most) {
    std::vector<int> values(size);
    for (int& value : values) value = count(what, least, most);
    return values;
  }

  // Passes over a word if it stands next.
  bool has_word(std::string_view word) {
    if (next_word() != word) return false;
    at_ += word.size();
    return true;
  }
  void expect_word(std::string_view word) {
    if (!has_word(word))
      fail(fmt::format("expected '{}', found '{}'", word, make_printable(next_word())));
  }

  // The next word, which stays; empty at the end of the file.
  std::string_view next_word() {
    skip_space();
    return {at_, std::find_if(at_, end_, is_space)};
  }

  // The word after it, and so on: words from here to the end of the file, or to `word`.
  std::vector<std::string_view> list_words(std::size_t most, std::string_view word) {
    std::vector<std::string_view> words;
    for (const char* at = at_; words.size() < most;) {
      at = std::find_if_not(at, end_, is_space);
      const char* stop = std::find_if(at, end_, is_space);
      if (at == end_ || std::string_view(at, stop) == word) break;
      words.emplace_back(at, stop), at = stop;
    }
    return words;
  }

  void skip_word() { at_ += next_word().size(); }

  void skip_line() {
    at_ = std::find(at_, end_, '\n');
    if (at_ != end_) ++at_, ++line_;
  }

  void expect_end(const char* last) {
    if (!next_word().empty())
      fail(fmt::format("the file should end after {}, found '{}'", last,
                       make_printable(next_word())));
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
      fail(fmt::format("expected {} for {}, found '{}'", kind, what, make_printable({at_, stop})));
    at_ = stop;
    return is_tiny ? T{} : value;
  }

  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  static std::string make_printable(std::string_view word) {
    constexpr std::size_t kMost = 40;
    std::string text(word.substr(0, kMost));
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

// ---- matrices ---------------------------------------------------------------------------------

// What a matrix is, for messages, and what it stores.
struct MatrixReader {
  Numbers& in;
  std::string name;  // "W", "M", "H"
  StoredMatrix matrix{};

  std::string of(const char* what) const { return fmt::format("{} of {}", what, name); }
  double entry() { return in.number(of("an entry").c_str()); }
  int size(const char* what, int least, int most) {
    return in.count(of(what).c_str(), least, most);
  }
  void add(int row, int column, double value) {
    if (value != 0.0) matrix.entries.push_back({row, column, value});
  }

  // Column by column. Grows as the file does: a false size must not take all memory.
  void read_dense() {
    size("the number of rows", matrix.rows, matrix.rows);
    size("the number of columns", matrix.columns, matrix.columns);
    for (int c = 0; c < matrix.columns; ++c)
      for (int r = 0; r < matrix.rows; ++r) add(r, c, entry());
  }

  // Where blocks begin, from where they end.
  std::vector<int> read_starts(const char* what, int count, int total) {
    std::vector<int> starts = {0};
    for (int k = 0; k < count; ++k) starts.push_back(size(what, starts.back(), total));
    if (starts.back() != total) in.fail(of("the blocks do not fill the whole"));
    return starts;
  }

  void read_block_rows() {
    const int blocks = size("the number of blocks", 0, 2'000'000'000);
    const int down = size("the number of block rows", 0, matrix.rows);
    const int across = size("the number of block columns", 0, matrix.columns);
    const std::vector<int> row_at = read_starts("a cumulative row size", down, matrix.rows);
    const std::vector<int> column_at =
        read_starts("a cumulative column size", across, matrix.columns);
    size("the number of row pointers", down + 1, down + 1);
    size("the number of block columns listed", blocks, blocks);
    const std::vector<int> row_start = in.counts(of("a row pointer").c_str(), down + 1, 0, blocks);
    for (int i = 0; i < down; ++i)
      if (row_start[i] > row_start[i + 1]) in.fail("the row pointers must not fall");
    if (row_start[0] != 0 || row_start[down] != blocks)
      in.fail("the row pointers must run from 0 to the number of blocks");
    std::vector<int> column;
    for (int k = 0; k < blocks; ++k) column.push_back(size("a block column", 0, across - 1));
    for (int i = 0; i < down; ++i)
      for (int k = row_start[i]; k < row_start[i + 1]; ++k) {
        size("the number of a block", k, k);
        for (int c = column_at[column[k]]; c < column_at[column[k] + 1]; ++c)
          for (int r = row_at[i]; r < row_at[i + 1]; ++r) add(r, c, entry());
      }
  }

  // As the library CSparse prints it, under its own name and version: triplets, or columns.
  void read_sparse() {
    constexpr int kTriplets = 1, kColumns = 2;
    const int origin = size("the origin", 0, 10);
    if (origin != kTriplets && origin != kColumns)
      in.fail(
          fmt::format("the sparse matrix {} is of kind {}, expected 1 (triplets) or 2 (columns)",
                      name, origin));
    in.skip_line(), in.skip_line();
    const bool is_triplets = in.has_word("triplet:");
    if (is_triplets != (origin == kTriplets))
      in.fail(fmt::format("the sparse matrix {} is said to be of one kind and printed as another",
                          name));
    in.expect_word(fmt::format("{}-by-{},", matrix.rows, matrix.columns));
    in.expect_word("nzmax:");
    in.skip_word();
    in.expect_word("nnz:");
    const int entries = in.count_of(of("the number of entries"), 2'000'000'000);
    in.skip_line();
    is_triplets ? read_triplets(entries) : read_columns(entries);
  }
  void read_triplets(int entries) {
    for (int k = 0; k < entries; ++k) {
      const int row = size("a row", 0, matrix.rows - 1);
      const int column = size("a column", 0, matrix.columns - 1);
      in.expect_word(":");
      add(row, column, entry());
    }
  }
  void read_columns(int entries) {
    int next = 0;
    for (int c = 0; c < matrix.columns; ++c) {
      in.expect_word("col");
      size("the number of a column", c, c);
      in.expect_word(":"), in.expect_word("locations");
      size("the first place of a column", next, next);
      in.expect_word("to");
      const int end = size("the last place of a column", next - 1, entries - 1) + 1;
      for (; next < end; ++next) {
        const int row = size("a row", 0, matrix.rows - 1);
        in.expect_word(":");
        add(row, c, entry());
      }
    }
    if (next != entries)
      in.fail(fmt::format("{} has {} entries, not the {} that it is said to have", name, next,
                          entries));
  }
};

// Storage, sizes, entries. Sizes that are known are given; -1: any, and as many columns as rows.
StoredMatrix read_matrix(Numbers& in, const char* name, int rows, int columns) {
  MatrixReader reader{in, name};
  const int storage = reader.size("the storage (0 dense, 1 block rows, 2 sparse)", 0, 2);
  const auto size = [&](const char* what, int known) {
    return reader.size(what, known < 0 ? 0 : known, known < 0 ? kMostRows : known);
  };
  reader.matrix.rows = size("the number of rows", rows);
  reader.matrix.columns = size("the number of columns", columns < 0 ? reader.matrix.rows : columns);
  switch (storage) {
    case 0: reader.read_dense(); break;
    case 1: reader.read_block_rows(); break;
    default: reader.read_sparse(); break;
  }
  return std::move(reader.matrix);
}

// ---- problems ---------------------------------------------------------------------------------

std::vector<double> read_numbers(Numbers& in, const char* what, int size) {
  std::vector<double> values;
  for (int k = 0; k < size; ++k) values.push_back(in.number(what));
  return values;
}

std::vector<double> read_coefficients(Numbers& in, const char* what, int size) {
  std::vector<double> values;
  for (int k = 0; k < size; ++k) {
    values.push_back(in.number(what));
    if (values.back() < 0.0)
      in.fail(fmt::format("{} is {}, expected 0 or more", what, values.back()));
  }
  return values;
}

// What the first matrix is: W of a local problem, or M of a global one. A global problem goes on
// with a second matrix, and has more numbers than a local one in any case.
bool is_global(Numbers& in, const ProblemRows& rows, int contacts, const StoredMatrix& first) {
  const int n = rows.per_contact * contacts;
  const bool may_be_local = first.rows == n && first.columns == n;
  const std::size_t local =
      static_cast<std::size_t>(n) + contacts * (rows.per_contact == 5 ? 2 : 1);
  const std::vector<std::string_view> words = in.list_words(local + 2, kComplianceWord);
  if (may_be_local && words.size() <= local + 1) return false;
  const bool has_second = words.size() > 2 &&
                          (words[0] == "0" || words[0] == "1" || words[0] == "2") &&
                          words[1] == std::to_string(first.rows) && words[2] == std::to_string(n);
  if (!has_second && !may_be_local)
    in.fail(
        fmt::format("the first matrix is {} by {} and no H of {} by {} follows: expected a W of "
                    "{} rows and columns (a local problem), or M and H (a global one)",
                    first.rows, first.columns, first.rows, n, n));
  return has_second;
}

ContactProblem read_local(Numbers& in, ProblemRows& rows, int contacts, const StoredMatrix& W) {
  const std::vector<double> q = read_numbers(in, "q", W.rows);
  rows.mu = read_coefficients(in, "mu", contacts);
  if (rows.per_contact == 5)
    rows.mu_roll = read_coefficients(in, "a coefficient of rolling friction", contacts);
  ContactProblem problem = make_problem(rows, W, q);
  // older files end with a mark that says nothing of the problem
  if (in.next_word() == "0" || in.next_word() == "1") in.skip_word();
  if (in.has_word(kComplianceWord)) read_compliance(in, problem.num_blocks(), problem.C);
  return problem;
}

// M v = H r + q, u = H^T v + b
ContactProblem read_global(Numbers& in, ProblemRows& rows, int contacts, const StoredMatrix& M) {
  const StoredMatrix H = read_matrix(in, "H", M.rows, rows.per_contact * contacts);
  const std::vector<double> q = read_numbers(in, "q", M.rows);
  const std::vector<double> b = read_numbers(in, "b", H.columns);
  rows.mu = read_coefficients(in, "mu", contacts);
  if (rows.per_contact == 5)
    rows.mu_roll = read_coefficients(in, "a coefficient of rolling friction", contacts);
  return reduce_problem(rows, M, H, q, b);
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
  ProblemRows rows{.file = file};
  rows.per_contact = in.count("the dimension", 0, 1000);
  if (rows.per_contact != 3 && rows.per_contact != 5)
    in.fail(
        fmt::format("problems of dimension {} are not solved here, expected 3, or 5 with "
                    "rolling friction",
                    rows.per_contact));
  const int contacts = in.count("the number of contacts", 0, kMostContacts);
  const StoredMatrix first = read_matrix(in, "W", -1, -1);
  ContactProblem problem = is_global(in, rows, contacts, first)
                               ? read_global(in, rows, contacts, first)
                               : read_local(in, rows, contacts, first);
  in.expect_end("the last coefficient of friction");
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
