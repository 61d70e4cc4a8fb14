#pragma once

// The messages of docs/protocol.md as the server sees them: what viewers ask for, read from text
// that may be anything, and what they are told. web/src/protocol.ts is the other side.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stance/kernel/error.h"
#include "stance/kernel/vec3.h"

namespace stance::view {

using kernel::Vec3d;

inline constexpr int kProtocol = 1;
inline constexpr std::string_view kSubprotocol = "stance.v1";
inline constexpr std::size_t kLongestMessage = 64 << 10;  // bytes

// What a viewer asks for. Which members count depends on the kind; all numbers are finite.
struct Request {
  enum class Kind {
    kPause,
    kPlay,
    kReset,
    kStep,
    kSpeed,
    kLoad,
    kSet,
    kLaw,
    kGravity,
    kDrag,
    kPush,
    kRelease,
    kSelect,
    kAdd,
    kRemove,
    kTarget,
    kWatch,
    kSeek,
    kContinue,
    kRecord,
  };

  Kind kind = Kind::kPause;
  double id = 0.0;
  int count = 1;                        // step
  std::optional<std::string> name{};    // load, set, law, drag, push, select, remove, target
  std::optional<double> number{};       // speed, set, push (s), add (kg), target, seek, continue
  Vec3d point{}, vector{}, velocity{};  // drag, push, add: point or position; target, force,
                                        // gravity; velocity
  bool flag = false;                    // watch (joints), record
  std::vector<std::string> channels{};  // watch
  std::string shape{};                  // add: "box", ...
  std::vector<double> size{};           // add
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

// What holds for all viewers.
struct Status {
  bool is_paused = false, is_recording = false;
  double speed = 1.0;  // wanted; 0: as fast as it goes
  int law = 0;         // contact::ContactLaw
  std::array<double, 3> gravity{};
  double from = 0.0, to = 0.0;  // s that the timeline holds
  bool is_past = false;
  double at = 0.0;  // s, of the past that is shown

  bool operator==(const Status&) const = default;
};
std::string write_status(const Status& status, int viewers);

std::string write_event(double time, std::string_view kind, std::string_view text);
std::string write_error(std::optional<double> re, const std::string& text, const Place& place = {});

struct OkDetails {
  std::string body{};                     // add
  std::optional<int> watch{};             // watch
  std::vector<std::string> columns = {};  // watch
};
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
