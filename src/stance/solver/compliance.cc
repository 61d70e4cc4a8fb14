#include "stance/solver/compliance.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "stance/kernel/assert.h"

namespace stance::solver {

using kernel::Mat3d;
using kernel::Vec3d;

void Compliance::add_group(std::span<const int> members, std::span<const Mat3d> columns) {
  STANCE_DEMAND(!members.empty() && columns.size() == members.size() * members.size());
  const int number = static_cast<int>(groups.size());
  groups.push_back(
      {static_cast<int>(member.size()), static_cast<int>(members.size()), entry.size()});
  if (static_cast<int>(place.size()) <= members.back()) place.resize(members.back() + 1);
  for (std::size_t k = 0; k < members.size(); ++k) {
    STANCE_DEMAND(members[k] >= 0 && (k == 0 || members[k - 1] < members[k]));
    Place& at = place[members[k]];
    STANCE_DEMAND(at.group < 0);
    at = {number, static_cast<int>(k)};
  }
  member.insert(member.end(), members.begin(), members.end());
  entry.insert(entry.end(), columns.begin(), columns.end());
}

std::string Compliance::find_fault(std::span<const int> members, int num_blocks) const {
  if (members.empty()) return "a group without members";
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (members[k] < 0 || members[k] >= num_blocks)
      return fmt::format("there is no block {} among {}", members[k], num_blocks);
    if (k > 0 && members[k - 1] >= members[k]) return "its blocks must ascend";
    if (find_place(members[k]).group >= 0)
      return fmt::format("block {} is in another group already", members[k]);
  }
  return {};
}

void Compliance::set_own(int block, const Vec3d& compliance) {
  if (static_cast<int>(own.size()) <= block) own.resize(block + 1);
  own[block] = compliance;
}

bool Compliance::has_coupled() const {
  return std::any_of(groups.begin(), groups.end(),
                     [](const Group& group) { return group.count > 1; });
}

Mat3d Compliance::own_part(int i) const {
  Mat3d C;
  if (const Place at = find_place(i); at.group >= 0) {
    const Group& group = groups[at.group];
    C = entry[group.entries + static_cast<std::size_t>(at.number) * group.count + at.number];
  }
  if (has_own(i))
    for (int r = 0; r < 3; ++r) C.c[r].set(r, C.c[r][r] + own[i][r]);
  return C;
}

Vec3d Compliance::multiply_row(int i, std::span<const Vec3d> p) const {
  Vec3d sum;
  if (const Place at = find_place(i); at.group >= 0) {
    const Group& group = groups[at.group];
    const Mat3d* C = entry.data() + group.entries + at.number;
    for (int j = 0; j < group.count; ++j, C += group.count)
      sum = madd(*C, p[member[group.first + j]], sum);
  }
  if (has_own(i)) sum.e = kernel::fma4(own[i].e, p[i].e, sum.e);
  return sum;
}

void Compliance::act(int i, const Vec3d& dp, std::span<Vec3d> u) const {
  if (const Place at = find_place(i); at.group >= 0) {
    const Group& group = groups[at.group];
    const Mat3d* C =
        entry.data() + group.entries + static_cast<std::size_t>(at.number) * group.count;
    const int* to = member.data() + group.first;
    for (int k = 0; k < group.count; ++k) u[to[k]] = madd(C[k], dp, u[to[k]]);
  }
  if (has_own(i)) u[i].e = kernel::fma4(own[i].e, dp.e, u[i].e);
}

namespace {

constexpr double kUneven = 1e-9;     // of the largest entry: more than rounding of a symmetric one
constexpr double kNegative = 1e-10;  // likewise, of a pivot that should be zero

// Indices that the rest of this code goes by.
std::string find_wrong_index(const Compliance& C, int n) {
  if (static_cast<int>(C.own.size()) > n || static_cast<int>(C.place.size()) > n)
    return fmt::format("compliance is given for more than the {} blocks there are", n);
  std::size_t members = 0, entries = 0;
  for (std::size_t g = 0; g < C.groups.size(); ++g) {
    const Compliance::Group& group = C.groups[g];
    const std::size_t m = group.count > 0 ? static_cast<std::size_t>(group.count) : 0;
    if (m == 0 || group.first != static_cast<int>(members) || group.entries != entries ||
        members + m > C.member.size() || entries + m * m > C.entry.size())
      return fmt::format("compliance group {}: its sizes do not fit its members and entries", g);
    for (std::size_t k = 0; k < m; ++k) {
      const int block = C.member[members + k];
      const bool is_placed = block >= 0 && block < static_cast<int>(C.place.size()) &&
                             C.place[block].group == static_cast<int>(g) &&
                             C.place[block].number == static_cast<int>(k);
      if (!is_placed || (k > 0 && C.member[members + k - 1] >= block))
        return fmt::format(
            "compliance group {}: block {} is no member of a problem of {} blocks, "
            "is out of order, or is in two groups",
            g, block, n);
    }
    members += m, entries += m * m;
  }
  return {};
}

std::string find_wrong_numbers(const Compliance& C, std::size_t g) {
  const Compliance::Group& group = C.groups[g];
  Eigen::MatrixXd dense(3 * group.count, 3 * group.count);
  for (int j = 0; j < group.count; ++j)
    for (int i = 0; i < group.count; ++i)
      dense.block<3, 3>(3 * i, 3 * j) =
          C.entry[group.entries + static_cast<std::size_t>(j) * group.count + i].eigen();
  const auto wrong = [&](const char* what) {
    return fmt::format("compliance group {}: it is not {}", g, what);
  };
  if (!dense.allFinite()) return wrong("finite");
  const double size = dense.cwiseAbs().maxCoeff();
  if ((dense - dense.transpose()).cwiseAbs().maxCoeff() > kUneven * size) return wrong("symmetric");
  const Eigen::LDLT<Eigen::MatrixXd> factor(dense);
  if (factor.vectorD().minCoeff() < -kNegative * size) return wrong("positive semidefinite");
  return {};
}

}  // namespace

std::string find_fault(const Compliance& C, int num_blocks) {
  if (std::string fault = find_wrong_index(C, num_blocks); !fault.empty()) return fault;
  for (std::size_t i = 0; i < C.own.size(); ++i)
    for (int r = 0; r < 3; ++r)
      if (!(C.own[i][r] >= 0.0) || !std::isfinite(C.own[i][r]))
        return fmt::format("block {}: its own compliance is negative or not finite", i);
  for (std::size_t g = 0; g < C.groups.size(); ++g)
    if (std::string fault = find_wrong_numbers(C, g); !fault.empty()) return fault;
  return {};
}

}  // namespace stance::solver
