#pragma once

// What messages say about the words and keys of a scene file.

#include <string>
#include <string_view>

#include "stance/io/scene_text.h"
#include "stance/scene/schema.h"

namespace stance::io {

std::string kind_text(const YamlNode& node);             // "a list", "'fast'"
std::string join_names(const scene::SceneGroup& group);  // of its keys
std::string describe(const scene::SceneKey& key);        // what it wants: "a list of 3 numbers"

// "; 'max(1' was cut at its comma ...", where a list cut an expression in two.
std::string find_split(const YamlNode& list);

// ", did you mean 'mass'?", or where the key belongs, or what there is.
std::string suggest_key(std::string_view word, const scene::SceneGroup& group);

}  // namespace stance::io
