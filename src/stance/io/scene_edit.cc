#include "stance/io/scene_edit.h"

#include <nlohmann/json.hpp>

#include "stance/io/input_json.h"

namespace stance::io {

std::string write_edits(const std::vector<run::SceneEdit>& edits) {
  std::string out;
  for (const run::SceneEdit& edit : edits) {
    const run::Change change{edit.source, edit.edit};
    out +=
        nlohmann::ordered_json{
            {"steps", edit.steps}, {"kind", change_kind(change)}, {"data", write_change(change)}}
            .dump() +
        "\n";
  }
  return out;
}

std::vector<run::SceneEdit> parse_edits(std::string_view text) {
  std::vector<run::SceneEdit> out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    try {
      const auto in = nlohmann::json::parse(line);
      run::Change change =
          parse_change(in.at("kind").get<std::string>(), in.at("data").get<std::string>());
      scene::Edit* const edit = std::get_if<scene::Edit>(&change.what);
      if (!edit) throw Error("this is no change of a scene");
      out.push_back(
          {in.at("steps").get<std::int64_t>(), std::move(change.source), std::move(*edit)});
    } catch (const nlohmann::json::exception&) {
      throw Error("the changes of the scene cannot be read");
    }
  }
  return out;
}

}  // namespace stance::io
