#pragma once

// The messages of the Haply Inverse service (version 3: JSON over a WebSocket), both ways. The
// service says hello with an inventory and answers every message with the state of its devices.
//
// Its axes are x right, y away, z up, ours x away, y left, z up: turned here.

#include <string>
#include <string_view>

#include "stance/haptics/device.h"

namespace stance::haptics {

inline constexpr int kHaplyPort = 10001;
inline constexpr std::size_t kMostHaplyBytes = 65536;  // of a message

// What a message of the service says of its first Inverse3, and of its first grip if there is one.
struct HaplyState {
  std::string session, device;  // empty where the message has none
  Vec3d position{}, velocity{};
  bool has_device = false;  // an Inverse3 with a cursor is there
  bool has_orientation = false;
  Mat3d orientation = Mat3d::identity();
  std::uint32_t buttons = 0;
};

// False with a sentence in `trouble` for whatever is no such message: not JSON, too long, a number
// missing or not finite. Never throws.
bool parse_haply_state(std::string_view text, HaplyState& state, std::string& trouble);
void write_haply_force(std::string_view device, const Vec3d& force, std::string& text);

// The service's side. A message without a force for this device is a question for its state only.
struct HaplyCommand {
  bool has_force = false;
  Vec3d force{};
};
bool parse_haply_command(std::string_view text, std::string_view device, HaplyCommand& command,
                         std::string& trouble);
// The inventory has what replies leave out.
void write_haply_state(const HaplyState& state, bool is_inventory, std::string& text);

}  // namespace stance::haptics
