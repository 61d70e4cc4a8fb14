#include "stance/run/snapshot.h"

#include <cmath>

#include <fmt/format.h>

#include "stance/kernel/byte_stream.h"
#include "stance/kernel/checksum.h"
#include "stance/scene/digest.h"
#include "stance/scene/edit_bytes.h"
#include "stance/sim/state_bytes.h"

namespace stance::run {
namespace {

using kernel::append;
using kernel::append_text;

constexpr std::string_view kMagic = "STNCSNAP", kWhat = "the snapshot";

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

std::string write_snapshot(const scene::Scene& scene, const Moment& moment) {
  std::vector<std::byte> out;
  kernel::append_bytes(kMagic.data(), kMagic.size(), out);
  append(kSnapshotVersion, out);
  append_text(calc_digest(scene.spec()), out);
  append(moment.state.time, out);
  append(static_cast<std::uint32_t>(moment.edits.size()), out);
  for (const SceneEdit& edit : moment.edits) {
    append(edit.steps, out), append_text(edit.source, out);
    append_edit(edit.edit, out);
  }
  if (!moment.edits.empty()) {
    const double steps = moment.state.time / scene.spec().step;
    append(moment.begins.value_or(std::llround(steps)), out);
  }
  const std::vector<std::byte> state = sim::write_state(moment.state);
  append(static_cast<std::uint64_t>(state.size()), out);
  kernel::append_bytes(state.data(), state.size(), out);
  append(kernel::calc_crc32c(out), out);
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}

Moment read_snapshot(const scene::Scene& scene, std::string_view bytes) {
  if (!bytes.starts_with(kMagic))
    throw Error("this is not a snapshot; `stance run --snapshot-at` writes them");
  kernel::ByteReader in(as_bytes(bytes), kWhat);
  in.take(kMagic.size());
  if (const auto version = in.take<std::uint32_t>(); version != kSnapshotVersion)
    throw Error(fmt::format("this snapshot is of version {}, this program reads version {}",
                            version, kSnapshotVersion));
  const std::size_t size = bytes.size() - std::min(bytes.size(), sizeof(std::uint32_t));
  kernel::ByteReader sum(as_bytes(bytes.substr(size)), kWhat);
  if (sum.take<std::uint32_t>() != kernel::calc_crc32c(as_bytes(bytes.substr(0, size))))
    throw Error("the snapshot is damaged: its checksum is another");
  if (in.take_text() != calc_digest(scene.spec()))
    throw Error(
        "this snapshot is of another scene, or of this one with other values, robots or another "
        "law; it can only go on where it was taken");
  const auto time = in.take<double>();
  if (!(time >= 0.0) || !(time / scene.spec().step < 1e15))
    throw Error("the snapshot is damaged: its time is not");
  const std::int64_t steps = std::llround(time / scene.spec().step);

  std::vector<SceneEdit> edits;
  for (auto count = in.take<std::uint32_t>(); count > 0; --count) {
    const auto when = in.take<std::int64_t>();
    std::string who(in.take_text());
    edits.push_back({when, std::move(who), scene::take_edit(in)});
  }
  std::optional<std::int64_t> begins;
  EditedScene edited;
  if (!edits.empty()) {
    begins = in.take<std::int64_t>();
    if (*begins < 0 || *begins > steps)
      throw Error("the snapshot is damaged: its world begins at no step before it");
    edited = apply_edits(scene, edits, *begins);
  }
  const scene::Part& part = edited.part ? *edited.part : scene.find_part(steps);
  sim::State state =
      sim::read_state(in.take(in.take<std::uint64_t>()), part.scene.world, part.scene.start);
  if (state.time != time) throw Error("the state is of another time than the snapshot");
  return {std::move(state), std::move(edits), begins};
}

}  // namespace stance::run
