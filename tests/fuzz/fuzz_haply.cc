// Messages of the Haply service, both ways, from arbitrary bytes: never a crash, and never a number
// that is not finite.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "stance/haptics/haply_protocol.h"

using stance::haptics::parse_haply_command;
using stance::haptics::parse_haply_state;
using stance::haptics::Vec3d;
using stance::haptics::write_haply_force;

namespace {

void demand_finite(const Vec3d& a) {
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(a[k])) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string trouble;
  stance::haptics::HaplyState state;
  if (parse_haply_state(text, state, trouble)) {
    demand_finite(state.position), demand_finite(state.velocity);
    for (const Vec3d& column : state.orientation.c) demand_finite(column);
    // what was read can be written and read again
    std::string again;
    if (state.has_device) {
      write_haply_force(state.device, state.position, again);
      stance::haptics::HaplyCommand command;
      if (!parse_haply_command(again, state.device, command, trouble)) std::abort();
    }
  } else if (trouble.empty()) {
    std::abort();
  }
  stance::haptics::HaplyCommand command;
  if (parse_haply_command(text, "0001", command, trouble)) demand_finite(command.force);
  return 0;
}
