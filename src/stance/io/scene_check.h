#pragma once

// A scene checked along the schema: known keys only, of the right type, in their bounds,
// expressions worked out. Afterwards it contains nothing that the reader would have to doubt.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stance/io/findings.h"
#include "stance/io/scene_expression.h"
#include "stance/io/scene_schema.h"
#include "stance/io/scene_text.h"
#include "stance/kernel/vec3.h"

namespace stance::io {

// The keys of one group with their values. Asking for a key that the schema does not have in this
// group is a mistake of ours and throws std::logic_error.
class SceneNode {
 public:
  struct Value {
    const SceneKey* key = nullptr;
    Place place;
    std::vector<double> numbers;
    std::vector<std::string> texts;  // names of numbers in a kNumberMap
    std::vector<Place> places;       // of them
    std::vector<SceneNode> nodes;
    mutable bool was_read = false;
  };

  // The value of a key, or what the schema says it is when left out.
  double number(std::string_view key) const;
  int integer(std::string_view key) const;
  bool flag(std::string_view key) const;
  kernel::Vec3d vector(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;
  std::string text(std::string_view key) const;  // "" when there is none; paths are resolved
  const std::vector<std::string>& texts(std::string_view key) const;
  const SceneNode* group(std::string_view key) const;  // null when left out
  const std::vector<SceneNode>& groups(std::string_view key) const;

  bool has(std::string_view key) const { return find(key) != nullptr; }
  const Value* find(std::string_view key) const;
  Place place(std::string_view key) const;  // of its value, or of the group when left out
  const Place& place() const { return place_; }
  const std::string& name() const { return name_; }  // of a named entry

  // Files that the scene names, other than those it includes.
  void find_files(std::vector<std::string>& files) const;

  // Keys that stand in the file but nobody asked for: "objects.ball.mass".
  std::vector<std::string> find_unread() const;

 private:
  friend class SceneChecker;

  const SceneKey& rule(std::string_view key) const;
  std::vector<double> find_numbers(std::string_view key) const;

  const SceneGroup* group_ = nullptr;
  std::string name_;
  Place place_;
  std::vector<Value> values_;
};

// What the command line says about a scene's variables.
struct SceneSettings {
  std::vector<std::pair<std::string, std::string>> set;  // name, value
  std::optional<std::uint64_t> seed;
};

struct CheckedScene {
  SceneNode root;
  Scope scope;  // variables with their values
  std::uint64_t seed = 1;
};

// Collects what is wrong; the tree is usable only when there are no errors.
CheckedScene check_scene_tree(const YamlNode& file, const SceneSettings& settings,
                              Findings& findings);

}  // namespace stance::io
