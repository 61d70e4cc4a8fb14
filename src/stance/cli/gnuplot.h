#pragma once

// The program gnuplot, which draws figures.

#include <string>

namespace stance::cli {

// Throws stance::Error, beginning with `who`, when there is no gnuplot or the file cannot be
// written; call it before long work.
void check_gnuplot(const std::string& who, const std::string& file);

// A text as gnuplot takes it, whatever it holds.
std::string quote_gnuplot(const std::string& text);

// Throws stance::Error when gnuplot fails.
void run_gnuplot(const std::string& who, const std::string& script);

}  // namespace stance::cli
