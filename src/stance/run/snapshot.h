#pragma once

// A moment of a scene as bytes, to go on from later or elsewhere: bit for bit what an uninterrupted
// run would do, on machines of the same feature level. Files of them are io's (scene_snapshot.h).

#include <string>
#include <string_view>

#include "stance/run/simulation.h"

namespace stance::run {

inline constexpr std::uint32_t kSnapshotVersion = 5;

// A moment as bytes, little-endian:
//   "STNCSNAP", u32 version, digest of the scene (text), f64 time, u32 number of edits,
//   per edit i64 steps, who (text), what (scene/edit_bytes.h),
//   where there are edits i64 steps before which the world of the state began,
//   u64 length of the state, the state (sim/state_bytes.h), u32 CRC-32C of all that stands before.
// A text is its length (u32) and its letters.
std::string write_snapshot(const scene::Scene& scene, const Moment& moment);

// The moment that the bytes say. Throws stance::Error when the bytes are none, damaged, of another
// version or of another scene.
Moment read_snapshot(const scene::Scene& scene, std::string_view bytes);

}  // namespace stance::run
