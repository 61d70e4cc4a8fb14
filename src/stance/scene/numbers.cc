#include "stance/scene/numbers.h"

#include <cmath>

#include <fmt/format.h>

namespace stance::scene {
namespace {

void check_group(const SceneGroup& group, const void* owner, const Path& path,
                 const Sources& sources) {
  for (const SceneKey& key : group.keys) {
    const Path here = path / key.name;
    if (key.group) {
      const std::size_t count = key.field.count(owner);
      for (std::size_t k = 0; k < count; ++k)
        check_group(*key.group, key.field.part(owner, k),
                    key.field.name ? here / *key.field.name(owner, k) : here, sources);
      continue;
    }
    FieldValue value;
    if (!key.field.get || !key.field.get(owner, value)) continue;
    for (const double number : value.numbers)
      if (const std::string fault = find_fault(key, number); !fault.empty())
        throw make_error(sources, here, fault);
    if (key.kind == ValueKind::kChoice &&
        !(value.numbers[0] >= 0.0 && value.numbers[0] < static_cast<double>(key.choices().size())))
      throw make_error(sources, here, fmt::format("'{}' is none of its choices", key.name));
  }
}

}  // namespace

std::string find_fault(const SceneKey& key, double value) {
  const std::string unit = key.unit.empty() ? "" : fmt::format(" {}", key.unit);
  const std::string given = fmt::format("'{}' is {:g}{}", key.name, value, unit);
  if (!std::isfinite(value)) return fmt::format("{}; it must be a finite number", given);
  if (key.kind == ValueKind::kInteger && value != std::floor(value))
    return fmt::format("{}; it must be an integer", given);
  if (value < key.low || (key.above && value == key.low))
    return fmt::format("{}; it must be {} {:g}", given, key.above ? "more than" : "at least",
                       key.low);
  if (value > key.high) return fmt::format("{}; it must be at most {:g}", given, key.high);
  return {};
}

void check_numbers(const SceneSpec& spec, const Sources& sources) {
  check_group(scene_schema(), &spec, {}, sources);
}

void check_numbers(const ObjectSpec& object, const Sources& sources) {
  check_group(*scene_schema().find("objects")->group, &object, {"objects", object.name}, sources);
}

}  // namespace stance::scene
