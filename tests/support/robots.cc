#include "support/robots.h"

#include <cstdlib>
#include <filesystem>

#ifdef STANCE_HAS_IO
#include "stance/io/urdf.h"
#endif

namespace stance::test {
namespace {

std::vector<std::filesystem::path> list_candidates(const std::string& name) {
  const std::filesystem::path root = STANCE_SOURCE_DIR;
  const std::string file = name + ".urdf";
  std::vector<std::filesystem::path> paths = {root / "models" / file};
  if (const char* shared = std::getenv("STANCE_SHARED")) {
    paths.push_back(std::filesystem::path(shared) / name / file);
    paths.push_back(std::filesystem::path(shared) / "models" / name / file);
  }
  paths.push_back(root.parent_path() / "shared" / "models" / name / file);
  return paths;
}

}  // namespace

std::string find_robot_file(const std::string& name) {
  for (const std::filesystem::path& path : list_candidates(name))
    if (std::filesystem::exists(path)) return path.string();
  return "";
}

std::optional<model::Model> find_robot([[maybe_unused]] const std::string& name) {
#ifdef STANCE_HAS_IO
  if (const std::string file = find_robot_file(name); !file.empty())
    return io::load_urdf(file).model;
#endif
  return std::nullopt;
}

}  // namespace stance::test
