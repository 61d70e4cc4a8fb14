#pragma once

// Figures 11 to 14 of paper R: one law on the left, another beside it.

#include <string>

#include "walk_run.h"

// Writes FOLDER/walk_NAME.csv: time, heights and normal forces of v1 to v8.
void write_run(const std::string& folder, const WalkRun& run);

// What a figure shows of a run.
enum class Shown {
  kBothFeet,  // heights of all corners over the walk (figure 11)
  kStance,    // heights of the right foot's corners while it stands (figure 12)
  kForces,    // normal forces there (figures 13, 14)
};

// Writes FOLDER/NAME.gp and, by gnuplot where it is installed, NAME.svg and NAME.png, from what
// write_run wrote; returns whether they were drawn.
bool write_figure(const std::string& folder, const std::string& name, const std::string& title,
                  Shown shown, const WalkRun& left, const WalkRun& right);
