#pragma once

// Edits of a scene as bytes and back, by the table of keys (schema.h): for snapshots.

#include <cstddef>
#include <vector>

#include "stance/kernel/byte_stream.h"
#include "stance/scene/edit.h"

namespace stance::scene {

void append_edit(const Edit& edit, std::vector<std::byte>& out);

// Throws stance::Error when the bytes are damaged, or name a key that this program does not know.
Edit take_edit(kernel::ByteReader& in);

}  // namespace stance::scene
