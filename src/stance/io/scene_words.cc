#include "stance/io/scene_words.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stance/io/xml_text.h"
#include "stance/kernel/names.h"

namespace stance::io {
namespace {

using kernel::find_nearest_name;
using scene::scene_schema;
using scene::SceneGroup;
using scene::SceneKey;
using scene::ValueKind;
using Kind = YamlNode::Kind;

// The group that has a key of this name, the first on the way down.
const SceneGroup* find_owner(std::string_view word, const SceneGroup& group) {
  if (group.find(word)) return &group;
  for (const SceneKey& key : group.keys)
    if (key.group)
      if (const SceneGroup* found = find_owner(word, *key.group)) return found;
  return nullptr;
}

}  // namespace

std::string kind_text(const YamlNode& node) {
  switch (node.kind) {
    case Kind::kEmpty: return "nothing";
    case Kind::kScalar: return fmt::format("'{}'", make_printable(node.text.substr(0, 60)));
    case Kind::kList: return "a list";
    case Kind::kMap: return "a group of keys";
  }
  return "";
}

std::string join_names(const SceneGroup& group) {
  std::vector<std::string_view> names;
  for (const SceneKey& key : group.keys) names.push_back(key.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string describe(const SceneKey& key) {
  switch (key.kind) {
    case ValueKind::kNumber: return "a number";
    case ValueKind::kInteger: return "an integer";
    case ValueKind::kFlag: return "true or false";
    case ValueKind::kName: return "a name";
    case ValueKind::kText: return "a text";
    case ValueKind::kTexts: return "a text, or a list of them";
    case ValueKind::kPath: return "the name of a file";
    case ValueKind::kPaths: return "the name of a file, or a list of them";
    case ValueKind::kChoice: return fmt::format("one of {}", fmt::join(key.choices(), ", "));
    case ValueKind::kFormula: return "an expression of x and y";
    case ValueKind::kVector: return fmt::format("a list of {} numbers", key.count);
    case ValueKind::kNumbers: return "a list of numbers";
    case ValueKind::kPoints: return "a list of points, [x, y, z] each";
    case ValueKind::kPairs: return "a list of pairs of names, [a, b] each";
    case ValueKind::kGroup:
      return key.group->keys.empty() ? "{}"
                                     : fmt::format("a group of keys ({})", join_names(*key.group));
    case ValueKind::kGroups: return "named entries, each a group of keys";
    case ValueKind::kNumberMap: return "names with a number each";
    case ValueKind::kVariables: return "names with a value each";
  }
  return "";
}

// A list cuts "max(1, 2)" in two.
std::string find_split(const YamlNode& list) {
  for (const YamlNode& item : list.items)
    if (std::count(item.text.begin(), item.text.end(), '(') >
        std::count(item.text.begin(), item.text.end(), ')'))
      return fmt::format("; '{}' was cut at its comma, put quotes around the expression",
                         make_printable(item.text));
  return "";
}

// "did you mean" among the keys of a group.
std::string suggest_key(std::string_view word, const SceneGroup& group) {
  std::vector<std::string_view> names;
  for (const SceneKey& key : group.keys) names.push_back(key.name);
  const std::string_view nearest = find_nearest_name(word, names);
  if (!nearest.empty()) return fmt::format(", did you mean '{}'?", nearest);
  if (const SceneGroup* other = find_owner(word, scene_schema()))
    return fmt::format("; it belongs to {}", other->title);
  return names.empty() ? "; it has none" : fmt::format("; it has {}", join_names(group));
}

}  // namespace stance::io
