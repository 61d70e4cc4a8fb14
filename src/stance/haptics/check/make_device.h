#pragma once

// Devices by name, for the command line.

#include <memory>
#include <string>

#include "stance/haptics/check/emulator.h"
#include "stance/haptics/device.h"
#include "stance/haptics/device_loop.h"
#include "stance/haptics/module.h"
#include "stance/scene/spec.h"

namespace stance::haptics {

// "haply", "haply:HOST:PORT", "spacemouse", "emulator" (a hand that moves about, on the clock of
// the loop) or the CSV file of a trajectory; settings follow after commas:
// "haply,damping=1.5,max_force=8". Throws stance::Error, saying what there is.
std::unique_ptr<Device> make_device(const std::string& text);

// One line about what make_device knows, for --help.
inline constexpr const char* kDeviceHelp =
    "haply[:HOST:PORT], spacemouse, emulator, or a CSV file with time,x,y,z";

// What a scene says of devices (its `interaction`).
void take_scene(const scene::InteractionSpec& interaction, LoopOptions& loop,
                HapticOptions& options);

// Motions of an emulated hand: "still", "circle" (3 cm, once in 2 s), "press" (down by 2 cm and up
// again, once in 4 s). Throws stance::Error.
Motion make_motion(const std::string& name);

}  // namespace stance::haptics
