#pragma once

// Recordings of simulations that are looked at.

#include <string>

#include "stance/view/live_recording.h"

namespace stance::cli {

// Into new files SCENE_DATE.h5 of this folder; empty: of the one that the program was started in.
view::RecordingMaker make_live_recordings(const std::string& folder);

}  // namespace stance::cli
