#pragma once

// A world as viewers are told of it: the message `scene`, and the meshes that it names.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stance/scene/compile.h"
#include "stance/scene/settings.h"

namespace stance::view {

using kernel::Vec3d;

// As GET /mesh/N gives it.
struct MeshFile {
  int number = 0;
  std::string bytes;
};
using MeshPointer = std::shared_ptr<const MeshFile>;

// Meshes that were made before, by what they are of: worlds that follow each other share them.
// Numbers are never used twice in a program, since viewers keep what they fetched.
class MeshCache {
 public:
  // Throws stance::Error when there is no such file, or it is none.
  const MeshPointer& find_file(const std::string& path, const Vec3d& scale);
  const MeshPointer& find_shape(const std::string& name, const collision::ShapeSet& shapes,
                                const collision::Shape& shape);

 private:
  std::map<std::string, MeshPointer> made_;
};

// A scene as a viewer may ask for it, and load it again with other values.
struct SceneSource {
  std::string label;  // as viewers name it: "scenes/stack.yaml"
  scene::Settings settings;
};

struct Description {
  std::uint32_t scene = 0;
  std::string json;
  std::vector<MeshPointer> meshes;
  std::vector<std::string> bodies;  // names
  std::size_t joints = 0;           // that a frame lists
};

// `start` are the variables as they were when the file was loaded first.
std::shared_ptr<const Description> describe_world(std::uint32_t number, const SceneSource& source,
                                                  const scene::Scene& scene,
                                                  const scene::Part& part,
                                                  const std::map<std::string, double>& start,
                                                  MeshCache& meshes);

}  // namespace stance::view
