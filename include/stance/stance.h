#pragma once

// Stance, a simulator of robots and other multibody systems in contact: the whole library.
//
//   #include "stance/stance.h"
//
//   int main() {
//     stance::Simulation simulation(stance::load_scene("scenes/bouncing_ball.yaml"));
//     const stance::ChannelReader ball(simulation, "ball/position");
//     simulation.advance_until(1.0);
//     std::printf("%g m\n", ball.read()[2]);
//   }
//
// These headers are the interface; those that they include (below stance/kernel, stance/run and so
// on) are the inside of the library, and change without notice. No other library than Eigen reaches
// programs through them.

#include "stance/contact.h"
#include "stance/controller.h"
#include "stance/dynamics.h"
#include "stance/error.h"
#include "stance/math.h"
#include "stance/plugin.h"
#include "stance/recording.h"
#include "stance/scene.h"
#include "stance/sensor.h"
#include "stance/simulation.h"
#include "stance/version.h"
