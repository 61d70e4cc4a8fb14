// Our model as MuJoCo's, for the peers that use that library.
#pragma once

#include <cmath>
#include <cstdlib>
#include <cstring>

#include <mujoco/mujoco.h>

#include "peer_protocol.h"

namespace stance::bench {

inline std::string attribute(const char* name, const auto& numbers) {
  return std::string(" ") + name + "=\"" + format_numbers(numbers).substr(1) + "\"";
}

// What else a scene says of a body: attributes of its joint, elements such as geoms.
struct MjcfExtras {
  std::vector<std::string> joint, elements;  // by body; empty for none
};

// MJCF of body i and its subtree. Bodies are called b0, b1, ...: names of robots may not be unique.
inline std::string write_mjcf_body(const PeerModel& model, int i, const MjcfExtras& extras = {}) {
  const PeerBody& b = model.bodies[i];
  const std::string id = std::to_string(i);
  std::array<double, 4> quat{};
  mju_mat2Quat(quat.data(), b.R_PJ.data());
  std::string xml =
      "<body name=\"b" + id + "\"" + attribute("pos", b.p_PJ) + attribute("quat", quat) + ">";

  // the joint at the body origin
  const std::string name = "name=\"j" + id + "\"";
  const std::string armature = attribute("armature", std::array{b.armature[0]});
  if (b.type == "free") {
    if (b.parent >= 0)
      throw PeerError("body " + b.name + ": MuJoCo wants free joints at the world");
    if (b.armature != std::vector<double>(6, 0))
      throw PeerError("body " + b.name + ": rotor inertia of a free joint is unsupported");
    xml += "<freejoint " + name + "/>";
  } else if (b.type == "spherical") {
    if (b.armature != std::vector<double>(3, b.armature[0]))
      throw PeerError("body " + b.name + ": a spherical joint with unequal rotor inertias");
    xml += "<joint type=\"ball\" " + name + armature + "/>";
  } else if (b.type == "revolute" || b.type == "prismatic") {
    const char* type = b.type == "revolute" ? "hinge" : "slide";
    xml += std::string("<joint type=\"") + type + "\" " + name + attribute("axis", b.axis) +
           armature + (extras.joint.empty() ? "" : extras.joint[i]) + "/>";
  } else {
    throw PeerError("body " + b.name + ": " + b.type + " joints are unsupported");
  }

  // MuJoCo's order: xx yy zz xy xz yz
  const auto& I = b.inertia;
  xml += "<inertial" + attribute("mass", std::array{b.mass}) + attribute("pos", b.com) +
         attribute("fullinertia", std::array{I[0], I[3], I[5], I[1], I[2], I[4]}) + "/>";
  if (!extras.elements.empty()) xml += extras.elements[i];
  for (int k = i + 1; k < static_cast<int>(model.bodies.size()); ++k)
    if (model.bodies[k].parent == i) xml += write_mjcf_body(model, k, extras);
  return xml + "</body>";
}

// The same settings wherever a model of ours is read: nothing is to be guessed or mended.
inline constexpr const char* kMjcfCompiler =
    "<compiler angle=\"radian\" inertiafromgeom=\"false\" balanceinertia=\"false\" boundmass=\"0\" "
    "boundinertia=\"0\"/>";

inline mjModel* compile_mjcf(const std::string& xml) {
  const auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  mj_makeEmptyFileVFS(vfs.get(), "model.xml", static_cast<int>(xml.size()));
  std::memcpy(vfs->filedata[0], xml.data(), xml.size());
  char problem[1000] = "";
  mjModel* m = mj_loadXML("model.xml", vfs.get(), problem, sizeof problem);
  mj_deleteVFS(vfs.get());
  for (char* c = problem; *c; ++c)
    if (*c == '\n') *c = ' ';
  if (!m) throw PeerError(std::string("MuJoCo refuses the model: ") + problem);
  return m;
}

// MuJoCo keeps principal inertias, but finds the axes to 1e-8 only; Jacobi rotations go on from
// there.
inline void refine_inertia(const PeerBody& b, int body, mjModel& m) {
  if (m.body_sameframe[body]) return;
  const auto& v = b.inertia;
  const double I[9] = {v[0], v[1], v[2], v[1], v[3], v[4], v[2], v[4], v[5]};
  double R[9], IR[9], D[9];
  const auto rotate_inertia = [&] {
    mju_mulMatMat(IR, I, R, 3, 3, 3);
    mju_mulMatTMat(D, R, IR, 3, 3, 3);
  };

  // in each plane, the small angle which zeroes D[i][k]
  mju_quat2Mat(R, m.body_iquat + 4 * body);
  rotate_inertia();
  for (int turn = 0; turn < 12; ++turn) {
    const int i = turn % 3 == 2 ? 1 : 0, k = turn % 3 == 0 ? 1 : 2;
    if (std::abs(D[3 * i + k]) < 1e-18 * (D[0] + D[4] + D[8])) continue;
    const double a = (D[4 * k] - D[4 * i]) / (2 * D[3 * i + k]);
    const double t = std::copysign(1.0, a) / (std::abs(a) + std::hypot(1.0, a));
    const double c = 1 / std::hypot(1.0, t), s = t * c;
    for (int row = 0; row < 9; row += 3) {
      const double x = R[row + i], y = R[row + k];
      R[row + i] = c * x - s * y;
      R[row + k] = s * x + c * y;
    }
    rotate_inertia();
  }
  mju_mat2Quat(m.body_iquat + 4 * body, R);
  for (int i = 0; i < 3; ++i) m.body_inertia[3 * body + i] = D[4 * i];
}

// A joint of ours: where its coordinates are in MuJoCo's depth-first order.
struct MujocoJoint {
  bool free;
  int nq, nv;
  int q, v;       // first coordinate in ours
  int qpos, dof;  // and in MuJoCo's
  std::array<double, 4> quat_WJ;
  std::array<double, 3> p_WJ;

  // Pose of a free body in the world, position first, whatever the body's pos and quat.
  void set_pose(const double* q_J, double* pose) const {
    double quat_JB[4];
    mju_copy4(quat_JB, q_J);
    mju_normalize4(quat_JB);
    mju_rotVecQuat(pose, q_J + 4, quat_WJ.data());
    mju_addTo3(pose, p_WJ.data());
    mju_mulQuat(pose + 3, quat_WJ.data(), quat_JB);
  }
};

inline int find_mujoco_body(const mjModel& m, size_t i) {
  return mj_name2id(&m, mjOBJ_BODY, ("b" + std::to_string(i)).c_str());
}

// The joints of all bodies, whose inertias are refined.
inline std::vector<MujocoJoint> take_joints(const PeerModel& model, mjModel& m) {
  std::vector<MujocoJoint> joints;
  int q = 0, v = 0;
  for (size_t i = 0; i < model.bodies.size(); ++i) {
    const PeerBody& b = model.bodies[i];
    const int j = mj_name2id(&m, mjOBJ_JOINT, ("j" + std::to_string(i)).c_str());
    MujocoJoint& joint = joints.emplace_back(MujocoJoint{b.type == "free",
                                                         joint_nq(b.type),
                                                         joint_nv(b.type),
                                                         q,
                                                         v,
                                                         m.jnt_qposadr[j],
                                                         m.jnt_dofadr[j],
                                                         {},
                                                         b.p_PJ});
    mju_mat2Quat(joint.quat_WJ.data(), b.R_PJ.data());
    refine_inertia(b, find_mujoco_body(m, i), m);
    q += joint.nq;
    v += joint.nv;
  }
  return joints;
}

// MuJoCo cannot go on after an error: answer and end. Warnings would go to a log file.
inline void end_with_error(const char* sentence) {
  std::printf("error MuJoCo: %s\n", sentence);
  std::fflush(stdout);
  std::_Exit(1);
}
inline void ignore_warning(const char*) {}

inline void set_mujoco_handlers() {
  mju_user_error = end_with_error;
  mju_user_warning = ignore_warning;
}

}  // namespace stance::bench
