#include "contact/peer_engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "stance/dynamics/kinematics.h"
#include "stance/kernel/error.h"

#include "contact/own_engine.h"
#include "peer_model.h"

namespace stance::bench {
namespace {

using collision::ShapeKind;

constexpr double kPatience = 600.0;  // s for an answer

// A peer has understood the scene when bodies are where ours are, at first (to single precision)
// and after some steps (soft contacts give way a little).
constexpr int kFirstSteps = 20;
constexpr double kSamePlace = 1e-5, kStillNear = 3e-3;  // m

struct Candidate {
  const char* name;
  const char* option;
  const char* executable;  // empty when it was not built
  const char* package;
};
constexpr Candidate kCandidates[] = {
    {"mujoco", "pyramidal", STANCE_SCENE_MUJOCO, "libmujoco-dev"},
    {"mujoco", "elliptic", STANCE_SCENE_MUJOCO, "libmujoco-dev"},
    {"bullet", "plane", STANCE_SCENE_BULLET, "libbullet-dev"},
    {"bullet", "box", STANCE_SCENE_BULLET, "libbullet-dev"},
};

PeerGeometry make_peer_geometry(const collision::Geometry& geometry) {
  PeerGeometry g;
  g.body = geometry.body - 1;
  const collision::Shape& shape = geometry.shape;
  switch (shape.kind) {
    case ShapeKind::kSphere: g.kind = "sphere", g.size = {shape.radius}; break;
    case ShapeKind::kCapsule: g.kind = "capsule", g.size = {shape.radius, shape.half_length}; break;
    case ShapeKind::kCylinder:
      g.kind = "cylinder", g.size = {shape.radius, shape.half_length};
      break;
    case ShapeKind::kBox:
      g.kind = "box", g.size = {shape.half[0], shape.half[1], shape.half[2]};
      break;
    case ShapeKind::kPlane: g.kind = "plane"; break;
    default: throw Error(fmt::format("{}: peers have no shape of this kind", geometry.name));
  }
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) g.R[3 * r + c] = geometry.R_BG(r, c);
    g.p[r] = geometry.p_BG[r];
  }
  return g;
}

std::vector<kernel::Vec3d> find_places(const model::Model& model, const std::vector<double>& q) {
  dynamics::Kinematics<double> kin(model);
  update_kinematics(model, std::span<const double>(q), kin);
  std::vector<kernel::Vec3d> places(model.nbody);
  for (int i = 1; i < model.nbody; ++i) places[i] = kin.p_WO[model.tree[i]] + kin.p_OB[i];
  return places;
}

// How far apart bodies are in two states; infinite when one is not finite.
double calc_distance(const model::Model& model, const std::vector<double>& a,
                     const std::vector<double>& b) {
  const auto at_a = find_places(model, a), at_b = find_places(model, b);
  double worst = 0.0;
  for (std::size_t i = 1; i < at_a.size(); ++i) {
    const double distance = norm(at_a[i] - at_b[i]);
    if (!(distance <= worst)) worst = std::isfinite(distance) ? distance : INFINITY;
  }
  return worst;
}

// What a peer does differently from us; empty when nothing.
std::string find_disagreement(const BenchScene& scene, Engine& peer) {
  OwnEngine ours(scene, scene.scene.world.contact.tolerance);
  const model::Model& model = ours.world().model;
  for (const auto& [steps, limit] :
       {std::pair(0, kSamePlace), std::pair(kFirstSteps, kStillNear)}) {
    if (steps > 0 && (!ours.run(0, steps) || !peer.run(0, steps))) return peer.error();
    const auto q = peer.state();
    if (!q) return peer.error();
    const double distance = calc_distance(model, ours.state().value(), *q);
    if (distance > limit)
      return fmt::format("after {} steps a body is {:.1e} m from where ours is", steps, distance);
  }
  return peer.restart() ? "" : peer.error();
}

}  // namespace

PeerScene make_peer_scene(const BenchScene& bench) {
  const sim::World& world = bench.scene.world;
  PeerScene scene;
  scene.model = make_peer_model(world.model, world.gravity);
  scene.step = kStep;
  scene.friction = world.materials[0].friction;
  for (int k = 0; k < world.materials.size(); ++k)
    if (const contact::Material& material = world.materials[k];
        material.friction != scene.friction || material.restitution != 0.0)
      throw Error("peers are compared on scenes of one material that does not bounce");
  for (const collision::Geometry& geometry : world.shapes.geometries)
    scene.geometries.push_back(make_peer_geometry(geometry));
  for (int a = 0; a < world.shapes.size(); ++a)
    for (int b = a + 1; b < world.shapes.size(); ++b) {
      const bool may_meet = world.shapes.geometries[a].body != world.shapes.geometries[b].body;
      if (may_meet && !world.shapes.filter.allows(a, b)) scene.apart.emplace_back(a, b);
    }

  // the dampers of the joints themselves are part of the drive
  const auto take = [&](const std::vector<double>& values) {
    return values.empty() ? std::vector<double>(world.model.nv) : values;
  };
  scene.stiffness = take(bench.drive.stiffness);
  scene.damping = take(bench.drive.damping);
  scene.target = take(bench.drive.target);
  for (int k = 0; k < world.model.nv; ++k) scene.damping[k] += world.model.damping[k];
  scene.dry = world.model.friction;
  for (int k = 0; k < world.model.nv; ++k) {
    const bool has_limits = world.model.joint_nv(world.model.dof_body[k]) == 1;
    scene.lower.push_back(has_limits ? std::max(world.model.lower[k], -kNoLimit) : -kNoLimit);
    scene.upper.push_back(has_limits ? std::min(world.model.upper[k], kNoLimit) : kNoLimit);
  }
  if (!world.model.mimics.empty() || !world.loops.empty())
    throw Error("peers are compared on scenes without mimic joints and loops");
  scene.q = bench.scene.start.q;
  scene.v = bench.scene.start.v;
  return scene;
}

bool PeerEngine::launch(const std::string& executable, const std::string& scene_text) {
  process_.set_timeout(kPatience);
  return process_.start(executable, scene_text, option_);
}

std::vector<std::unique_ptr<Engine>> start_peers(const BenchScene& scene, bool with_bullet,
                                                 std::vector<std::string>& notes) {
  const std::string text = write_scene(make_peer_scene(scene));
  std::vector<std::unique_ptr<Engine>> peers;
  const auto note = [&notes](const std::string& sentence) {
    if (std::find(notes.begin(), notes.end(), sentence) == notes.end()) notes.push_back(sentence);
  };
  for (const Candidate& candidate : kCandidates) {
    if (!with_bullet && std::string_view(candidate.name) == "bullet") continue;
    if (!*candidate.executable) {
      note(fmt::format("{} is not compared: it was not built (Debian: {})", candidate.name,
                       candidate.package));
      continue;
    }
    auto peer = std::make_unique<PeerEngine>(candidate.name, candidate.option);
    const std::string problem =
        peer->launch(candidate.executable, text) ? find_disagreement(scene, *peer) : peer->error();
    if (problem.empty())
      peers.push_back(std::move(peer));
    else
      note(fmt::format("{} ({}) is not compared on {}: {}", candidate.name, candidate.option,
                       scene.scene.world.model.name, problem));
  }
  return peers;
}

}  // namespace stance::bench
