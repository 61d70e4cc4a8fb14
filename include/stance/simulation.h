#pragma once

// A scene while it runs, who looks on, and what can be read.
//
//   stance::Simulation simulation(stance::load_scene("scenes/bouncing_ball.yaml"));
//   const stance::ChannelReader ball(simulation, "ball/position");
//   simulation.advance_until(1.0);                      // s
//   const double height = ball.read()[2];
//
// Any number of simulations run side by side, each on one thread at a time.

#include "stance/io/scene_snapshot.h"
#include "stance/run/change.h"
#include "stance/run/channels.h"
#include "stance/run/observer.h"
#include "stance/run/outcome.h"
#include "stance/run/simulation.h"
#include "stance/run/snapshot.h"
#include "stance/scene.h"
#include "stance/sim/outside.h"

namespace stance {

using run::Simulation;

// Numbers by name, after any step.
using run::ChannelReader;
using sim::Channel;

// Whoever takes part or looks on.
using run::Observer;
using run::StepAhead;
using sim::StepReport;
using sim::StepView;

// What somebody does: a Change is one of these, or an Edit of the scene.
using run::Change;
using sim::DragBody;
using sim::PlaceProbe;
using sim::PushBody;
using sim::Release;
using sim::SetTarget;
using sim::SetTorque;

// A state with the edits before it, to go on from; as bytes and in files.
using io::load_snapshot;
using io::save_snapshot;
using run::Moment;
using run::read_snapshot;
using run::write_snapshot;

// What a run came to, and whether it did what its scene expects.
using run::make_outcome;
using run::Outcome;

}  // namespace stance
