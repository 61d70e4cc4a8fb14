#pragma once

// The elements and attributes of URDF that Stance knows, as one table; urdf_lint.h walks a document
// along it. What is not in the table earns a warning, so that a misspelt word is never swallowed.

#include <span>
#include <string_view>

#include "stance/io/urdf_numbers.h"

namespace stance::io {

// How an attribute's value is read.
enum class ValueKind {
  kName,      // what others refer to: not empty, no control characters
  kText,      // anything
  kQuantity,  // numbers
};

struct AttributeRule {
  std::string_view name;
  bool required = false;
  ValueKind kind = ValueKind::kText;
  Quantity quantity = Quantity::kFactor;  // where kind is kQuantity
};

struct ElementRule;

struct ChildRule {
  std::string_view name;
  const ElementRule* rule = nullptr;  // null: known, passed over in silence with all it contains
  int fewest = 0, most = 1 << 30;
};

struct ElementRule {
  std::span<const AttributeRule> attributes;
  std::span<const ChildRule> children;
};

extern const ElementRule kRobotRule;

}  // namespace stance::io
