#pragma once

// Recordings as commands meet them.

#include <string>

#include "stance/io/recording.h"
#include "stance/io/recording_finish.h"

namespace stance::cli {

// Finishes what a run that was killed left beside the file, and says so on the error stream.
void tell_orphan(const std::string& file, io::OrphanPlace place);

// Opens a recording; one that was left unfinished is finished first. FILE.journal means FILE.
io::Recording open_recording(const std::string& file);

// "log.h5 (1.2 MB)"
std::string describe_file(const std::string& file);

}  // namespace stance::cli
