#pragma once

// A scene that people change while it runs: objects that they add and remove (H15), gravity, the
// law of contact. A World never changes (docs/adr/0008): an editor keeps what the scene was made
// from and builds the world of any moment anew.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stance/sim/outside.h"

namespace stance::io {

struct LoadedScene;

class SceneEditor {
 public:
  virtual ~SceneEditor() = default;
  virtual std::unique_ptr<SceneEditor> clone() const = 0;

  // An edit (InputChange::is_edit) that holds from step `steps` + 1 on. Throws stance::Error, and
  // is of no use afterwards: try it on a clone.
  virtual void apply(const sim::InputChange& change, std::int64_t steps) = 0;

  // The world, with all that acts and measures in it, after so many steps.
  virtual LoadedScene make_part(std::int64_t steps) const = 0;

  // The first moment after `steps` at which objects come or go by themselves.
  virtual std::optional<std::int64_t> find_next(std::int64_t steps) const = 0;
};

// An edit, and the steps that were taken before it.
struct SceneEdit {
  std::int64_t steps = 0;
  sim::InputChange change;
};

// A scene with edits: its editor, and the part that takes the step after `steps` steps.
struct EditedScene {
  std::unique_ptr<SceneEditor> editor;
  std::unique_ptr<LoadedScene> part;
};
EditedScene apply_edits(const LoadedScene& scene, const std::vector<SceneEdit>& edits,
                        std::int64_t steps);
// The same by an editor that has them.
std::unique_ptr<LoadedScene> make_part(const LoadedScene& scene, const SceneEditor& editor,
                                       std::int64_t steps);

// As JSON, one line each, and back. Throws stance::Error.
std::string write_edits(const std::vector<SceneEdit>& edits);
std::vector<SceneEdit> parse_edits(std::string_view text);

}  // namespace stance::io
