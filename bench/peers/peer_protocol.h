// What a peer process (peer_dart, peer_mujoco) and its client say to each other: the model text,
// the commands on stdin and the answers on stdout. Standard library only: no Eigen type may cross
// between code built with and without -mavx2, so plain text does.
//
// The model text and the coordinates q, v, tau are those of Stance (model/joint.h). J is the joint
// frame, fixed in the parent; velocities are those of B relative to the parent, in the axes of J,
// linear parts those of the origin of B. Per body, in model order:
//   free       q = (qw qx qy qz x y z)   v = (w_J, v_J)
//   revolute   q = (angle)               v = (rate)
//   prismatic  q = (length)              v = (rate)
//   spherical  q = (qw qx qy qz)         v = w_J
//   planar     q = (x y angle)           refused by both peers
//
// Commands, words separated by white space, and below each its answer, a line or several;
// numbers have 17 significant digits:
//
//   (the model)
//       ready LIBRARY VERSION nq NQ nv NV
//   set q .. v .. tau ..
//       ok
//   eval q .. v .. tau ..
//       M .. | bias .. | vdot .. | ok       four lines, M row-major
//   contacts K (BODY x y z)*K
//       ok                                  points fixed in the body frames
//   lambda
//       lambda .. | ok                      J M^-1 J^T, 3K by 3K, world axes
//   time NAME REPEATS
//       us X                                mean microseconds of one call
//       unsupported                         where the library has no such algorithm
//   quit
//       (ends)
//
// Anything wrong: `error SENTENCE`, and the process ends with status 1.
//
// Names to time; every call starts anew from q, v and tau, which it hands to the library first:
//   state        that handing over alone, the baseline   fk    poses of all bodies
//   rnea         inverse dynamics                        crba  mass matrix
//   aba, fwd     forward dynamics (the same algorithm under both names; MuJoCo's is crba + L^T D L)
//   lambda       J M^-1 J^T at the contacts, the best way the library offers
//   omega        the same with six rows per body in contact instead of three per point
//   crba_factor  MuJoCo: mass matrix and its factors
//   lambda_rows, lambda_inverse  DART: by a unit impulse per row, and by its inverse mass matrix
#pragma once

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stance::bench {

// One body and the joint that carries it. J: joint frame, fixed in the parent P; B = J at q = 0.
struct PeerBody {
  std::string name;              // without blanks
  int parent = -1;               // index of an earlier body, -1 for the world
  std::string type;              // free, revolute, prismatic, spherical, planar
  std::array<double, 3> axis{};  // unit vector in J
  std::array<double, 9> R_PJ{};  // row-major
  std::array<double, 3> p_PJ{};  // m
  double mass = 0;               // kg
  std::array<double, 3> com{};   // centre of mass in B, m
  // about the centre of mass, axes of B: xx xy xz yy yz zz, kg m^2
  std::array<double, 6> inertia{};
  std::vector<double> armature;  // rotor inertia, added on the diagonal of M (nv of the joint)
  std::vector<double> damping;   // viscous; the peers set it to zero
};

struct PeerModel {
  std::array<double, 3> gravity{};
  std::vector<PeerBody> bodies;  // parents before children
};

struct PeerContact {
  int body = 0;
  std::array<double, 3> point{};  // in the body frame
};

// M vdot + bias = tau, in Stance's coordinates.
struct PeerEval {
  std::vector<double> M;  // row-major (nv x nv)
  std::vector<double> bias;
  std::vector<double> vdot;
};

// Sizes of q and v of a joint; 0 for an unknown type.
inline int joint_nq(const std::string& type) {
  if (type == "revolute" || type == "prismatic") return 1;
  return type == "free" ? 7 : type == "spherical" ? 4 : type == "planar" ? 3 : 0;
}
inline int joint_nv(const std::string& type) {
  if (type == "revolute" || type == "prismatic") return 1;
  return type == "free" ? 6 : type == "spherical" || type == "planar" ? 3 : 0;
}

inline int model_nq(const PeerModel& model) {
  int n = 0;
  for (const PeerBody& body : model.bodies) n += joint_nq(body.type);
  return n;
}
inline int model_nv(const PeerModel& model) {
  int n = 0;
  for (const PeerBody& body : model.bodies) n += joint_nv(body.type);
  return n;
}

// Text of " x y z ...", exact to the bit when read back.
template <typename Numbers>
std::string format_numbers(const Numbers& numbers) {
  std::string text;
  char word[32];
  for (double x : numbers) {
    std::snprintf(word, sizeof word, " %.17g", x);
    text += word;
  }
  return text;
}

inline std::string write_model(const PeerModel& model) {
  std::string text = "stance-peer-model 1\ngravity" + format_numbers(model.gravity) + "\nbodies " +
                     std::to_string(model.bodies.size()) + "\n";
  for (const PeerBody& b : model.bodies) {
    text += "body " + b.name + " " + std::to_string(b.parent) + " " + b.type;
    text += format_numbers(b.axis) + format_numbers(b.R_PJ) + format_numbers(b.p_PJ);
    text += format_numbers(std::array{b.mass}) + format_numbers(b.com) + format_numbers(b.inertia);
    text += " " + std::to_string(joint_nv(b.type));
    text += format_numbers(b.armature) + format_numbers(b.damping) + "\n";
  }
  return text + "end\n";
}

// Everything below is the peer's side: reading, and answering until `quit`.

// A sentence to answer before ending.
struct PeerError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <typename T>
T read_value(std::istream& in, const std::string& what) {
  T value{};
  if (!(in >> value)) throw PeerError("could not read " + what);
  return value;
}

inline void read_keyword(std::istream& in, const std::string& keyword) {
  const auto word = read_value<std::string>(in, keyword);
  if (word != keyword) throw PeerError("expected '" + keyword + "', got '" + word + "'");
}

template <typename Numbers>
void read_numbers(std::istream& in, const std::string& what, Numbers& numbers) {
  for (double& x : numbers) x = read_value<double>(in, what);
}

inline PeerModel read_model(std::istream& in) {
  PeerModel model;
  read_keyword(in, "stance-peer-model");
  if (read_value<int>(in, "the format version") != 1) throw PeerError("model format is not 1");
  read_keyword(in, "gravity");
  read_numbers(in, "gravity", model.gravity);
  read_keyword(in, "bodies");
  const int count = read_value<int>(in, "the number of bodies");
  for (int i = 0; i < count; ++i) {
    PeerBody& b = model.bodies.emplace_back();
    read_keyword(in, "body");
    b.name = read_value<std::string>(in, "a body name");
    const std::string where = "body " + b.name;
    b.parent = read_value<int>(in, where);
    b.type = read_value<std::string>(in, where);
    if (b.parent < -1 || b.parent >= i) throw PeerError(where + ": parent is not an earlier body");
    if (joint_nv(b.type) == 0) throw PeerError(where + ": unknown joint type " + b.type);

    // joint placement, mass properties, then the numbers per degree of freedom
    read_numbers(in, where, b.axis);
    read_numbers(in, where, b.R_PJ);
    read_numbers(in, where, b.p_PJ);
    b.mass = read_value<double>(in, where);
    read_numbers(in, where, b.com);
    read_numbers(in, where, b.inertia);
    const int nv = read_value<int>(in, where);
    if (nv != joint_nv(b.type)) throw PeerError(where + ": wrong NV for a joint of its type");
    b.armature.resize(nv);
    b.damping.resize(nv);
    read_numbers(in, where, b.armature);
    read_numbers(in, where, b.damping);
  }
  read_keyword(in, "end");
  return model;
}

// What each library implements.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string library() const = 0;  // name and version
  virtual void set_state(const std::vector<double>& q, const std::vector<double>& v,
                         const std::vector<double>& tau) = 0;
  virtual PeerEval eval() = 0;
  virtual void set_contacts(const std::vector<PeerContact>& contacts) = 0;
  virtual std::vector<double> calc_lambda() = 0;  // row-major

  // One full call of the named algorithm, from q, v and tau on; empty if unsupported.
  virtual std::function<void()> find_algorithm(const std::string& name) = 0;
};

using MakePeer = std::unique_ptr<Peer>(const PeerModel& model);

// Mean time of one call in a batch, in microseconds, after some calls to warm up.
inline double time_batch(const std::function<void()>& call, int repeats) {
  for (int i = repeats / 10 + 1; i > 0; --i) call();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) call();
  const auto stop = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::micro>(stop - start).count() / repeats;
}

inline void read_state(std::istream& in, const PeerModel& model, Peer& peer) {
  std::vector<double> q(model_nq(model)), v(model_nv(model)), tau(model_nv(model));
  read_keyword(in, "q");
  read_numbers(in, "q", q);
  read_keyword(in, "v");
  read_numbers(in, "v", v);
  read_keyword(in, "tau");
  read_numbers(in, "tau", tau);
  peer.set_state(q, v, tau);
}

inline std::vector<PeerContact> read_contacts(std::istream& in, const PeerModel& model) {
  std::vector<PeerContact> contacts;
  const int count = read_value<int>(in, "the number of contacts");
  for (int i = 0; i < count; ++i) {
    PeerContact& c = contacts.emplace_back();
    c.body = read_value<int>(in, "the body of a contact");
    read_numbers(in, "the point of a contact", c.point);
    if (c.body < 0 || c.body >= static_cast<int>(model.bodies.size()))
      throw PeerError("a contact names body " + std::to_string(c.body) + ", which does not exist");
  }
  return contacts;
}

// Answers one command; false ends the conversation.
inline bool answer(const std::string& command, const PeerModel& model, Peer& peer, std::istream& in,
                   std::ostream& out) {
  if (command == "quit") return false;
  if (command == "set") {
    read_state(in, model, peer);
    out << "ok\n";
  } else if (command == "eval") {
    read_state(in, model, peer);
    const PeerEval e = peer.eval();
    out << "M" << format_numbers(e.M) << "\nbias" << format_numbers(e.bias) << "\nvdot"
        << format_numbers(e.vdot) << "\nok\n";
  } else if (command == "contacts") {
    peer.set_contacts(read_contacts(in, model));
    out << "ok\n";
  } else if (command == "lambda") {
    out << "lambda" << format_numbers(peer.calc_lambda()) << "\nok\n";
  } else if (command == "time") {
    const auto name = read_value<std::string>(in, "the name of an algorithm");
    const int repeats = read_value<int>(in, "the number of repeats");
    if (repeats < 1) throw PeerError("the number of repeats must be at least 1");
    const std::function<void()> call = peer.find_algorithm(name);
    if (call)
      out << "us" << format_numbers(std::array{time_batch(call, repeats)}) << "\n";
    else
      out << "unsupported\n";
  } else {
    throw PeerError("unknown command '" + command + "'");
  }
  return true;
}

inline void say_ready(const std::string& library, const PeerModel& model, std::ostream& out) {
  out << "ready " << library << " nq " << model_nq(model) << " nv " << model_nv(model) << std::endl;
}

// The course of a conversation: `open(in, out)` reads what comes first and says ready; what it
// returns answers commands, until it returns false. The exit status of the process.
template <typename Open>
int converse(Open&& open) {
  // what the library itself prints on std::cout must not mix with the answers
  std::streambuf* const real_cout = std::cout.rdbuf(std::cerr.rdbuf());
  std::ostream out(real_cout);
  int status = 0;
  try {
    auto answer_next = open(std::cin, out);
    std::string command;
    while (std::cin >> command && answer_next(command)) out.flush();
  } catch (const std::exception& e) {
    out << "error " << e.what() << std::endl;
    status = 1;
  }
  std::cout.rdbuf(real_cout);
  return status;
}

// The main function of a peer.
inline int serve(MakePeer make_peer) {
  return converse([&](std::istream& in, std::ostream& out) {
    PeerModel model = read_model(in);
    std::unique_ptr<Peer> peer = make_peer(model);
    say_ready(peer->library(), model, out);
    return [&, model = std::move(model), peer = std::move(peer)](const std::string& command) {
      return answer(command, model, *peer, in, out);
    };
  });
}

}  // namespace stance::bench
