#pragma once

// Where the files that a robot description names may lie.

#include <string>
#include <string_view>
#include <vector>

namespace stance::io {

struct Resolved {
  std::string path;                // the file; empty when there is none
  std::vector<std::string> tried;  // every path looked at, in order; the last is `path` if found
  std::string problem;             // why nothing could be tried, for example "http://"

  bool found() const { return !path.empty(); }
};

// Finds a file named by a URI or path, as seen from a robot description in `folder`:
//   package://pkg/rest  in each package path P as P/pkg/rest (or P/rest when P is named pkg), then
//                       likewise in `folder` and every folder above it; model:// the same
//   file://path         the path
//   path                itself when absolute, else below `folder`
Resolved find_file(std::string_view uri, const std::string& folder,
                   const std::vector<std::string>& package_paths);

// The package paths that ROS keeps in its environment variables (both may be empty): the entries
// of ROS_PACKAGE_PATH, and the `share` folder of each entry of AMENT_PREFIX_PATH.
std::vector<std::string> split_package_paths(std::string_view ros_package_path,
                                             std::string_view ament_prefix_path);

}  // namespace stance::io
