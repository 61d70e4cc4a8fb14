#include "stance/io/scene_edit.h"

#include <nlohmann/json.hpp>

#include "stance/io/input_json.h"
#include "stance/io/scene.h"

namespace stance::io {

EditedScene apply_edits(const LoadedScene& scene, const std::vector<SceneEdit>& edits,
                        std::int64_t steps) {
  EditedScene out;
  out.editor = scene.editor->clone();
  for (const SceneEdit& edit : edits) out.editor->apply(edit.change, edit.steps);
  out.part = make_part(scene, *out.editor, steps);
  return out;
}

std::unique_ptr<LoadedScene> make_part(const LoadedScene& scene, const SceneEditor& editor,
                                       std::int64_t steps) {
  auto out = std::make_unique<LoadedScene>(editor.make_part(steps));
  out->step = scene.step, out->duration = scene.duration, out->expect = scene.expect;
  return out;
}

std::string write_edits(const std::vector<SceneEdit>& edits) {
  std::string out;
  for (const SceneEdit& edit : edits)
    out += nlohmann::ordered_json{{"steps", edit.steps},
                                  {"kind", change_name(edit.change.kind)},
                                  {"data", write_change(edit.change)}}
               .dump() +
           "\n";
  return out;
}

std::vector<SceneEdit> parse_edits(std::string_view text) {
  std::vector<SceneEdit> out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    try {
      const auto in = nlohmann::json::parse(line);
      const sim::InputChange change =
          parse_change(in.at("kind").get<std::string>(), in.at("data").get<std::string>());
      if (!sim::InputChange::is_edit(change.kind)) throw Error("this is no change of a scene");
      out.push_back({in.at("steps").get<std::int64_t>(), change});
    } catch (const nlohmann::json::exception&) {
      throw Error("the changes of the scene cannot be read");
    }
  }
  return out;
}

}  // namespace stance::io
