#pragma once

// Collision groups (H7, A11): contacts that are linked through bodies that can move.
//
// All bodies of a tree answer each other, so trees are what is linked; the fixed world links
// nothing. Groups are numbered by their first contact, contacts in a group keep their order: the
// same whatever the number of threads.

#include <span>
#include <vector>

#include "stance/collision/contact_point.h"
#include "stance/model/model.h"

namespace stance::contact {

class Groups {
 public:
  // Room for a model and this many contacts.
  Groups(const model::Model& model, int capacity);

  void update(const model::Model& model, std::span<const collision::ContactPoint> points);

  int size() const { return static_cast<int>(start_.size()) - 1; }
  // Indices of the contacts of group g, ascending.
  std::span<const int> contacts(int g) const {
    return {contacts_.data() + start_[g], contacts_.data() + start_[g + 1]};
  }

 private:
  int find_root(int tree);

  std::vector<int> up_;        // by tree: towards the one that stands for its group
  std::vector<int> group_of_;  // by such a tree, else -1
  std::vector<int> of_contact_, contacts_, start_;
};

}  // namespace stance::contact
