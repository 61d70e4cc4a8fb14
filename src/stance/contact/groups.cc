#include "stance/contact/groups.h"

#include <algorithm>
#include <numeric>

namespace stance::contact {

Groups::Groups(const model::Model& model, int capacity)
    : up_(model.ntree), group_of_(model.ntree), start_(1) {
  make_room(capacity);
}

void Groups::make_room(int capacity) {
  of_member_.reserve(capacity), members_.reserve(capacity), start_.reserve(capacity + 1);
}

int Groups::find_root(int tree) {
  while (up_[tree] != tree) tree = up_[tree] = up_[up_[tree]];
  return tree;
}

void Groups::update(std::span<const TreePair> constraints) {
  std::iota(up_.begin(), up_.end(), 0);
  std::fill(group_of_.begin(), group_of_.end(), -1);
  const auto is_same = [](const TreePair& x, const TreePair& y) {
    return x.a == y.a && x.b == y.b;
  };
  TreePair last;  // points of two bodies stand together
  for (const TreePair& pair : constraints) {
    if (pair.a < 0 || pair.b < 0 || is_same(pair, last)) continue;
    const int a = find_root(pair.a), b = find_root(pair.b);
    up_[std::max(a, b)] = std::min(a, b);
    last = pair;
  }

  // number the groups by their first members, then sort the members by group
  const int n = static_cast<int>(constraints.size());
  of_member_.resize(n), members_.resize(n);
  start_.assign(1, 0);
  for (int i = 0; i < n; ++i) {
    const TreePair& pair = constraints[i];
    int group = i > 0 && is_same(pair, constraints[i - 1]) ? of_member_[i - 1] : -1;
    if (group < 0) {
      int& named = group_of_[find_root(pair.a >= 0 ? pair.a : pair.b)];
      if (named < 0) {
        named = static_cast<int>(start_.size()) - 1;
        start_.push_back(0);
      }
      group = named;
    }
    of_member_[i] = group;
    ++start_[group + 1];
  }
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  for (int i = 0; i < n; ++i) members_[start_[of_member_[i]]++] = i;
  // each start has moved to the next one's place
  for (int g = static_cast<int>(start_.size()) - 1; g > 0; --g) start_[g] = start_[g - 1];
  start_[0] = 0;
}

}  // namespace stance::contact
