#include "stance/io/scene_snapshot.h"

#include <bit>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "stance/io/hdf5_file.h"
#include "stance/sim/state_bytes.h"

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

}  // namespace

std::uint64_t calc_scene_hash(const LoadedScene& scene) {
  Hash hash;
  add_part(scene, hash);
  for (const LoadedScene& part : scene.later)
    hash.add(static_cast<double>(part.begins)), add_part(part, hash);
  return hash.value();
}

void write_snapshot(const LoadedScene& scene, const RunStart& from, const std::string& file) {
  const std::string unfinished = file + ".part";
  {
    Hdf5File out(unfinished, Hdf5File::Mode::kCreate);
    const int version[] = {kSnapshotVersion};
    const std::uint64_t hash[] = {calc_scene_hash(scene)};
    out.write("/snapshot_version", version);
    out.write("/scene_hash", hash);
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

  const std::vector<double> times = in.read_doubles("/time");
  const double time = times.size() == 1 ? times[0] : -1.0;
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
