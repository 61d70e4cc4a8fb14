#pragma once

// From the text of a scene to a tree of words with their places: the only file that knows yaml-cpp.
// What YAML allows but scenes do not want is refused here, with the reason: keys twice, anchors,
// aliases and merge keys, tags, tabs, several documents, depth and size beyond reason.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stance/kernel/error.h"
#include "stance/scene/sources.h"

namespace stance::io {

inline constexpr std::size_t kMostSceneBytes = std::size_t{16} << 20;
inline constexpr int kMostSceneDepth = 40;

// Words as they stand in the file; what they mean is up to the schema.
struct YamlNode {
  enum class Kind { kEmpty, kScalar, kList, kMap };
  struct Key {
    std::string text;
    int line = 0, column = 0;
  };

  Kind kind = Kind::kEmpty;
  bool is_quoted = false;
  std::string text;             // of a scalar
  std::vector<Key> keys;        // of a map, no two alike
  std::vector<YamlNode> items;  // of a list, or the values of a map
  std::shared_ptr<const std::string> file;
  int line = 0, column = 0;  // 1-based

  Place place() const { return {file ? *file : "", line, {}, column}; }
  Place key_place(std::size_t k) const {
    return {items[k].file ? *items[k].file : "", keys[k].line, {}, keys[k].column};
  }
  const YamlNode* find(std::string_view key) const;
};

// Reads text that came from a file. Throws stance::Error at file, line and column.
YamlNode parse_scene_text(std::string_view text, const std::string& file);

// The files of a scene. When they are given they are all there is, and the disk is not looked at:
// so a recording brings its scene along.
struct SceneTexts {
  using File = scene::SourceText;
  bool are_given = false;
  std::vector<File> files{};

  const File* find(const std::string& path) const;
};

// Reads a scene and what it includes, put together: a top-level key of the including file takes the
// place of the included one, and so do named entries of its groups (materials, robots, contact...).
// Every file read is added to `texts`, or taken from there.
YamlNode read_scene_files(const std::string& path, SceneTexts& texts);
YamlNode parse_scene_files(std::string_view text, const std::string& file, SceneTexts& texts);

// A path as SceneTexts has it.
std::string make_absolute(const std::string& path);

}  // namespace stance::io
