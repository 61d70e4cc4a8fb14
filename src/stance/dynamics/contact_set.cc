#include "stance/dynamics/contact_set.h"

#include <algorithm>

#include "stance/kernel/assert.h"

namespace stance::dynamics {

ContactSet::ContactSet(const model::Model& model) : mark_(model.nbody, -1), slot_(model.nbody, -1) {
  // whatever the points, there are no more bodies and coordinates than the model's
  for (std::vector<int>* bodies : {&bodies_, &visited_, &node_of_}) bodies->reserve(model.nbody);
  first_of_.reserve(model.nbody + 1);
  nodes_.reserve(model.nbody);
  path_.reserve(model.nv);
}

void ContactSet::set(const model::Model& model, std::span<const ContactPoint> points) {
  for (int body : visited_) mark_[body] = slot_[body] = -1;
  points_.assign(points.begin(), points.end());
  bodies_.clear(), visited_.clear(), nodes_.clear();

  // paths to the roots, each body once
  for (const ContactPoint& point : points_) {
    STANCE_DEMAND(point.body > 0 && point.body < model.nbody);
    if (slot_[point.body] < 0) {
      slot_[point.body] = 0;
      bodies_.push_back(point.body);
    }
    for (int body = point.body; body != 0 && mark_[body] < 0; body = model.parent[body]) {
      mark_[body] = 0;
      visited_.push_back(body);
    }
  }
  std::sort(bodies_.begin(), bodies_.end());
  std::sort(visited_.begin(), visited_.end());
  for (int body : visited_)
    if (model.parent[body] != 0) ++mark_[model.parent[body]];

  // points sorted by contacting body
  const int num_bodies = static_cast<int>(bodies_.size());
  for (int b = 0; b < num_bodies; ++b) slot_[bodies_[b]] = b;
  first_of_.assign(num_bodies + 1, 0);
  body_of_.resize(points_.size());
  by_body_.resize(points_.size());
  for (std::size_t p = 0; p < points_.size(); ++p) {
    body_of_[p] = slot_[points_[p].body];
    ++first_of_[body_of_[p] + 1];
  }
  for (int b = 0; b < num_bodies; ++b) first_of_[b + 1] += first_of_[b];
  for (std::size_t p = 0; p < points_.size(); ++p)
    by_body_[first_of_[body_of_[p]]++] = static_cast<int>(p);
  for (int b = num_bodies; b > 0; --b) first_of_[b] = first_of_[b - 1];
  first_of_[0] = 0;

  // skeleton: contacting bodies and meetings of paths
  node_of_.resize(num_bodies);
  for (int body : visited_) {
    const int contact = slot_[body];
    int above = -1;  // slots of visited bodies turn into the node at or above them
    if (model.parent[body] != 0) above = slot_[model.parent[body]];
    if (contact < 0 && mark_[body] < 2) {
      slot_[body] = above;
      continue;
    }
    const int n = static_cast<int>(nodes_.size());
    Node node;
    node.body = body, node.parent = above, node.contact = contact;
    node.first = above >= 0 ? nodes_[above].first : n;
    nodes_.push_back(node);
    if (contact >= 0) node_of_[contact] = n;
    slot_[body] = n;
  }

  // the paths between them
  path_.clear();
  for (Node& node : nodes_) {
    const int root = model.tree_root[model.tree[node.body]];
    const bool floating = model.joint_kernel[root] == model::JointKernel::kFree;
    node.top = node.parent >= 0 ? nodes_[node.parent].body : floating ? root : 0;
    node.path_begin = static_cast<int>(path_.size());
    for (int body = node.body; body != node.top; body = model.parent[body])
      for (int k = model.v_start[body] + model.joint_nv(body) - 1; k >= model.v_start[body]; --k)
        path_.push_back(k);
    node.path_end = static_cast<int>(path_.size());
  }
  for (int n = static_cast<int>(nodes_.size()) - 1; n >= 0; --n)
    if (nodes_[n].parent >= 0) nodes_[nodes_[n].parent].below += nodes_[n].below + 1;
}

}  // namespace stance::dynamics
