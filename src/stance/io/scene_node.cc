// How readers ask a checked scene.

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "stance/io/scene_check.h"

namespace stance::io {

const SceneKey& SceneNode::rule(std::string_view key) const {
  const SceneKey* rule = group_ ? group_->find(key) : nullptr;
  if (!rule) throw std::logic_error(fmt::format("the schema has no key '{}' here", key));
  return *rule;
}

const SceneNode::Value* SceneNode::find(std::string_view key) const {
  const SceneKey* wanted = &rule(key);
  for (const Value& value : values_)
    if (value.key == wanted) {
      value.was_read = true;
      return &value;
    }
  return nullptr;
}

std::vector<double> SceneNode::find_numbers(std::string_view key) const {
  if (const Value* value = find(key)) return value->numbers;
  std::vector<double> numbers;
  std::string_view rest = rule(key).standard;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    numbers.push_back(evaluate(rest.substr(0, end), {}));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (numbers.empty())
    throw std::logic_error(fmt::format("'{}' was left out and has no default", key));
  return numbers;
}

double SceneNode::number(std::string_view key) const { return find_numbers(key).at(0); }
int SceneNode::integer(std::string_view key) const { return static_cast<int>(number(key)); }

bool SceneNode::flag(std::string_view key) const {
  const Value* value = find(key);
  return value && !value->numbers.empty() && value->numbers[0] != 0.0;
}

kernel::Vec3d SceneNode::vector(std::string_view key) const {
  const std::vector<double> n = find_numbers(key);
  return {n.at(0), n.at(1), n.at(2)};
}

std::vector<double> SceneNode::numbers(std::string_view key) const { return find_numbers(key); }

std::string SceneNode::text(std::string_view key) const {
  if (const Value* value = find(key)) return value->texts.empty() ? "" : value->texts[0];
  return std::string(rule(key).standard);
}

const std::vector<std::string>& SceneNode::texts(std::string_view key) const {
  static const std::vector<std::string> kNone;
  const Value* value = find(key);
  return value ? value->texts : kNone;
}

const SceneNode* SceneNode::group(std::string_view key) const {
  const Value* value = find(key);
  return value && !value->nodes.empty() ? &value->nodes[0] : nullptr;
}

const std::vector<SceneNode>& SceneNode::groups(std::string_view key) const {
  static const std::vector<SceneNode> kNone;
  const Value* value = find(key);
  return value ? value->nodes : kNone;
}

Place SceneNode::place(std::string_view key) const {
  const Value* value = find(key);
  return value ? value->place : place_;
}

void SceneNode::find_files(std::vector<std::string>& files) const {
  for (const Value& value : values_) {
    const bool are_paths =
        value.key->kind == SceneValue::kPath || value.key->kind == SceneValue::kPaths;
    std::error_code code;
    for (const std::string& text : value.texts)
      if (are_paths && value.key->name != "include" && std::filesystem::is_regular_file(text, code))
        files.push_back(text);
    for (const SceneNode& node : value.nodes) node.find_files(files);
  }
}

std::vector<std::string> SceneNode::find_unread() const {
  std::vector<std::string> unread;
  for (const Value& value : values_) {
    if (!value.was_read) unread.emplace_back(value.key->name);
    for (const SceneNode& node : value.nodes)
      for (const std::string& below : node.find_unread())
        unread.push_back(fmt::format("{}.{}{}", value.key->name,
                                     node.name_.empty() ? "" : node.name_ + ".", below));
  }
  return unread;
}

}  // namespace stance::io
