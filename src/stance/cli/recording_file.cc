#include "stance/cli/recording_file.h"

#include <filesystem>

#include <fmt/format.h>

#include "stance/cli/terminal.h"

namespace stance::cli {

void tell_orphan(const std::string& file, io::OrphanPlace place) {
  const auto report = io::finish_orphan(file, place);
  if (!report) return;
  const Style style = find_style(stderr);
  fmt::print(stderr, "{}note:{} {}\n", style.yellow, style.plain, report->text());
}

io::Recording open_recording(const std::string& file) {
  constexpr std::string_view kJournal = ".journal";
  const std::string name =
      file.ends_with(kJournal) ? file.substr(0, file.size() - kJournal.size()) : file;
  tell_orphan(name, io::OrphanPlace::kItsName);
  return io::Recording(name);
}

std::string describe_file(const std::string& file) {
  std::error_code code;
  const auto bytes = static_cast<double>(std::filesystem::file_size(file, code));
  if (code) return file;
  if (bytes < 1e3) return fmt::format("{} ({:g} bytes)", file, bytes);
  const bool is_large = bytes >= 1e6;
  return fmt::format("{} ({:.3g} {})", file, bytes / (is_large ? 1e6 : 1e3),
                     is_large ? "MB" : "kB");
}

}  // namespace stance::cli
