// What a peer that simulates scenes (scene_mujoco, scene_bullet) and its client say to each other.
// The same rules as in peer_protocol.h, which has the bodies and joints.
//
// The scene text is the model text of peer_protocol.h, then
//   step H
//   geometries N  (geometry BODY KIND a b c R_BG p_BG)*N    BODY -1 is the world
//       sphere: radius; capsule, cylinder: radius, half length along z; box: half edges; plane: z
//       up
//   friction MU                                             of all pairs
//   apart K (GEOMETRY GEOMETRY)*K                           pairs that never meet
//   drive stiffness .. damping .. target ..                 NV each: tau = k (target - q) - d v
//   joints dry .. lower .. upper ..                         NV each: dry friction, limits of joints
//                                                           with one coordinate (1e30: none)
//   start q .. v ..                                         in Stance's coordinates
//
// Commands and answers:
//   (the scene, and after it an option of the peer's own)
//       ready LIBRARY VERSION nq NQ nv NV
//   run WARM STEPS
//       us X            mean microseconds of STEPS steps, after WARM others; processor time, which
//                       on an idle machine is the time that passes
//   restart
//       ok              back to the start, as if nothing had been
//   start q .. v ..
//       ok              another start, from which restart goes on as well
//   state
//       q .. | ok       poses, in Stance's coordinates
//   contacts
//       contacts N      points of the last step
//   quit
//       (ends)
#pragma once

#include <ctime>
#include <utility>

#include "peer_protocol.h"

namespace stance::bench {

struct PeerGeometry {
  int body = -1;     // index into the bodies, -1 for the world
  std::string kind;  // sphere, capsule, cylinder, box, plane
  std::array<double, 3> size{};
  std::array<double, 9> R{};  // of the geometry in the body, row-major
  std::array<double, 3> p{};
};

inline constexpr double kNoLimit = 1e30;

struct PeerScene {
  PeerModel model;
  double step = 1e-3;  // s
  std::vector<PeerGeometry> geometries;
  double friction = 0.5;
  std::vector<std::pair<int, int>> apart;          // pairs of geometries
  std::vector<double> stiffness, damping, target;  // (nv)
  std::vector<double> dry, lower, upper;           // (nv)
  std::vector<double> q, v;
};

inline std::string write_start(const std::vector<double>& q, const std::vector<double>& v) {
  return "start q" + format_numbers(q) + " v" + format_numbers(v) + "\n";
}

inline std::string write_scene(const PeerScene& scene) {
  std::string text = write_model(scene.model) + "step" + format_numbers(std::array{scene.step}) +
                     "\ngeometries " + std::to_string(scene.geometries.size()) + "\n";
  for (const PeerGeometry& g : scene.geometries)
    text += "geometry " + std::to_string(g.body) + " " + g.kind + format_numbers(g.size) +
            format_numbers(g.R) + format_numbers(g.p) + "\n";
  text += "friction" + format_numbers(std::array{scene.friction}) + "\napart " +
          std::to_string(scene.apart.size());
  for (const auto& [a, b] : scene.apart) text += " " + std::to_string(a) + " " + std::to_string(b);
  text += "\ndrive stiffness" + format_numbers(scene.stiffness) + " damping" +
          format_numbers(scene.damping) + " target" + format_numbers(scene.target) +
          "\njoints dry" + format_numbers(scene.dry) + " lower" + format_numbers(scene.lower) +
          " upper" + format_numbers(scene.upper) + "\n";
  return text + write_start(scene.q, scene.v);
}

// Everything below is the peer's side.

inline void read_start(std::istream& in, const PeerModel& model, std::vector<double>& q,
                       std::vector<double>& v) {
  q.resize(model_nq(model));
  v.resize(model_nv(model));
  read_keyword(in, "q");
  read_numbers(in, "q", q);
  read_keyword(in, "v");
  read_numbers(in, "v", v);
}

inline PeerScene read_scene(std::istream& in) {
  PeerScene scene;
  scene.model = read_model(in);
  read_keyword(in, "step");
  scene.step = read_value<double>(in, "the step");
  read_keyword(in, "geometries");
  const int count = read_value<int>(in, "the number of geometries");
  for (int i = 0; i < count; ++i) {
    PeerGeometry& g = scene.geometries.emplace_back();
    read_keyword(in, "geometry");
    g.body = read_value<int>(in, "the body of a geometry");
    if (g.body < -1 || g.body >= static_cast<int>(scene.model.bodies.size()))
      throw PeerError("a geometry names a body that does not exist");
    g.kind = read_value<std::string>(in, "the kind of a geometry");
    read_numbers(in, "the size of a geometry", g.size);
    read_numbers(in, "a rotation", g.R);
    read_numbers(in, "a position", g.p);
  }
  read_keyword(in, "friction");
  scene.friction = read_value<double>(in, "friction");
  read_keyword(in, "apart");
  const int pairs = read_value<int>(in, "the number of pairs");
  for (int i = 0; i < pairs; ++i) {
    const int a = read_value<int>(in, "a pair"), b = read_value<int>(in, "a pair");
    if (a < 0 || a >= count || b < 0 || b >= count)
      throw PeerError("a pair names a geometry that does not exist");
    scene.apart.emplace_back(a, b);
  }
  const int nv = model_nv(scene.model);
  const auto read_each = [&](const char* name, std::vector<double>& numbers) {
    read_keyword(in, name);
    numbers.resize(nv);
    read_numbers(in, name, numbers);
  };
  read_keyword(in, "drive");
  read_each("stiffness", scene.stiffness);
  read_each("damping", scene.damping);
  read_each("target", scene.target);
  read_keyword(in, "joints");
  read_each("dry", scene.dry);
  read_each("lower", scene.lower);
  read_each("upper", scene.upper);
  read_keyword(in, "start");
  read_start(in, scene.model, scene.q, scene.v);
  return scene;
}

// What each library implements.
class ScenePeer {
 public:
  virtual ~ScenePeer() = default;
  virtual std::string library() const = 0;  // name and version
  virtual void start(const std::vector<double>& q, const std::vector<double>& v) = 0;
  virtual void step() = 0;
  virtual std::vector<double> find_q() = 0;
  virtual int count_contacts() = 0;
};

using MakeScenePeer = std::unique_ptr<ScenePeer>(const PeerScene& scene, const std::string& option);

// Seconds that this thread has worked.
inline double read_work_clock() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline bool answer(const std::string& command, PeerScene& scene, ScenePeer& peer, std::istream& in,
                   std::ostream& out) {
  if (command == "quit") return false;
  if (command == "run") {
    const int warm = read_value<int>(in, "the number of steps to warm up");
    const int steps = read_value<int>(in, "the number of steps");
    if (warm < 0 || steps < 1) throw PeerError("the number of steps must be at least 1");
    for (int i = 0; i < warm; ++i) peer.step();
    const double start = read_work_clock();
    for (int i = 0; i < steps; ++i) peer.step();
    out << "us" << format_numbers(std::array{1e6 * (read_work_clock() - start) / steps}) << "\n";
  } else if (command == "restart") {
    peer.start(scene.q, scene.v);
    out << "ok\n";
  } else if (command == "start") {
    read_start(in, scene.model, scene.q, scene.v);
    peer.start(scene.q, scene.v);
    out << "ok\n";
  } else if (command == "state") {
    out << "q" << format_numbers(peer.find_q()) << "\nok\n";
  } else if (command == "contacts") {
    out << "contacts " << peer.count_contacts() << "\n";
  } else {
    throw PeerError("unknown command '" + command + "'");
  }
  return true;
}

// The main function of a peer.
inline int serve_scene(MakeScenePeer make_peer) {
  return converse([&](std::istream& in, std::ostream& out) {
    PeerScene scene = read_scene(in);
    const auto option = read_value<std::string>(in, "an option");
    std::unique_ptr<ScenePeer> peer = make_peer(scene, option);
    peer->start(scene.q, scene.v);
    say_ready(peer->library(), scene.model, out);
    return
        [&, scene = std::move(scene), peer = std::move(peer)](const std::string& command) mutable {
          return answer(command, scene, *peer, in, out);
        };
  });
}

}  // namespace stance::bench
