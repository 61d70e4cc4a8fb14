#pragma once

// What people and devices do to a run (run/change.h), as JSON: in recordings, and in files that
// `stance run --inputs` plays. docs/recording.md has the form.

#include <string>
#include <string_view>
#include <vector>

#include "stance/run/change.h"

namespace stance::io {

// "wrench", "drag", "target", "torque", "probe", "release", "add", "remove", "gravity", "law".
const char* change_kind(const run::Change& change);

// All but the kind, on one line; numbers have the digits that give the same bits again.
std::string write_change(const run::Change& change);

// Throws stance::Error.
run::Change parse_change(std::string_view kind, std::string_view json);

// Changes with the times from which on they hold, s, ascending.
struct TimedChange {
  double time = 0.0;
  run::Change change;
  Place place = {};
};

// A file with a line of JSON for every change: {"time": 0.5, "kind": "wrench", ...}. Throws
// stance::Error at the line.
std::vector<TimedChange> load_inputs(const std::string& file);

}  // namespace stance::io
