#include "stance/kernel/error.h"

namespace stance {

std::string Place::text() const {
  std::string out = file;
  if (line > 0) out += ":" + std::to_string(line);
  if (line > 0 && column > 0) out += ":" + std::to_string(column);
  if (!element.empty()) out += (out.empty() ? "" : ": ") + element;
  return out;
}

}  // namespace stance
