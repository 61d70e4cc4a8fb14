#pragma once

// Every key of a scene, as one table: what it holds, in which unit, between which bounds, a
// sentence about it, and the field of SceneSpec that it fills. Whatever reads a scene (io) walks
// along it, and so do the digest (digest.h), docs/scenes.md and docs/scene.schema.json. What a key
// is when left out is what its field is by default.

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stance/scene/fields.h"

namespace stance::scene {

inline constexpr int kSceneVersion = 1;

enum class ValueKind {
  kNumber,     // or an expression
  kInteger,    // likewise
  kFlag,       // true or false
  kName,       // of something else in the scene
  kText,       // anything; ${name} is replaced
  kTexts,      // one, or a list of them
  kPath,       // a file, seen from the folder of the scene file that names it
  kPaths,      // one, or a list of them
  kChoice,     // one of a few words
  kFormula,    // an expression of x and y, worked out later
  kVector,     // `count` numbers
  kNumbers,    // a list of any length
  kPoints,     // a list of vectors of three
  kPairs,      // a list of two names each
  kGroup,      // keys of its own
  kGroups,     // named entries, each with these keys
  kNumberMap,  // named numbers
  kVariables,  // named numbers or texts
};

struct SceneGroup;

struct SceneKey {
  std::string_view name;
  ValueKind kind = ValueKind::kNumber;
  std::string_view about;
  std::string_view unit = "";
  bool required = false;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above = false;  // must be larger than `low`, not only as large
  int count = 3;       // of a vector
  std::span<const std::string_view> (*choices)() = nullptr;  // in the order of the enum
  const SceneGroup* group = nullptr;
  Field field{};  // where it goes; a key of the text alone has none
  // Whether scenes that differ here go on otherwise from the same state; where not, the table says
  // why.
  bool matters = true;
};

// Keys of which at most one may stand in a group, or exactly one.
struct SceneRivals {
  std::span<const std::string_view> names;
  bool required = false;
};

struct SceneGroup {
  std::string_view title;  // "an object"
  std::string_view about;
  std::span<const SceneKey> keys;
  std::span<const SceneRivals> rivals = {};
  const void* (*blank)() = nullptr;  // the struct that the keys fill, with nothing said
  bool has_copies = false;           // the key `copies` repeats an entry, i counts them

  const SceneKey* find(std::string_view name) const;
};

// The whole scene: fields of SceneSpec.
const SceneGroup& scene_schema();

// What a key is when left out, as it would be written in a file; empty where there is nothing.
std::string describe_default(const SceneGroup& group, const SceneKey& key);

}  // namespace stance::scene
