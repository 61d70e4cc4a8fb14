#include "stance/solver/contact_problem.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "stance/kernel/assert.h"

namespace stance::solver {
namespace {

bool is_finite(const Vec3d& a) {
  return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]);
}

// Appends an empty block row by row; `columns` ascending, holding i itself.
void add_row(int i, std::span<const int> columns, BlockMatrix& W) {
  for (const int j : columns) {
    if (j == i) W.diagonal.push_back(static_cast<int>(W.column.size()));
    W.column.push_back(j);
  }
  W.row_start.push_back(static_cast<int>(W.column.size()));
}

}  // namespace

int count_rows(const Block& block) {
  switch (block.law) {
    case Law::kUnilateral:
    case Law::kBox: return 1;
    case Law::kBilateral: return block.rows;
    case Law::kContact:
    case Law::kSpin: return 3;
  }
  return 3;
}

BlockMatrix make_block_matrix(int num_blocks, std::span<const double> dense) {
  const std::size_t ld = 3 * static_cast<std::size_t>(num_blocks);
  STANCE_DEMAND(dense.size() == ld * ld);
  const auto read = [&](int i, int j) {
    Mat3d block;
    for (int c = 0; c < 3; ++c) {
      const double* from = dense.data() + (3 * j + c) * ld + 3 * i;
      block.c[c] = Vec3d(from[0], from[1], from[2]);
    }
    return block;
  };
  BlockMatrix W;
  std::vector<int> columns;
  for (int i = 0; i < num_blocks; ++i) {
    columns.clear();
    for (int j = 0; j < num_blocks; ++j) {
      const Mat3d block = read(i, j);
      bool is_zero = true;
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) is_zero = is_zero && block(r, c) == 0.0;
      if (is_zero && i != j) continue;
      columns.push_back(j);
      W.block.push_back(block);
    }
    add_row(i, columns, W);
  }
  return W;
}

BlockMatrix make_block_matrix(int num_blocks, std::vector<Entry> entries) {
  for (int k = 0; k < num_blocks; ++k) entries.push_back({3 * k, 3 * k, 0.0});
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.row / 3 != b.row / 3 ? a.row / 3 < b.row / 3 : a.column / 3 < b.column / 3;
  });
  BlockMatrix W;
  std::vector<int> columns;
  std::size_t k = 0;
  for (int i = 0; i < num_blocks; ++i) {
    columns.clear();
    for (; k < entries.size() && entries[k].row / 3 == i; ++k) {
      const Entry& entry = entries[k];
      if (columns.empty() || columns.back() != entry.column / 3) {
        columns.push_back(entry.column / 3);
        W.block.emplace_back();
      }
      Vec3d& c = W.block.back().c[entry.column % 3];
      c.set(entry.row % 3, c[entry.row % 3] + entry.value);
    }
    add_row(i, columns, W);
  }
  return W;
}

const BlockMatrix& find_total(const ContactProblem& problem, BlockMatrix& room) {
  const Compliance& C = problem.C;
  if (C.is_empty()) return problem.W;
  const BlockMatrix& W = problem.W;
  room.row_start.assign(1, 0);
  room.column.clear(), room.diagonal.clear(), room.block.clear();
  std::vector<int> columns;
  for (int i = 0; i < problem.num_blocks(); ++i) {
    const std::span<const int> own(W.column.data() + W.row_start[i],
                                   W.column.data() + W.row_start[i + 1]);
    const std::span<const int> coupled = C.coupled_to(i);
    columns.clear();
    std::set_union(own.begin(), own.end(), coupled.begin(), coupled.end(),
                   std::back_inserter(columns));
    for (std::size_t k = 0, from = 0; k < columns.size(); ++k) {
      const bool is_in_W = from < own.size() && own[from] == columns[k];
      room.block.push_back(is_in_W ? W.block[W.row_start[i] + from++] : Mat3d());
    }
    add_row(i, columns, room);
  }
  C.visit([&](int i, int j, const Mat3d& C_ij) {
    const auto begin = room.column.begin() + room.row_start[i];
    const auto at = std::lower_bound(begin, room.column.begin() + room.row_start[i + 1], j);
    room.block[at - room.column.begin()] += C_ij;
  });
  return room;
}

std::string find_fault(const ContactProblem& problem) {
  const int n = problem.num_blocks();
  if (static_cast<int>(problem.q.size()) != n || problem.W.num_rows() != n)
    return fmt::format("the problem has {} blocks but {} velocities and {} block rows of W", n,
                       problem.q.size(), problem.W.num_rows());
  for (int i = 0; i < n; ++i) {
    const Block& block = problem.blocks[i];
    const auto wrong = [&](const char* what) { return fmt::format("block {}: {}", i, what); };
    if (!is_finite(problem.q[i])) return wrong("its free velocity is not finite");
    if (!(block.mu >= 0.0) || !std::isfinite(block.mu) || !(block.mu_rolling >= 0.0) ||
        !std::isfinite(block.mu_rolling))
      return wrong("a coefficient of friction is negative or not finite");
    if (block.law == Law::kBox && !(block.bound >= 0.0)) return wrong("its bound is negative");
    if (block.rows < 1 || block.rows > 3) return wrong("a block has one to three rows");
    if (block.law == Law::kSpin && (block.normal < 0 || block.normal >= n ||
                                    problem.blocks[block.normal].law != Law::kContact))
      return wrong("it spins about a block that is no contact");
    for (int k = problem.W.row_start[i]; k < problem.W.row_start[i + 1]; ++k)
      for (int c = 0; c < 3; ++c)
        if (!is_finite(problem.W.block[k].c[c])) return wrong("W is not finite");
    const Mat3d& own = problem.W.block[problem.W.diagonal[i]];
    for (int r = 0; r < 3; ++r)
      if (own(r, r) < 0.0) return wrong("its own inverse inertia in W is negative");
  }
  return find_fault(problem.C, n);
}

}  // namespace stance::solver
