#include "stance/io/resolve.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace stance::io {
namespace {

namespace fs = std::filesystem;

// Looks at one path; true when the search is over.
bool try_path(const fs::path& path, Resolved& resolved) {
  std::string text = path.lexically_normal().string();
  if (std::find(resolved.tried.begin(), resolved.tried.end(), text) != resolved.tried.end())
    return false;
  resolved.tried.push_back(text);
  std::error_code code;  // a path that is too long is simply not there
  if (!fs::is_regular_file(path, code)) return false;
  resolved.path = std::move(text);
  return true;
}

void find_in_packages(std::string_view rest, const std::string& folder,
                      const std::vector<std::string>& package_paths, Resolved& resolved) {
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos || slash == 0) {
    resolved.problem = "package:// must be followed by a package and a path: package://pkg/path";
    return;
  }
  const std::string package(rest.substr(0, slash));
  const fs::path inside(
      std::string(rest.substr(rest.find_first_not_of('/', slash) == std::string_view::npos
                                  ? rest.size()
                                  : rest.find_first_not_of('/', slash))));
  const auto try_base = [&](const fs::path& base) {
    const fs::path name = base.has_filename() ? base.filename() : base.parent_path().filename();
    return (name == package && try_path(base / inside, resolved)) ||
           try_path(base / package / inside, resolved);
  };
  for (const std::string& base : package_paths)
    if (try_base(base)) return;
  std::error_code code;
  fs::path above = fs::absolute(folder.empty() ? "." : folder, code).lexically_normal();
  while (!above.has_filename() && above.has_relative_path()) above = above.parent_path();
  for (;; above = above.parent_path())
    if (try_base(above) || above == above.parent_path()) return;
}

void append(std::string_view list, std::string_view below, std::vector<std::string>& paths) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) paths.push_back(std::string(list.substr(0, end)) + std::string(below));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

}  // namespace

Resolved find_file(std::string_view uri, const std::string& folder,
                   const std::vector<std::string>& package_paths) {
  Resolved resolved;
  for (const std::string_view scheme : {"package://", "model://"})
    if (uri.starts_with(scheme)) {
      find_in_packages(uri.substr(scheme.size()), folder, package_paths, resolved);
      return resolved;
    }
  if (uri.starts_with("file://")) uri.remove_prefix(std::string_view("file://").size());
  const std::size_t scheme = uri.find("://");
  if (scheme != std::string_view::npos) {
    resolved.problem = "files are not fetched by " + std::string(uri.substr(0, scheme)) +
                       ":// addresses; put the file beside the robot description";
    return resolved;
  }
  try_path(fs::path(folder) / fs::path(std::string(uri)), resolved);
  return resolved;
}

std::vector<std::string> split_package_paths(std::string_view ros_package_path,
                                             std::string_view ament_prefix_path) {
  std::vector<std::string> paths;
  append(ros_package_path, "", paths);
  append(ament_prefix_path, "/share", paths);
  return paths;
}

}  // namespace stance::io
