#include "stance/io/scene_json.h"

#include <nlohmann/json.hpp>

#include "stance/scene/schema.h"

namespace stance::io {
namespace {

using Json = nlohmann::ordered_json;
using scene::FieldValue;
using scene::SceneGroup;
using scene::SceneKey;
using scene::ValueKind;

Json write_group(const SceneGroup& group, const void* owner);

// Numbers in rows of this many.
Json write_rows(const std::vector<double>& numbers, std::size_t width) {
  Json out = Json::array();
  for (std::size_t k = 0; k + width <= numbers.size(); k += width)
    out.push_back(std::vector<double>(numbers.begin() + static_cast<std::ptrdiff_t>(k),
                                      numbers.begin() + static_cast<std::ptrdiff_t>(k + width)));
  return out;
}

Json write_value(const SceneKey& key, const FieldValue& value) {
  switch (key.kind) {
    case ValueKind::kNumber: return value.numbers[0];
    case ValueKind::kInteger: return static_cast<std::int64_t>(value.numbers[0]);
    case ValueKind::kFlag: return value.numbers[0] != 0.0;
    case ValueKind::kChoice:
      return std::string(key.choices()[static_cast<std::size_t>(value.numbers[0])]);
    case ValueKind::kVector:
    case ValueKind::kNumbers: return value.numbers;
    case ValueKind::kPoints: return write_rows(value.numbers, 3);
    case ValueKind::kName:
    case ValueKind::kText:
    case ValueKind::kPath:
    case ValueKind::kFormula: return value.texts[0];
    case ValueKind::kTexts:
    case ValueKind::kPaths: return value.texts;
    case ValueKind::kPairs: {
      Json out = Json::array();
      for (std::size_t k = 0; k + 1 < value.texts.size(); k += 2)
        out.push_back({value.texts[k], value.texts[k + 1]});
      return out;
    }
    case ValueKind::kNumberMap: {
      Json out = Json::object();
      for (std::size_t k = 0; k < value.texts.size(); ++k) out[value.texts[k]] = value.numbers[k];
      return out;
    }
    case ValueKind::kVariables:
    case ValueKind::kGroup:
    case ValueKind::kGroups: break;
  }
  return {};
}

Json write_parts(const SceneKey& key, const void* owner) {
  const std::size_t count = key.field.count(owner);
  if (!key.field.name)
    return count == 0 ? Json() : write_group(*key.group, key.field.part(owner, 0));
  Json out = Json::object();
  for (std::size_t k = 0; k < count; ++k)
    out[*key.field.name(owner, k)] = write_group(*key.group, key.field.part(owner, k));
  return count == 0 ? Json() : out;
}

// Without what is as it would be when left out.
Json write_group(const SceneGroup& group, const void* owner) {
  Json out = Json::object();
  for (const SceneKey& key : group.keys) {
    if (key.group) {
      Json parts = write_parts(key, owner);
      const bool is_plain = !key.field.name && parts == Json::object() &&
                            key.field.count(group.blank()) > 0;  // a struct that is always there
      if (!parts.is_null() && !is_plain) out[std::string(key.name)] = std::move(parts);
      continue;
    }
    FieldValue value, standard;
    if (!key.field.get || !key.field.get(owner, value)) continue;
    const bool has_standard = key.field.get(group.blank(), standard);
    if (!key.required && has_standard && value.numbers == standard.numbers &&
        value.texts == standard.texts)
      continue;
    out[std::string(key.name)] = write_value(key, value);
  }
  return out;
}

}  // namespace

nlohmann::ordered_json write_object(const scene::ObjectSpec& object) {
  return write_group(*scene::scene_schema().find("objects")->group, &object);
}

nlohmann::ordered_json write_scene(const scene::SceneSpec& spec) {
  return write_group(scene::scene_schema(), &spec);
}

}  // namespace stance::io
