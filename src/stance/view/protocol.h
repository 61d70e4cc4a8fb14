#pragma once

// The messages of docs/protocol.md as the server sees them: what viewers ask for, read from text
// that may be anything, and what they are told. web/src/protocol.ts is the other side.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stance/kernel/error.h"
#include "stance/kernel/vec3.h"
#include "stance/scene/spec.h"

namespace stance::view {

using kernel::Vec3d;

inline constexpr int kProtocol = 1;
inline constexpr std::string_view kSubprotocol = "stance.v1";
inline constexpr std::size_t kLongestMessage = 64 << 10;  // bytes

// What viewers ask for, by the types of the messages. All numbers are finite.
namespace ask {

struct Pause {};
struct Play {};
struct Reset {};
struct Step {
  int count = 1;
};
struct Speed {
  double factor = 1.0;  // 0: as fast as it goes
};
struct Load {
  std::string file{};
};
struct Set {
  std::string name{};  // of a variable
  double value = 0.0;
};
struct Law {
  std::string law{};
};
struct Gravity {
  Vec3d value{};  // m/s^2
};
struct Drag {
  std::string body{};
  Vec3d point{}, target{};  // m, in the body's frame; m, world
};
struct Push {
  std::string body{};
  Vec3d point{}, force{};  // m, in the body's frame; N, world
  double seconds = 0.0;
};
struct Release {};
struct Select {
  std::optional<std::string> body{};  // none: nothing any more
};
struct Add {
  scene::ShapeSpec shape{};
  double mass = 0.0;             // kg
  Vec3d position{}, velocity{};  // m, m/s
};
struct Remove {
  std::string body{};
};
struct Target {
  std::string joint{};
  std::optional<double> value{};  // rad or m; none: as controllers say
};
struct Watch {
  std::vector<std::string> channels{};
  bool joints = false;
};
struct Seek {
  std::optional<double> time{};  // s; none: the present
};
struct Continue {
  double time = 0.0;  // s
};
struct Record {
  bool on = false;
};

}  // namespace ask

using Ask =
    std::variant<ask::Pause, ask::Play, ask::Reset, ask::Step, ask::Speed, ask::Load, ask::Set,
                 ask::Law, ask::Gravity, ask::Drag, ask::Push, ask::Release, ask::Select, ask::Add,
                 ask::Remove, ask::Target, ask::Watch, ask::Seek, ask::Continue, ask::Record>;

struct Request {
  double id = 0.0;
  Ask what{};
};

// A message read, or what is wrong with it.
struct ReadRequest {
  std::optional<Request> request{};
  std::optional<double> id{};  // also of one that is wrong, where it could be read
  std::string problem{};
};

// Never throws, whatever the text is.
ReadRequest read_request(std::string_view text);

// ---- what viewers are told; every function gives the JSON of one message -----------------------

struct SceneEntry {
  std::string file, about;
};
std::string write_hello(std::string_view version, int viewer,
                        const std::vector<SceneEntry>& scenes);

// What the steps of a run came to so far, as far as they can be trusted: counts since it began,
// numbers the worst since then.
struct Trust {
  std::int64_t steps = 0, not_converged = 0, refused = 0;
  std::int64_t contacts_dropped = 0, contacts_missed = 0;
  double residual = 0.0, distance = 0.0;           // of the law's own equations; of the exact law
  double gap_velocity = 0.0, impulse_error = 0.0;  // m/s, N s
  double energy_error = 0.0;                       // J, not the worst: so far

  bool operator==(const Trust&) const = default;
};

// What holds for all viewers.
struct Status {
  bool is_paused = false, is_recording = false;
  double speed = 1.0;  // wanted; 0: as fast as it goes
  int law = 0;         // contact::ContactLaw
  std::array<double, 3> gravity{};
  double from = 0.0, to = 0.0;  // s that the timeline holds
  bool is_past = false;
  double at = 0.0;  // s, of the past that is shown
  Trust trust{};    // moves by itself, but for the counts of what went wrong

  bool operator==(const Status&) const = default;
};
// Whether viewers must be told at once, rather than with the next heartbeat.
bool differs_at_once(const Status& before, const Status& now);
std::string write_status(const Status& status, int viewers);

std::string write_event(double time, std::string_view kind, std::string_view text);
std::string write_error(std::optional<double> re, const std::string& text, const Place& place = {});

// What an answer says besides that it was done.
struct AddedBody {
  std::string name;
};
struct BegunWatch {
  int number = 0;
  std::vector<std::string> columns;
};
using OkDetails = std::variant<std::monostate, AddedBody, BegunWatch>;
std::string write_ok(double re, const OkDetails& details = {});

// A selected body; plain numbers, so that it crosses threads without memory. Bodies by their place
// in the scene.
struct Selection {
  static constexpr int kMostContacts = 32;
  struct Contact {
    int with = 0;
    float force[3], normal[3], slip;
  };
  int viewer = 0, body = 0, contact_count = 0;
  float mass, velocity[3], spin[3], force[3], torque[3];
  Contact contacts[kMostContacts];
};
std::string write_selected(const Selection& selection, const std::vector<std::string>& bodies);

}  // namespace stance::view
