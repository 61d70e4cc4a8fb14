// Names and topology of a robot description, checked before urdfdom sees it: urdfdom drops
// duplicates, and leaks a robot whose joints form a loop.

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "stance/io/urdf_document.h"
#include "stance/kernel/names.h"

namespace stance::io {
namespace {

using Names = std::unordered_map<std::string_view, int>;

constexpr std::size_t kMostCandidates = 2000;  // a search for the nearest name is slow beyond
constexpr std::size_t kMostSuggestions = 20;   // per file
constexpr int kLongestMimicChain = 100;

template <class Item>
Names make_names(const std::vector<Item>& items, const char* kind, Findings& findings) {
  Names names;
  for (int i = 0; i < static_cast<int>(items.size()); ++i) {
    if (items[i].name.empty()) continue;  // the lint has told about it
    const auto [it, fresh] = names.emplace(items[i].name, i);
    if (!fresh)
      findings.error(items[i].place,
                     fmt::format("two {}s are named '{}' (the first is at line {}); rename one",
                                 kind, items[i].name, items[it->second].place.line));
  }
  return names;
}

std::string suggest(const std::string& name, const Names& names, const Findings& findings) {
  if (names.size() > kMostCandidates || findings.error_count() > kMostSuggestions) return {};
  std::vector<std::string_view> candidates;
  for (const auto& [candidate, index] : names) candidates.push_back(candidate);
  std::sort(candidates.begin(), candidates.end());
  const std::string_view nearest = kernel::find_nearest_name(name, candidates);
  return nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest);
}

// The joint that carries each link, -1 for none. Tells about links that are missing or carried
// twice.
std::vector<int> find_carriers(const UrdfDocument& document, const Names& links,
                               Findings& findings) {
  std::vector<int> carrier(document.links.size(), -1);
  for (int j = 0; j < static_cast<int>(document.joints.size()); ++j) {
    const UrdfJoint& joint = document.joints[j];
    const auto check_end = [&](const std::string& name, const char* role) {
      if (!name.empty() && !links.count(name))
        findings.error(joint.place, fmt::format("its {0} link '{1}' does not exist{2}", role, name,
                                                suggest(name, links, findings)));
    };
    check_end(joint.parent, "parent");
    check_end(joint.child, "child");
    const auto child = links.find(joint.child);
    if (child == links.end()) continue;
    if (joint.parent == joint.child) {
      findings.error(joint.place, fmt::format("it joins the link '{}' to itself", joint.child));
      continue;
    }
    int& carried_by = carrier[child->second];
    if (carried_by >= 0)
      findings.error(joint.place,
                     fmt::format("the link '{}' is already the child of joint '{}' (line {}); a "
                                 "link hangs on one joint, and a loop is closed by a constraint in "
                                 "the scene",
                                 joint.child, document.joints[carried_by].name,
                                 document.joints[carried_by].place.line));
    else
      carried_by = j;
  }
  return carrier;
}

// The links of a loop, as "'a' on 'b' on 'c' on 'a'"; long loops are cut.
std::string describe_loop(const UrdfDocument& document, const Names& links,
                          const std::vector<int>& carrier, int start) {
  constexpr int kShown = 6;
  std::string text = fmt::format("'{}'", document.links[start].name);
  int at = start;
  for (int k = 0; k < kShown; ++k) {
    at = links.at(document.joints[carrier[at]].parent);
    text += fmt::format(" on '{}'", document.links[at].name);
    if (at == start) return text;
  }
  return text + " on ...";
}

// Follows each link towards the root; a walk that meets itself has found a loop.
void check_loops(const UrdfDocument& document, const Names& links, const std::vector<int>& carrier,
                 Findings& findings) {
  std::vector<int> walk_of(document.links.size(), -1);
  for (int start = 0; start < static_cast<int>(document.links.size()); ++start) {
    int at = start;
    while (walk_of[at] < 0 && carrier[at] >= 0) {
      walk_of[at] = start;
      at = links.at(document.joints[carrier[at]].parent);
    }
    if (walk_of[at] == start && carrier[at] >= 0)
      findings.error(document.joints[carrier[at]].place,
                     fmt::format("the joints form a loop: {}; take one out and close the loop by a "
                                 "constraint in the scene",
                                 describe_loop(document, links, carrier, at)));
    walk_of[at] = start;
  }
}

void check_roots(const UrdfDocument& document, const std::vector<int>& carrier,
                 Findings& findings) {
  std::vector<int> roots;
  for (int i = 0; i < static_cast<int>(document.links.size()); ++i)
    if (carrier[i] < 0) roots.push_back(i);
  if (roots.size() < 2) return;
  const UrdfLink& first = document.links[roots[0]];
  const UrdfLink& second = document.links[roots[1]];
  findings.error(
      second.place,
      fmt::format("there are {} root links, '{}' (line {}) and '{}'{}; join them, or put "
                  "each robot into a file of its own",
                  roots.size() == 2 ? "two" : std::to_string(roots.size()), first.name,
                  first.place.line, second.name, roots.size() > 2 ? " among them" : ""));
}

int count_dofs(const std::string& type) {
  if (type == "revolute" || type == "continuous" || type == "prismatic") return 1;
  return type == "floating" ? 6 : type == "fixed" ? 0 : 3;
}

// Every mimic must lead to a one-dof joint that moves by itself, over a bearable number of steps.
void check_mimics(const UrdfDocument& document, const Names& joints, Findings& findings) {
  for (const UrdfJoint& joint : document.joints) {
    if (joint.leader.empty()) continue;
    const auto leader = joints.find(joint.leader);
    if (leader == joints.end()) {
      findings.error(joint.mimic_place, fmt::format("the joint '{}' does not exist{}", joint.leader,
                                                    suggest(joint.leader, joints, findings)));
      continue;
    }
    if (count_dofs(joint.type) != 1) {
      findings.error(joint.mimic_place, fmt::format("a {} joint cannot mimic; only revolute, "
                                                    "continuous and prismatic joints can",
                                                    joint.type));
      continue;
    }
    const UrdfJoint& led_by = document.joints[leader->second];
    if (count_dofs(led_by.type) != 1)
      findings.error(joint.mimic_place,
                     fmt::format("the joint '{}' is {} and cannot be mimicked; only revolute, "
                                 "continuous and prismatic joints can",
                                 led_by.name, led_by.type));

    const UrdfJoint* at = &joint;
    for (int steps = 0; !at->leader.empty(); ++steps) {
      if (steps == kLongestMimicChain || (steps > 0 && at == &joint)) {
        findings.error(joint.mimic_place, at == &joint ? "the joint ends up mimicking itself"
                                                       : "the joints mimic each other without end");
        break;
      }
      const auto next = joints.find(at->leader);
      if (next == joints.end()) break;
      at = &document.joints[next->second];
    }
  }
}

}  // namespace

void check_tree(const UrdfDocument& document, Findings& findings) {
  const std::size_t errors_before = findings.error_count();
  const Names links = make_names(document.links, "link", findings);
  const Names joints = make_names(document.joints, "joint", findings);
  const std::vector<int> carrier = find_carriers(document, links, findings);
  // With names or links missing, loops and roots would only repeat the complaint.
  if (findings.error_count() == errors_before && links.size() == document.links.size()) {
    const bool whole = std::all_of(
        document.joints.begin(), document.joints.end(),
        [](const UrdfJoint& joint) { return !joint.parent.empty() && !joint.child.empty(); });
    if (whole) {
      check_loops(document, links, carrier, findings);
      check_roots(document, carrier, findings);
    }
  }
  check_mimics(document, joints, findings);
}

}  // namespace stance::io
