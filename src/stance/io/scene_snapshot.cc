#include "stance/io/scene_snapshot.h"

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "stance/io/findings.h"
#include "stance/io/hdf5_file.h"
#include "stance/io/scene_edit.h"
#include "stance/scene/digest.h"
#include "stance/sim/state_bytes.h"

namespace stance::io {
namespace {

// A file that goes away with this.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "stance_start_XXXXXX").string();
    const int handle = mkstemp(pattern.data());
    if (handle < 0) throw Error("there is no room for a temporary file");
    close(handle);
    name_ = pattern;
  }
  ~TemporaryFile() {
    std::error_code code;
    std::filesystem::remove(name_, code);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace

std::string pack_snapshot(const scene::Scene& scene, const run::Moment& from) {
  const TemporaryFile file;
  write_snapshot(scene, from, file.name());
  std::ifstream stream(file.name(), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

run::Moment parse_snapshot(const scene::Scene& scene, const std::string& bytes,
                           const std::string& file) {
  const TemporaryFile copy;
  std::ofstream(copy.name(), std::ios::binary) << bytes;
  try {
    return read_snapshot(scene, copy.name());
  } catch (const Error& error) {
    throw Error({file}, "its start: " + bare_message(error));
  }
}

void write_snapshot(const scene::Scene& scene, const run::Moment& from, const std::string& file) {
  const std::string unfinished = file + ".part";
  {
    Hdf5File out(unfinished, Hdf5File::Mode::kCreate);
    const int version[] = {kSnapshotVersion};
    out.write("/snapshot_version", version);
    out.write_text("/scene", calc_digest(scene.spec()));
    const double time[] = {from.state.time};
    out.write("/time", time);
    const std::vector<std::byte> bytes = sim::write_state(from.state);
    out.write_bytes("/state", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!from.edits.empty()) out.write_text("/edits", write_edits(from.edits));
  }
  std::error_code code;
  std::filesystem::rename(unfinished, file, code);
  if (code) throw Error({file}, "the snapshot cannot be written: " + code.message());
}

run::Moment read_snapshot(const scene::Scene& scene, const std::string& file) {
  std::error_code code;
  if (std::filesystem::is_directory(file, code))
    throw Error({file}, "this is a folder; name a snapshot (.h5) inside it");
  if (!std::filesystem::is_regular_file(file, code)) throw Error({file}, "there is no such file");
  const Hdf5File in(file, Hdf5File::Mode::kRead);
  if (!in.has("/snapshot_version"))
    throw Error({file}, "this is not a snapshot; `stance run --snapshot-at` writes them");
  if (const int version = in.read_int("/snapshot_version"); version != kSnapshotVersion)
    throw Error({file}, fmt::format("this snapshot is of version {}, this program reads version {}",
                                    version, kSnapshotVersion));
  if (!in.has("/scene") || in.read_text("/scene") != calc_digest(scene.spec()))
    throw Error({file},
                "this snapshot is of another scene, or of this one with other values, robots "
                "or another law; it can only go on where it was taken");

  const std::vector<double> times = in.read_doubles("/time");
  const double time = times.size() == 1 ? times[0] : -1.0;
  if (!(time >= 0.0) || !(time / scene.spec().step < 1e15))
    throw Error({file}, "the snapshot is damaged: its time is not");
  const std::int64_t steps = std::llround(time / scene.spec().step);
  std::vector<run::SceneEdit> edits;
  run::EditedScene edited;
  if (in.has("/edits")) {
    edits = parse_edits(in.read_text("/edits"));
    edited = apply_edits(scene, edits, steps);
  }
  const scene::Part& part = edited.part ? *edited.part : scene.find_part(steps);
  const std::string bytes = in.read_bytes("/state");
  try {
    sim::State state =
        sim::read_state(std::as_bytes(std::span(bytes)), part.scene.world, part.scene.start);
    if (state.time != time) throw Error("the state is of another time than the snapshot");
    return {std::move(state), std::move(edits)};
  } catch (const Error& error) {
    throw Error({file}, fmt::format("the snapshot cannot be read: {}", error.what()));
  }
}

}  // namespace stance::io
