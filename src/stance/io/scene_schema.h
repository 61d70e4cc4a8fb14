#pragma once

// Every key of a scene, as one table: what it holds, in which unit, between which bounds, what it
// is when left out, and a sentence about it. The checker (scene_check.h) walks a file along it;
// the reference in docs/scenes.md and docs/scene.schema.json are made from it (scene_docs.h).

#include <limits>
#include <span>
#include <string_view>

namespace stance::io {

inline constexpr int kSceneVersion = 1;

enum class SceneValue {
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
  SceneValue kind = SceneValue::kNumber;
  std::string_view about;
  std::string_view unit = "";
  std::string_view standard = "";  // when left out; empty: there is none
  bool required = false;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above = false;  // must be larger than `low`, not only as large
  int count = 3;       // of a vector
  std::span<const std::string_view> (*choices)() = nullptr;
  const SceneGroup* group = nullptr;
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
  bool has_copies = false;  // the key `copies` repeats an entry, i counts them

  const SceneKey* find(std::string_view name) const;
};

// The whole scene.
const SceneGroup& scene_schema();

}  // namespace stance::io
