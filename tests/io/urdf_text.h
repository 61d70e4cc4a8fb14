#pragma once

// Small robot descriptions put together in tests.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

namespace stance::io::testing {

inline std::string robot_text(const std::string& body) {
  return "<robot name=\"test\">\n" + body + "</robot>\n";
}

inline std::string inertial_text(double mass, const std::string& origin = "") {
  return fmt::format(
      "<inertial>{1}<mass value=\"{0}\"/><inertia ixx=\"{0}\" ixy=\"0\" ixz=\"0\" iyy=\"{0}\" "
      "iyz=\"0\" izz=\"{0}\"/></inertial>",
      mass, origin);
}

inline std::string link_text(const std::string& name, const std::string& more = "") {
  return fmt::format("<link name=\"{}\">{}{}</link>\n", name, inertial_text(1.0), more);
}

inline std::string joint_text(const std::string& name, const std::string& type,
                              const std::string& parent, const std::string& child,
                              const std::string& more = "") {
  const bool limited = type == "revolute" || type == "prismatic";
  return fmt::format(
      "<joint name=\"{}\" type=\"{}\"><parent link=\"{}\"/><child link=\"{}\"/>{}{}</joint>\n",
      name, type, parent, child,
      limited ? "<limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"4\"/>" : "", more);
}

// A folder that lives as long as the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "stance_test_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Writes a file below the folder and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  std::string path(const std::string& name = "") const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace stance::io::testing
