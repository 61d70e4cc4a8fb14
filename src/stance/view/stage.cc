#include "stance/view/stage.h"

#include "stance/io/scene.h"

namespace stance::view {

std::shared_ptr<const Loaded> load(const SceneSource& source, std::map<std::string, double> start) {
  auto scene = std::make_shared<const scene::Scene>(io::load_scene(source.settings));
  auto out = std::make_shared<Loaded>(Loaded{source, std::move(scene), std::move(start)});
  if (out->start.empty())
    for (const scene::VariableSpec& variable : out->scene->spec().variables)
      if (const double* value = std::get_if<double>(&variable.value))
        out->start[variable.name] = *value;
  return out;
}

std::uint32_t next_scene_number() {
  static std::atomic<std::uint32_t> last{0};
  return ++last;
}

Stage::Stage(std::shared_ptr<const Loaded> scene)
    : loaded(std::move(scene)), run(std::make_unique<run::Simulation>(loaded->scene)) {
  enter_world();
}

Stage::Stage(std::shared_ptr<const Loaded> scene, const run::Moment& from)
    : loaded(std::move(scene)), run(std::make_unique<run::Simulation>(loaded->scene, from)) {
  enter_world();
}

bool Stage::is_world_new() const {
  return part != &run->part() || edits != run->edits().size() || begins != run->part().begins;
}

void Stage::update_world() {
  part = &run->part();
  edits = run->edits().size(), begins = part->begins;
  maker = std::make_unique<FrameMaker>(*part);
  has_step = false;
}

void Stage::enter_world() {
  update_world();
  description = describe_world(next_scene_number(), loaded->source, *loaded->scene, *part,
                               loaded->start, meshes);
}

}  // namespace stance::view
