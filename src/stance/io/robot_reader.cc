#include "stance/io/robot_reader.h"

#include <fstream>
#include <memory>

#include "stance/io/mesh.h"
#include "stance/io/urdf.h"

namespace stance::io {
namespace {

// XML of whatever root: urdf.cc says what is wrong with another one than <robot>.
bool looks_like_xml(std::string_view beginning) {
  const std::size_t first = beginning.find_first_not_of(" \t\r\n");
  if (beginning.starts_with("\xef\xbb\xbf")) return looks_like_xml(beginning.substr(3));
  return first != std::string_view::npos && beginning[first] == '<';
}

constexpr RobotReader kReaders[] = {
    {"URDF", looks_like_xml, load_urdf},
};

}  // namespace

std::span<const RobotReader> robot_readers() { return kReaders; }

const RobotReader* find_robot_reader(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string beginning(4096, '\0');
  stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(stream.gcount()));
  for (const RobotReader& reader : kReaders)
    if (reader.recognises(beginning)) return &reader;
  return nullptr;
}

Robot load_robot(const std::string& path, const RobotOptions& options) {
  const RobotReader* reader = find_robot_reader(path);
  // a file that nobody knows gets the first reader's words on what is wrong with it
  return (reader ? *reader : kReaders[0]).load(path, options);
}

void load_collision_meshes(Robot& robot) {
  for (Geometry& g : robot.geometry)
    if (g.role == ShapeRole::kCollision && g.kind == ShapeKind::kMesh && !g.mesh_path.empty())
      g.mesh = std::make_shared<const scene::Mesh>(
          load_mesh(g.mesh_path, {g.scale[0], g.scale[1], g.scale[2]}));
}

}  // namespace stance::io
