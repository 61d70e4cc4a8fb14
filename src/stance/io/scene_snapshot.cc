#include "stance/io/scene_snapshot.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "stance/io/findings.h"
#include "stance/io/hdf5_file.h"
#include "stance/io/scene_edit.h"
#include "stance/scene/digest.h"

namespace stance::io {
namespace {

using kernel::Vec3d;

// ---- vectors of three as plain numbers
// ------------------------------------------------------------

std::vector<double> flatten(const std::vector<Vec3d>& vectors) {
  std::vector<double> out;
  for (const Vec3d& v : vectors)
    for (int k = 0; k < 3; ++k) out.push_back(v[k]);
  return out;
}

std::vector<Vec3d> gather(const std::vector<double>& numbers) {
  std::vector<Vec3d> out;
  for (std::size_t k = 0; k + 2 < numbers.size(); k += 3)
    out.emplace_back(numbers[k], numbers[k + 1], numbers[k + 2]);
  return out;
}

// Reads into a vector whose room stays as it is.
template <class T>
void fill(const std::vector<T>& from, std::size_t size, const std::string& file, const char* what,
          std::vector<T>& to) {
  if (from.size() != size)
    throw Error({file}, fmt::format("the snapshot is damaged: {} has {} entries, not {}", what,
                                    from.size(), size));
  to.assign(from.begin(), from.end());
}

}  // namespace

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
  const sim::State& state = from.state;
  const std::string unfinished = file + ".part";
  {
    Hdf5File out(unfinished, Hdf5File::Mode::kCreate);
    const int version[] = {kSnapshotVersion};
    out.write("/snapshot_version", version);
    out.write_text("/scene", calc_digest(scene.spec()));
    const double time[] = {state.time};
    out.write("/time", time);
    out.write("/q", std::span<const double>(state.q));
    out.write("/v", std::span<const double>(state.v));
    const contact::WarmStart& warm = state.warm;
    out.write("/warm/id", std::span<const std::uint64_t>(warm.id));
    out.write("/warm/p", std::span<const double>(flatten(warm.p)));
    out.write("/warm/spin", std::span<const double>(flatten(warm.spin)));
    out.write("/warm/stretch", std::span<const double>(flatten(warm.stretch)));
    out.write("/warm/limit", std::span<const double>(warm.limit));
    out.write("/warm/friction", std::span<const double>(warm.friction));
    out.write("/warm/mimic", std::span<const double>(warm.mimic));
    out.write("/warm/loop", std::span<const double>(flatten(warm.loop)));
    std::vector<double> plans;  // by tree: whether halfway, wait, span
    for (const contact::RestPlan& plan : warm.rest)
      plans.insert(plans.end(),
                   {plan.is_halfway ? 1.0 : 0.0, double(plan.wait), double(plan.span)});
    out.write("/warm/rest", std::span<const double>(plans));
    const sim::EnergyAccount& e = state.energy;
    const double energy[] = {e.is_open ? 1.0 : 0.0, e.start, e.contact, e.joints, e.input};
    out.write("/energy", energy);
    const std::vector<double> at_limit(state.at_limit.begin(), state.at_limit.end());
    out.write("/at_limit", std::span<const double>(at_limit));
    out.write("/memory", std::span<const double>(state.memory));
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

  std::vector<double> rest;
  fill(in.read_doubles("/time"), 1, file, "time", rest);
  const double time = rest[0];
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
  const sim::World& world = part.scene.world;
  const std::size_t nv = world.model.nv;
  sim::State state(world);
  fill(in.read_doubles("/q"), world.model.nq, file, "q", state.q);
  fill(in.read_doubles("/v"), nv, file, "v", state.v);
  contact::WarmStart& warm = state.warm;
  const std::vector<std::uint64_t> id = in.read_uint64s("/warm/id");
  if (id.size() > static_cast<std::size_t>(world.contact.capacity))
    throw Error({file}, "the snapshot is damaged: more contacts than there is room for");
  fill(id, id.size(), file, "warm/id", warm.id);
  fill(gather(in.read_doubles("/warm/p")), id.size(), file, "warm/p", warm.p);
  fill(gather(in.read_doubles("/warm/spin")), id.size(), file, "warm/spin", warm.spin);
  fill(gather(in.read_doubles("/warm/stretch")), id.size(), file, "warm/stretch", warm.stretch);
  fill(in.read_doubles("/warm/limit"), nv, file, "warm/limit", warm.limit);
  fill(in.read_doubles("/warm/friction"), nv, file, "warm/friction", warm.friction);
  fill(in.read_doubles("/warm/mimic"), world.model.mimics.size(), file, "warm/mimic", warm.mimic);
  fill(gather(in.read_doubles("/warm/loop")), 2 * world.loops.size(), file, "warm/loop", warm.loop);
  std::vector<double> plans;
  fill(in.read_doubles("/warm/rest"), 3 * warm.rest.size(), file, "warm/rest", plans);
  for (std::size_t k = 0; k < warm.rest.size(); ++k) {
    const auto count = [&](double value) { return static_cast<int>(std::clamp(value, 0.0, 1e6)); };
    warm.rest[k].is_halfway = plans[3 * k] != 0.0;
    warm.rest[k].wait = count(plans[3 * k + 1]), warm.rest[k].span = count(plans[3 * k + 2]);
  }
  state.time = time;
  fill(in.read_doubles("/energy"), 5, file, "energy", rest);
  state.energy = {rest[0] != 0.0, rest[1], rest[2], rest[3], rest[4]};
  fill(in.read_doubles("/at_limit"), nv, file, "at_limit", rest);
  for (std::size_t k = 0; k < nv; ++k)
    state.at_limit[k] = rest[k] > 0.0 ? 1 : rest[k] < 0.0 ? -1 : 0;
  fill(in.read_doubles("/memory"), part.scene.start.memory.size(), file, "memory", state.memory);
  for (const std::vector<double>* values : {&state.q, &state.v, &state.memory})
    for (const double value : *values)
      if (!std::isfinite(value)) throw Error({file}, "the snapshot is damaged: not all is finite");
  return {std::move(state), std::move(edits)};
}

}  // namespace stance::io
