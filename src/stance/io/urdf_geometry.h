#pragma once

// Shapes of a robot: from urdfdom's links to geometry fixed to bodies, and the mesh files of it.

#include <string>
#include <vector>

#include <Eigen/Core>
#include <urdf_model/model.h>

#include "stance/io/findings.h"
#include "stance/io/urdf.h"
#include "stance/io/urdf_document.h"

namespace stance::io {

Eigen::Matrix3d rotation_of(const urdf::Pose& pose);
Eigen::Vector3d position_of(const urdf::Pose& pose);

// All shapes of all links, visuals before collisions within a link.
std::vector<Geometry> make_geometry(const UrdfDocument& document,
                                    const urdf::ModelInterface& source, const model::Model& model);

// Looks for the file of every mesh and fills in mesh_path; one warning for each file that is
// missing, naming every path tried.
void find_meshes(const std::string& urdf_file, const std::vector<std::string>& package_paths,
                 std::vector<Geometry>& geometry, Findings& findings);

}  // namespace stance::io
