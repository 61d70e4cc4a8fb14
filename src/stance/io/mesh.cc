#include "stance/io/mesh.h"

#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <system_error>

#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include "stance/kernel/error.h"

namespace stance::io {
namespace {

constexpr std::uintmax_t kMostMeshBytes = std::uintmax_t{1} << 30;

const aiScene* read_scene(Assimp::Importer& importer, const std::string& path) {
  importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE,
                              aiPrimitiveType_POINT | aiPrimitiveType_LINE);
  importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS,
                              aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS |
                                  aiComponent_COLORS | aiComponent_TEXCOORDS |
                                  aiComponent_TEXTURES | aiComponent_MATERIALS |
                                  aiComponent_ANIMATIONS);
  importer.SetPropertyBool(AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, true);
  return importer.ReadFile(path, aiProcess_RemoveComponent | aiProcess_Triangulate |
                                     aiProcess_SortByPType | aiProcess_PreTransformVertices |
                                     aiProcess_JoinIdenticalVertices);
}

void append(const aiMesh& part, const Eigen::Vector3d& scale, scene::Mesh& mesh) {
  const int first = static_cast<int>(mesh.vertices.size());
  for (unsigned k = 0; k < part.mNumVertices; ++k) {
    const aiVector3D& v = part.mVertices[k];
    mesh.vertices.emplace_back(scale.x() * v.x, scale.y() * v.y, scale.z() * v.z);
  }
  // a mirroring scale turns every triangle inside out
  const bool mirrored = scale.prod() < 0.0;
  for (unsigned k = 0; k < part.mNumFaces; ++k) {
    const aiFace& face = part.mFaces[k];
    if (face.mNumIndices != 3) continue;
    std::array<int, 3> triangle;
    for (int corner = 0; corner < 3; ++corner)
      triangle[mirrored ? 2 - corner : corner] = first + static_cast<int>(face.mIndices[corner]);
    mesh.triangles.push_back(triangle);
  }
}

}  // namespace

scene::Mesh load_mesh(const std::string& path, const Eigen::Vector3d& scale) {
  const Place place{path};
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code))
    throw Error(place, "there is no such mesh file");
  if (std::filesystem::file_size(path, code) > kMostMeshBytes)
    throw Error(place, fmt::format("the mesh has more than {} MB", kMostMeshBytes >> 20));

  scene::Mesh mesh;
  try {
    Assimp::Importer importer;
    const aiScene* scene = read_scene(importer, path);
    if (!scene || (scene->mFlags & AI_SCENE_FLAGS_INCOMPLETE))
      throw Error(place, fmt::format("the mesh cannot be read: {}", importer.GetErrorString()));
    for (unsigned k = 0; k < scene->mNumMeshes; ++k) {
      const std::size_t vertices = mesh.vertices.size() + scene->mMeshes[k]->mNumVertices;
      if (vertices > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw Error(place, "the mesh has more vertices than can be counted");
      append(*scene->mMeshes[k], scale, mesh);
    }
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(place, fmt::format("the mesh cannot be read: {}", error.what()));
  }

  for (const Eigen::Vector3d& vertex : mesh.vertices)
    if (!vertex.allFinite())
      throw Error(place, "the mesh has a vertex that is not a finite number");
  if (mesh.triangles.empty()) throw Error(place, "the mesh has no triangles");
  return mesh;
}

}  // namespace stance::io
