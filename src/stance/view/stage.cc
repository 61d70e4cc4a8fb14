#include "stance/view/stage.h"

#include "stance/io/contact_law.h"

namespace stance::view {

std::shared_ptr<const Loaded> load(const SceneSource& source, std::map<std::string, double> start) {
  io::SceneOptions options;
  options.settings.set = source.set;
  options.settings.seed = source.seed;
  options.package_paths = source.package_paths;
  if (!source.law.empty()) options.law = io::parse_contact_law(source.law);
  auto out =
      std::make_shared<Loaded>(Loaded{source,
                                      source.is_robot ? io::load_robot_scene(source.path, options)
                                                      : io::load_scene(source.path, options),
                                      std::move(start)});
  if (out->start.empty())
    for (const io::SceneVariable& variable : out->scene.variables)
      out->start[variable.name] = variable.value;
  return out;
}

std::uint32_t next_scene_number() {
  static std::atomic<std::uint32_t> last{0};
  return ++last;
}

Stage::Stage(std::shared_ptr<const Loaded> scene)
    : loaded(std::move(scene)), run(std::make_unique<io::SceneRun>(loaded->scene)) {
  enter_world();
}

Stage::Stage(std::shared_ptr<const Loaded> scene, const io::RunStart& from)
    : loaded(std::move(scene)), run(std::make_unique<io::SceneRun>(loaded->scene, from)) {
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
  description = describe_world(next_scene_number(), loaded->source, loaded->scene, *part,
                               loaded->start, meshes);
}

}  // namespace stance::view
