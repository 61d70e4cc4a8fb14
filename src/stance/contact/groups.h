#pragma once

// Collision groups (docs/papers.md#h7): contacts and other constraints that are linked through
// bodies that can move.
//
// All bodies of a tree answer each other, so trees are what is linked; the fixed world links
// nothing. Groups are numbered by their first member, members keep their order: the same whatever
// the number of threads.

#include <span>
#include <vector>

#include "stance/model/model.h"

namespace stance::contact {

// The trees that a constraint acts on; -1 is the world. At least one is a tree.
struct TreePair {
  int a = -1, b = -1;
};

class Groups {
 public:
  // Room for a model and this many constraints.
  Groups(const model::Model& model, int capacity);
  void make_room(int capacity);

  void update(std::span<const TreePair> constraints);

  int size() const { return static_cast<int>(start_.size()) - 1; }
  // Indices of the constraints of group g, ascending.
  std::span<const int> members(int g) const {
    return {members_.data() + start_[g], members_.data() + start_[g + 1]};
  }

 private:
  int find_root(int tree);

  std::vector<int> up_;        // by tree: towards the one that stands for its group
  std::vector<int> group_of_;  // by such a tree, else -1
  std::vector<int> of_member_, members_, start_;
};

}  // namespace stance::contact
