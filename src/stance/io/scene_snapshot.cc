#include "stance/io/scene_snapshot.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "stance/io/hdf5_file.h"

namespace stance::io {
namespace {

using kernel::Mat3d;
using kernel::Vec3d;

// ---- the hash -----------------------------------------------------------------------------------

// FNV-1a over 64-bit words, mixed so that every bit of a word counts.
class Hash {
 public:
  void add(std::uint64_t word) {
    word ^= word >> 32;
    value_ = (value_ ^ word) * 0x100000001b3ull;
    value_ ^= value_ >> 29;
  }
  void add(int value) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(const Vec3d& v) { add(v[0]), add(v[1]), add(v[2]); }
  void add(const Mat3d& R) { add(R.c[0]), add(R.c[1]), add(R.c[2]); }
  template <class T>
  void add(const std::vector<T>& values) {
    add(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) add(value);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ull;
};

void add_model(const model::Model& model, Hash& hash) {
  hash.add(model.parent);
  for (const model::JointType type : model.joint_type) hash.add(static_cast<int>(type));
  hash.add(model.R_PJ), hash.add(model.p_PJ), hash.add(model.axis);
  hash.add(model.mass), hash.add(model.com);
  for (const kernel::Sym3d& inertia : model.inertia)
    for (int k = 0; k < 3; ++k) hash.add(inertia.column(k));
  hash.add(model.rotor_inertia), hash.add(model.damping), hash.add(model.friction);
  hash.add(model.lower), hash.add(model.upper);
  for (const model::Mimic& mimic : model.mimics)
    hash.add(int(mimic.follower)), hash.add(int(mimic.leader)), hash.add(mimic.ratio),
        hash.add(mimic.offset);
}

void add_shapes(const collision::CollisionModel& shapes, Hash& hash) {
  for (const collision::Geometry& geometry : shapes.geometries) {
    const collision::Shape& shape = geometry.shape;
    hash.add(static_cast<int>(shape.kind)), hash.add(shape.radius), hash.add(shape.half_length);
    hash.add(shape.half), hash.add(geometry.body), hash.add(geometry.R_BG), hash.add(geometry.p_BG);
    hash.add(geometry.material);
  }
  for (int a = 0; a < shapes.size(); ++a)
    for (int b = 0; b < a; ++b) hash.add(static_cast<int>(shapes.filter.allows(a, b)));
  if (!shapes.shapes) return;
  for (const collision::Polyhedron& poly : shapes.shapes->polyhedra) hash.add(poly.vertices());
  for (const collision::TriangleMesh& mesh : shapes.shapes->meshes)
    for (const collision::SurfaceTriangle& triangle : mesh.triangles())
      for (const Vec3d& vertex : triangle.v) hash.add(vertex);
  for (const collision::HeightField& field : shapes.shapes->height_fields)
    field.for_each(field.bounds(), [&](const collision::SurfaceTriangle& triangle) {
      for (const Vec3d& vertex : triangle.v) hash.add(vertex);
    });
}

void add_options(const contact::ContactOptions& o, Hash& hash) {
  hash.add(static_cast<int>(o.law)), hash.add(o.facets), hash.add(o.tolerance);
  hash.add(o.max_sweeps), hash.add(static_cast<int>(o.accelerate)), hash.add(o.margin);
  hash.add(o.slop), hash.add(o.correction), hash.add(o.loop_correction), hash.add(o.capacity);
  const contact::PenaltyOptions& p = o.penalty;
  for (const double value :
       {p.kp, p.kv, p.wanted_penetration, p.stiffness, p.damping, p.hunt_stiffness, p.hunt_exponent,
        p.hunt_damping, p.tangential_stiffness, p.tangential_damping})
    hash.add(value);
  hash.add(static_cast<int>(p.saturation));
}

// One world, and what acts in it.
void add_part(const LoadedScene& scene, Hash& hash) {
  const sim::World& world = scene.scene.world;
  add_model(world.model, hash);
  add_shapes(world.shapes, hash);
  for (const contact::Material& m : world.materials.pairs())
    hash.add(m.friction), hash.add(m.restitution), hash.add(m.torsion_friction),
        hash.add(m.rolling_friction);
  add_options(world.contact, hash);
  for (const contact::Loop& loop : world.loops) {
    hash.add(static_cast<int>(loop.kind)), hash.add(loop.body_a), hash.add(loop.body_b);
    hash.add(loop.R_AF), hash.add(loop.R_BG), hash.add(loop.p_AF), hash.add(loop.p_BG);
    hash.add(loop.length);
  }
  hash.add(world.gravity), hash.add(scene.step);
  hash.add(scene.tau), hash.add(scene.stiffness), hash.add(scene.damping), hash.add(scene.target);
  hash.add(scene.limit), hash.add(scene.fingerprint);
}

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

std::uint64_t calc_scene_hash(const LoadedScene& scene) {
  Hash hash;
  add_part(scene, hash);
  for (const LoadedScene& part : scene.later)
    hash.add(static_cast<double>(part.begins)), add_part(part, hash);
  return hash.value();
}

void write_snapshot(const LoadedScene& scene, const RunStart& from, const std::string& file) {
  const sim::State& state = from.state;
  const std::string unfinished = file + ".part";
  {
    Hdf5File out(unfinished, Hdf5File::Mode::kCreate);
    const int version[] = {kSnapshotVersion};
    const std::uint64_t hash[] = {calc_scene_hash(scene)};
    out.write("/snapshot_version", version);
    out.write("/scene_hash", hash);
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

RunStart read_snapshot(const LoadedScene& scene, const std::string& file) {
  std::error_code code;
  if (std::filesystem::is_directory(file, code))
    throw Error({file}, "this is a folder; name a snapshot (.h5) inside it");
  if (!std::filesystem::is_regular_file(file, code)) throw Error({file}, "there is no such file");
  const Hdf5File in(file, Hdf5File::Mode::kRead);
  if (!in.has("/snapshot_version") || !in.has("/scene_hash"))
    throw Error({file}, "this is not a snapshot; `stance run --snapshot-at` writes them");
  if (const int version = in.read_int("/snapshot_version"); version != kSnapshotVersion)
    throw Error({file}, fmt::format("this snapshot is of version {}, this program reads version {}",
                                    version, kSnapshotVersion));
  const std::vector<std::uint64_t> hash = in.read_uint64s("/scene_hash");
  if (hash.size() != 1 || hash[0] != calc_scene_hash(scene))
    throw Error({file},
                "this snapshot is of another scene, or of this one with other values, robots "
                "or another law; it can only go on where it was taken");

  std::vector<double> rest;
  fill(in.read_doubles("/time"), 1, file, "time", rest);
  const double time = rest[0];
  if (!(time >= 0.0) || !(time / scene.step < 1e15))
    throw Error({file}, "the snapshot is damaged: its time is not");
  const std::int64_t steps = std::llround(time / scene.step);
  std::vector<SceneEdit> edits;
  EditedScene edited;
  if (in.has("/edits")) {
    edits = parse_edits(in.read_text("/edits"));
    edited = apply_edits(scene, edits, steps);
  }
  const LoadedScene& part = edited.part ? *edited.part : scene.find_part(steps);
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
