#include "stance/io/scene_docs.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "stance/io/scene_expression.h"
#include "stance/scene/schema.h"

namespace stance::io {
namespace {

using scene::scene_schema;
using scene::SceneGroup;
using scene::SceneKey;
using scene::SceneRivals;
using scene::ValueKind;
using Json = nlohmann::ordered_json;

// Groups in the order in which a reader meets them, each once.
void collect(const SceneGroup& group, std::vector<const SceneGroup*>& all) {
  if (std::find(all.begin(), all.end(), &group) != all.end()) return;
  all.push_back(&group);
  for (const SceneKey& key : group.keys)
    if (key.group) collect(*key.group, all);
}

std::string anchor(std::string_view title) {
  std::string out;
  for (const char c : title) out += c == ' ' ? '-' : c;
  return out;
}

std::string kind_text(const SceneKey& key) {
  const auto link = [&] {
    return fmt::format("[{}](#{})", key.group->title, anchor(key.group->title));
  };
  switch (key.kind) {
    case ValueKind::kNumber: return "number";
    case ValueKind::kInteger: return "integer";
    case ValueKind::kFlag: return "true or false";
    case ValueKind::kName: return "name";
    case ValueKind::kText: return "text";
    case ValueKind::kTexts: return "text, or list of texts";
    case ValueKind::kPath: return "file";
    case ValueKind::kPaths: return "file, or list of files";
    case ValueKind::kChoice: return fmt::format("`{}`", fmt::join(key.choices(), "`, `"));
    case ValueKind::kFormula: return "expression of `x`, `y`";
    case ValueKind::kVector: return fmt::format("{} numbers", key.count);
    case ValueKind::kNumbers: return "list of numbers";
    case ValueKind::kPoints: return "list of points";
    case ValueKind::kPairs: return "list of pairs of names";
    case ValueKind::kGroup: return link();
    case ValueKind::kGroups: return fmt::format("NAME: {}", link());
    case ValueKind::kNumberMap: return "NAME: number";
    case ValueKind::kVariables: return "NAME: number or text";
  }
  return "";
}

std::string bounds_text(const SceneKey& key) {
  const bool has_low = std::isfinite(key.low), has_high = std::isfinite(key.high);
  if (has_low && has_high)
    return fmt::format("{} {:g}, at most {:g}", key.above ? "above" : "from", key.low, key.high);
  if (has_low) return fmt::format("{} {:g}", key.above ? "above" : "at least", key.low);
  return has_high ? fmt::format("at most {:g}", key.high) : "";
}

std::string describe_row(const SceneGroup& group, const SceneKey& key) {
  std::string value = kind_text(key);
  if (!key.unit.empty()) value += fmt::format(", {}", key.unit);
  if (const std::string bounds = bounds_text(key); !bounds.empty()) value += "; " + bounds;
  std::string standard = key.required ? "required" : describe_default(group, key);
  if (!key.required && !standard.empty()) standard = fmt::format("`{}`", standard);
  return fmt::format("| `{}` | {} | {} | {} |\n", key.name, value, standard, key.about);
}

// ---- JSON Schema ------------------------------------------------------------------------------

Json make_number(const SceneKey& key) {
  Json number;
  number["type"] = key.kind == ValueKind::kInteger ? "integer" : "number";
  if (std::isfinite(key.low)) number[key.above ? "exclusiveMinimum" : "minimum"] = key.low;
  if (std::isfinite(key.high)) number["maximum"] = key.high;
  // expressions are texts
  return Json{{"anyOf", Json::array({number, Json{{"type", "string"}}})}};
}

Json make_reference(const SceneGroup& group) {
  return Json{{"$ref", "#/definitions/" + anchor(group.title)}};
}

Json make_value(const SceneKey& key) {
  const Json text = {{"type", {"string", "number", "boolean"}}};
  const auto list = [](Json items) { return Json{{"type", "array"}, {"items", std::move(items)}}; };
  switch (key.kind) {
    case ValueKind::kNumber:
    case ValueKind::kInteger: return make_number(key);
    case ValueKind::kFlag: return {{"type", "boolean"}};
    case ValueKind::kName:
    case ValueKind::kText:
    case ValueKind::kPath: return text;
    case ValueKind::kFormula: return text;
    case ValueKind::kTexts:
    case ValueKind::kPaths: return {{"anyOf", Json::array({text, list(text)})}};
    case ValueKind::kChoice: {
      Json choices = Json::array();
      for (const std::string_view choice : key.choices()) choices.push_back(std::string(choice));
      // a variable may name the choice
      return {{"anyOf", Json::array({Json{{"enum", choices}},
                                     Json{{"type", "string"}, {"pattern", "\\$\\{"}}})}};
    }
    case ValueKind::kVector: {
      Json out = list(make_number(key));
      out["minItems"] = out["maxItems"] = key.count;
      return out;
    }
    case ValueKind::kNumbers: return list(make_number(key));
    case ValueKind::kPoints: {
      Json point = list(make_number(key));
      point["minItems"] = point["maxItems"] = 3;
      return list(point);
    }
    case ValueKind::kPairs: {
      Json pair = list(text);
      pair["minItems"] = pair["maxItems"] = 2;
      return list(pair);
    }
    case ValueKind::kGroup: return make_reference(*key.group);
    case ValueKind::kGroups:
      return {{"type", {"object", "null"}}, {"additionalProperties", make_reference(*key.group)}};
    case ValueKind::kNumberMap:
      return {{"type", "object"}, {"additionalProperties", make_number(key)}};
    case ValueKind::kVariables:
      return {{"type", "object"},
              {"additionalProperties", {{"type", Json::array({"number", "string"})}}}};
  }
  return {};
}

std::string describe_key(const SceneGroup& group, const SceneKey& key) {
  std::string text(key.about);
  if (!key.unit.empty()) text += fmt::format("{}Unit: {}.", text.empty() ? "" : " ", key.unit);
  if (const std::string standard = describe_default(group, key); !key.required && !standard.empty())
    text += fmt::format("{}Default: {}.", text.empty() ? "" : " ", standard);
  return text;
}

Json make_definition(const SceneGroup& group) {
  Json out;
  out["type"] = "object";
  out["description"] = std::string(group.about);
  out["additionalProperties"] = false;
  Json required = Json::array();
  out["properties"] = Json::object();
  for (const SceneKey& key : group.keys) {
    Json value = make_value(key);
    if (const std::string text = describe_key(group, key); !text.empty())
      value = value.contains("$ref") ? Json{{"description", text}, {"allOf", Json::array({value})}}
                                     : [&] {
                                         value["description"] = text;
                                         return value;
                                       }();
    out["properties"][std::string(key.name)] = value;
    if (key.required) required.push_back(std::string(key.name));
  }
  if (!required.empty()) out["required"] = required;
  Json all = Json::array();
  for (const SceneRivals& rivals : group.rivals) {
    Json one = Json::array();
    for (const std::string_view name : rivals.names)
      one.push_back(Json{{"required", {std::string(name)}}});
    if (!rivals.required) {
      Json any = Json::array();
      for (const Json& item : one) any.push_back(item);
      one.push_back(Json{{"not", {{"anyOf", any}}}});
    }
    all.push_back(Json{{"oneOf", one}});
  }
  if (!all.empty()) out["allOf"] = all;
  return out;
}

}  // namespace

std::string make_scene_reference() {
  std::vector<const SceneGroup*> groups;
  collect(scene_schema(), groups);
  std::string out;
  for (const SceneGroup* group : groups) {
    out += fmt::format("### {}\n{}\n\n", group->title, group->about);
    if (group->keys.empty()) continue;
    out += "| key | value | default | |\n|---|---|---|---|\n";
    for (const SceneKey& key : group->keys) out += describe_row(*group, key);
    for (const SceneRivals& rivals : group->rivals)
      out += fmt::format("\n{} of `{}`.\n", rivals.required ? "Exactly one" : "At most one",
                         fmt::join(rivals.names, "`, `"));
    out += "\n";
  }
  out += "### functions of expressions\n| function | |\n|---|---|\n";
  for (const FunctionRule& rule : scene_functions())
    out += fmt::format("| `{}({})` | {} |\n", rule.name, rule.arguments == 2 ? "a, b" : "a",
                       rule.about);
  return out;
}

std::string make_scene_json_schema() {
  std::vector<const SceneGroup*> groups;
  collect(scene_schema(), groups);
  Json out;
  out["$schema"] = "http://json-schema.org/draft-07/schema#";
  out["title"] = "A scene of Stance";
  const Json root = make_definition(scene_schema());
  for (const auto& [key, value] : root.items()) out[key] = value;
  out["definitions"] = Json::object();
  for (const SceneGroup* group : groups)
    if (group != &scene_schema())
      out["definitions"][anchor(group->title)] = make_definition(*group);
  return out.dump(2) + "\n";
}

}  // namespace stance::io
