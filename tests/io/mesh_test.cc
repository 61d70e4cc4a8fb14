#include "stance/io/mesh.h"

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "stance/io/resolve.h"
#include "stance/io/urdf.h"

#include "urdf_text.h"

namespace stance::io {
namespace {

using testing::link_text;
using testing::robot_text;
using testing::TemporaryFolder;

// A tetrahedron, outside out.
constexpr const char* kObj =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

std::string robot_with_mesh(const std::string& uri, const std::string& more = "") {
  return robot_text(link_text("base", "<visual><geometry><mesh filename=\"" + uri + "\" " + more +
                                          "/></geometry></visual>"));
}

// Six times the volume, positive when the triangles are seen counter-clockwise from outside.
double calc_volume6(const scene::Mesh& mesh) {
  double sum = 0.0;
  for (const auto& t : mesh.triangles)
    sum += mesh.vertices[t[0]].dot(mesh.vertices[t[1]].cross(mesh.vertices[t[2]]));
  return sum;
}

TEST(Mesh, IsReadAndScaled) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.obj", kObj);
  const scene::Mesh mesh = load_mesh(path, {1, 2, 3});
  EXPECT_EQ(mesh.triangles.size(), 4u);
  EXPECT_EQ(mesh.vertices.size(), 4u);
  EXPECT_NEAR(calc_volume6(mesh), 6.0, 1e-6);  // the file is read in single precision
}

TEST(Mesh, StaysOutsideOutWhenMirrored) {
  const TemporaryFolder folder;
  EXPECT_NEAR(calc_volume6(load_mesh(folder.write("a.obj", kObj), {1, -1, 1})), 1.0, 1e-6);
}

// COLLADA says which way is up, and assimp would turn the mesh; readers of URDF do not.
TEST(Mesh, UpAxisOfColladaIsNotApplied) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.dae", R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="9">0 0 100  200 0 100  0 300 100</float_array>
      <technique_common><accessor source="#a" count="3" stride="3">
        <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
      </accessor></technique_common></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#s"/></scene>
</COLLADA>)");
  const scene::Mesh mesh = load_mesh(path, {1, 1, 1});
  ASSERT_EQ(mesh.vertices.size(), 3u);
  Eigen::Vector3d largest = mesh.vertices[0];
  for (const Eigen::Vector3d& vertex : mesh.vertices) largest = largest.cwiseMax(vertex);
  EXPECT_LT((largest - Eigen::Vector3d(2, 3, 1)).norm(), 1e-5);  // metres: the unit is applied
}

TEST(Mesh, ThatCannotBeReadIsAnErrorWithItsPath) {
  const TemporaryFolder folder;
  for (const char* text : {"", "this is not a mesh", "solid x\nendsolid x\n"})
    for (const char* name : {"a.stl", "a.obj", "a.dae", "a.xyz"}) {
      const std::string path = folder.write(name, text);
      try {
        load_mesh(path, {1, 1, 1});
        ADD_FAILURE() << path << " was read";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      }
    }
  EXPECT_THROW(load_mesh(folder.path("missing.stl"), {1, 1, 1}), Error);
  EXPECT_THROW(load_mesh(folder.path(), {1, 1, 1}), Error);
}

TEST(Resolve, FindsFilesInEveryPlaceThatMayBeMeant) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("ws/arm_description/meshes/a.obj", kObj);
  const std::string robots = folder.path("ws/arm_description/urdf");
  std::filesystem::create_directories(robots);
  const std::vector<std::string> none;

  // a folder above the description is the package, or contains it
  EXPECT_EQ(find_file("package://arm_description/meshes/a.obj", robots, none).path, mesh);
  EXPECT_EQ(find_file("package://arm_description/meshes/a.obj", folder.path("ws"), none).path,
            mesh);
  EXPECT_EQ(find_file("model://arm_description/meshes/a.obj", robots, none).path, mesh);
  // package paths: the folder of packages, or the package itself
  for (const std::string base : {"ws", "ws/", "ws/arm_description"})
    EXPECT_EQ(find_file("package://arm_description/meshes/a.obj", "/", {folder.path(base)}).path,
              mesh);
  // paths
  EXPECT_EQ(find_file("../meshes/a.obj", robots, none).path, mesh);
  EXPECT_EQ(find_file("file://" + mesh, "/", none).path, mesh);
  EXPECT_EQ(find_file(mesh, "/", none).path, mesh);
}

TEST(Resolve, SplitsThePathsOfRos) {
  EXPECT_EQ(split_package_paths("/a:/b/c:", "/opt/ros/humble:/ws/install"),
            (std::vector<std::string>{"/a", "/b/c", "/opt/ros/humble/share", "/ws/install/share"}));
  EXPECT_TRUE(split_package_paths("", "").empty());
}

TEST(Urdf, FindsItsMeshes) {
  const TemporaryFolder folder;
  const std::string mesh = folder.write("meshes/a.obj", kObj);
  const std::string urdf =
      folder.write("robot.urdf", robot_with_mesh("meshes/a.obj", "scale=\"1 1 -2\""));
  const Robot robot = load_urdf(urdf);
  ASSERT_EQ(robot.geometry.size(), 1u);
  EXPECT_EQ(robot.geometry[0].mesh_path, mesh);
  EXPECT_EQ(robot.geometry[0].mesh_uri, "meshes/a.obj");
  EXPECT_EQ(robot.geometry[0].scale.eigen(), Eigen::Vector3d(1, 1, -2));
  EXPECT_TRUE(robot.warnings.empty());
}

TEST(Urdf, AMissingMeshIsOneWarningThatNamesEveryPathTried) {
  const TemporaryFolder folder;
  const std::string shape = "<geometry><mesh filename=\"package://pkg/a.stl\"/></geometry>";
  const std::string urdf = folder.write(
      "deep/robot.urdf", robot_text(link_text("base", "<visual>" + shape + "</visual><collision>" +
                                                          shape + "</collision>")));
  RobotOptions options;
  options.package_paths = {"/first", "/second/pkg"};
  const Robot robot = load_urdf(urdf, options);
  ASSERT_EQ(robot.warnings.size(), 1u);
  EXPECT_EQ(robot.warnings[0].place.line, 2);
  for (const std::string& path : {std::string("/first/pkg/a.stl"), std::string("/second/pkg/a.stl"),
                                  std::string("/second/pkg/pkg/a.stl"),
                                  folder.path("deep/pkg/a.stl"), folder.path("pkg/a.stl")})
    EXPECT_NE(robot.warnings[0].what.find(path), std::string::npos) << path;
  EXPECT_TRUE(robot.geometry[0].mesh_path.empty());
  EXPECT_EQ(robot.model.nv, 6);  // the dynamics do not need it

  options.strict = true;
  EXPECT_THROW(load_urdf(urdf, options), Error);
}

}  // namespace
}  // namespace stance::io
