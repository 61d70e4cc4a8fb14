#pragma once

// Recordings: made of a simulation, read, and run again bit for bit (docs/recording.md).
//
//   stance::RecordingWriter writer(simulation, {.hdf5 = "run.h5"});
//   simulation.advance_until(2.0);
//   writer.finish(make_outcome(simulation));
//
//   const stance::Recording recording("run.h5");
//   const std::vector<double> heights = recording.read("ball/position");   // rows x columns

#include "stance/io/recording.h"
#include "stance/io/recording_writer.h"
#include "stance/io/replay.h"
#include "stance/simulation.h"

namespace stance {

using io::Recording;
using io::RecordingWriter;
using io::RecordOptions;
using io::replay;
using io::ReplayResult;

}  // namespace stance
