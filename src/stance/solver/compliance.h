#pragma once

// What gives way between bodies beside their inertia: u = (W + C) p + q.
//
// C is symmetric and positive semidefinite. A pad whose surface nodes move by A f under forces f
// gives them the velocity (A / h^2) p over a step h, p = h f, so C = A / h^2, dense over all nodes
// of the pad that touch; what it was deflected by before the step belongs into q. A spring of
// stiffness k in one row is 1 / (h^2 k), or 1 / (h^2 k + h d) with a damper beside it, on the
// diagonal.
//
// Plain data, like W; nothing in it is the same as rigid, to the last bit.

#include <span>
#include <string>
#include <vector>

#include "stance/kernel/vec3.h"

namespace stance::solver {

struct Compliance {
  using Vec3d = kernel::Vec3d;
  using Mat3d = kernel::Mat3d;

  // Where a block stands among the groups.
  struct Place {
    int group = -1;  // -1: in none
    int number = 0;  // among its members
  };
  // Dense over all rows of some blocks.
  struct Group {
    int first = 0, count = 0;  // its blocks, in `member`
    std::size_t entries = 0;   // its count x count blocks of C in `entry`, column by column
  };

  std::vector<Vec3d> own;     // by block: compliance of each row on its own; those behind have none
  std::vector<Place> place;   // by block; those behind are in no group
  std::vector<Group> groups;  // no block in two of them
  std::vector<int> member;    // blocks, ascending in each group
  std::vector<Mat3d> entry;   // m/(N s^2), or rad likewise

  bool is_empty() const { return own.empty() && groups.empty(); }
  void clear() { own.clear(), place.clear(), groups.clear(), member.clear(), entry.clear(); }

  // Adds a group: `members` ascending and in no group yet; C between members[i] and members[j] is
  // columns[j * m + i]. Allocates only when there is more than ever before.
  void add_group(std::span<const int> members, std::span<const Mat3d> columns);

  // A sentence on what keeps these members from being a group of a problem of so many blocks, or
  // nothing.
  std::string find_fault(std::span<const int> members, int num_blocks) const;

  // Sets the compliance of the rows of one block on their own, beside that of its group.
  void set_own(int block, const Vec3d& compliance);

  // Whether a block gives way, and whether others do when it is pushed.
  bool has(int i) const {
    return find_place(i).group >= 0 || (has_own(i) && dot(own[i], own[i]) > 0.0);
  }
  bool is_coupled(int i) const {
    const int group = find_place(i).group;
    return group >= 0 && groups[group].count > 1;
  }
  bool has_coupled() const;

  // Blocks of the group of block i, itself among them; none where it is in no group.
  std::span<const int> coupled_to(int i) const {
    const int group = find_place(i).group;
    if (group < 0) return {};
    return {member.data() + groups[group].first, static_cast<std::size_t>(groups[group].count)};
  }

  Mat3d own_part(int i) const;                                 // C_ii
  Vec3d multiply_row(int i, std::span<const Vec3d> p) const;   // row i of C p
  void act(int i, const Vec3d& dp, std::span<Vec3d> u) const;  // u += column i of C times dp

  // Calls visit(i, j, C_ij) for all pairs of blocks of one group, (i, i) included; the own part of
  // rows comes on its own, once a block.
  template <class Visit>
  void visit(Visit&& visit) const;

 private:
  Place find_place(int i) const { return i < static_cast<int>(place.size()) ? place[i] : Place{}; }
  bool has_own(int i) const { return i < static_cast<int>(own.size()); }
};

// A sentence on the first thing that makes C meaningless for a problem of so many blocks (an index,
// a number that is not finite, a group that is not symmetric or not positive semidefinite), or
// nothing.
std::string find_fault(const Compliance& compliance, int num_blocks);

template <class Visit>
void Compliance::visit(Visit&& visit) const {
  for (const Group& group : groups)
    for (int j = 0; j < group.count; ++j)
      for (int i = 0; i < group.count; ++i)
        visit(member[group.first + i], member[group.first + j],
              entry[group.entries + static_cast<std::size_t>(j) * group.count + i]);
  for (int i = 0; i < static_cast<int>(own.size()); ++i) {
    Mat3d diagonal;
    for (int r = 0; r < 3; ++r) diagonal.c[r].set(r, own[i][r]);
    visit(i, i, diagonal);
  }
}

}  // namespace stance::solver
