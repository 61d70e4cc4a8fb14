#pragma once

// A scene while it is looked at: its run, and how its world of now is shown.

#include <atomic>
#include <map>
#include <memory>

#include "stance/run/simulation.h"
#include "stance/view/description.h"
#include "stance/view/frame.h"

namespace stance::view {

// A scene as it was read.
struct Loaded {
  SceneSource source;
  std::shared_ptr<const scene::Scene> scene;
  std::map<std::string, double> start;  // variables when the file was loaded first
};

// Throws stance::Error at file, line and column.
std::shared_ptr<const Loaded> load(const SceneSource& source, std::map<std::string, double> start);

// Counts worlds: every `scene` message has another number.
std::uint32_t next_scene_number();

// Takes memory and time to make, so it is made by another thread than the one that steps it.
struct Stage {
  explicit Stage(std::shared_ptr<const Loaded> scene);                  // from its start
  Stage(std::shared_ptr<const Loaded> scene, const run::Moment& from);  // from a moment of it

  // Shows the world that the run is in now: as another scene, or, when only gravity or law changed,
  // as the same one.
  void enter_world();
  void update_world();
  bool is_world_new() const;

  std::shared_ptr<const Loaded> loaded;
  std::unique_ptr<run::Simulation> run;
  const scene::Part* part = nullptr;  // that `maker` and `description` are of
  std::unique_ptr<FrameMaker> maker;
  std::shared_ptr<const Description> description;
  MeshCache meshes;
  std::size_t edits = 0;    // that people made before `part`
  std::int64_t begins = 0;  // of `part`; the three together tell worlds apart
  bool has_step = false;    // taken by this run
};

}  // namespace stance::view
