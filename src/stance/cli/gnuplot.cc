#include "stance/cli/gnuplot.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "stance/kernel/error.h"

namespace stance::cli {
namespace {

bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((std::filesystem::path(folder) / name).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

void check_gnuplot(const std::string& who, const std::string& file) {
  if (!has_program("gnuplot"))
    throw Error(who + " needs the program gnuplot (Debian package gnuplot-nox)");
  std::FILE* out = std::fopen(file.c_str(), "a");
  if (!out) throw Error(fmt::format("{}: cannot write {}", who, file));
  std::fclose(out);
}

// In single quotes gnuplot takes everything as it is, a quote being written twice.
std::string quote_gnuplot(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string("''") : std::string(1, c == '\n' ? ' ' : c);
  return quoted + "'";
}

void run_gnuplot(const std::string& who, const std::string& script) {
  std::FILE* gnuplot = popen("gnuplot", "w");
  if (!gnuplot) throw Error(who + ": cannot start gnuplot");
  fmt::print(gnuplot, "{}", script);
  if (pclose(gnuplot) != 0) throw Error(who + ": gnuplot failed; what it said stands above");
}

}  // namespace stance::cli
