// MuJoCo as a simulator of scenes; see scene_protocol.h for what it answers. The option is its kind
// of friction cone, pyramidal or elliptic; all else is as MuJoCo has it by default: Newton's
// method, Euler steps with implicit joint damping, soft contacts, no margin.
#include <algorithm>
#include <map>

#include "mujoco_model.h"
#include "scene_protocol.h"

namespace stance::bench {
namespace {

std::string write_geom(const PeerGeometry& g, int number, double friction) {
  std::array<double, 4> quat{};
  mju_mat2Quat(quat.data(), g.R.data());
  // a plane's size is for drawing only
  const std::array<double, 3> size =
      g.kind == "plane" ? std::array<double, 3>{10.0, 10.0, 1.0} : g.size;
  return "<geom name=\"g" + std::to_string(number) + "\" type=\"" + g.kind + "\"" +
         attribute("size", size) + attribute("pos", g.p) + attribute("quat", quat) +
         attribute("friction", std::array{friction, 0.005, 0.0001}) + "/>";
}

// MuJoCo keeps bodies apart, not geometries: all pairs of two bodies must be listed. A body and its
// parent never meet anyway.
std::string write_excludes(const PeerScene& scene) {
  std::vector<int> count(scene.model.bodies.size() + 1);
  for (const PeerGeometry& g : scene.geometries) ++count[g.body + 1];
  std::map<std::pair<int, int>, int> apart;
  for (const auto& [a, b] : scene.apart) {
    const int i = scene.geometries[a].body, k = scene.geometries[b].body;
    if (i != k) ++apart[{std::min(i, k), std::max(i, k)}];
  }
  std::string xml;
  for (const auto& [bodies, pairs] : apart) {
    const auto& [i, k] = bodies;
    if (pairs != count[i + 1] * count[k + 1])
      throw PeerError("MuJoCo cannot keep some geometries of two bodies apart and others not");
    if (i < 0) throw PeerError("a body is to pass through the world");
    if (scene.model.bodies[k].parent == i) continue;
    xml += "<exclude body1=\"b" + std::to_string(i) + "\" body2=\"b" + std::to_string(k) + "\"/>";
  }
  return xml;
}

// MuJoCo wants both limits or none.
std::string write_limits(double lower, double upper) {
  if (lower <= -kNoLimit && upper >= kNoLimit) return "";
  return " limited=\"true\"" +
         attribute("range", std::array{std::max(lower, -1e3), std::min(upper, 1e3)});
}

std::string write_mjcf(const PeerScene& scene, const std::string& cone) {
  const PeerModel& model = scene.model;
  const std::size_t nbody = model.bodies.size();
  MjcfExtras extras{std::vector<std::string>(nbody), std::vector<std::string>(nbody)};
  int dof = 0;
  for (std::size_t i = 0; i < nbody; ++i) {
    if (joint_nv(model.bodies[i].type) == 1)
      extras.joint[i] = attribute("stiffness", std::array{scene.stiffness[dof]}) +
                        attribute("springref", std::array{scene.target[dof]}) +
                        attribute("damping", std::array{scene.damping[dof]}) +
                        attribute("frictionloss", std::array{scene.dry[dof]}) +
                        write_limits(scene.lower[dof], scene.upper[dof]);
    dof += joint_nv(model.bodies[i].type);
  }
  std::string world;
  for (std::size_t k = 0; k < scene.geometries.size(); ++k) {
    const PeerGeometry& g = scene.geometries[k];
    (g.body < 0 ? world : extras.elements[g.body]) +=
        write_geom(g, static_cast<int>(k), scene.friction);
  }
  for (std::size_t i = 0; i < nbody; ++i)
    if (model.bodies[i].parent < 0) world += write_mjcf_body(model, static_cast<int>(i), extras);

  // room for more contacts than a heap of boxes has; a pyramid has four rows
  const int contacts = 8 * static_cast<int>(nbody) + 100;
  return std::string("<mujoco>") + kMjcfCompiler + "<size nconmax=\"" + std::to_string(contacts) +
         "\" njmax=\"" + std::to_string(4 * contacts) + "\"/><option" +
         attribute("gravity", model.gravity) + attribute("timestep", std::array{scene.step}) +
         " cone=\"" + cone + "\"/><worldbody>" + world + "</worldbody><contact>" +
         write_excludes(scene) + "</contact></mujoco>";
}

class MujocoScene final : public ScenePeer {
 public:
  MujocoScene(const PeerScene& scene, const std::string& cone)
      : m_(compile_mjcf(write_mjcf(scene, cone)), mj_deleteModel),
        d_(mj_makeData(m_.get()), mj_deleteData),
        joints_(take_joints(scene.model, *m_)),
        nq_(model_nq(scene.model)) {
    for (std::size_t i = 0; i < joints_.size(); ++i)
      if (joints_[i].nv != 1 && !joints_[i].free)
        throw PeerError("body " + scene.model.bodies[i].name +
                        ": only free, revolute and prismatic joints");
  }

  std::string library() const override { return std::string("mujoco ") + mj_versionString(); }

  void start(const std::vector<double>& q, const std::vector<double>& v) override {
    mj_resetData(m_.get(), d_.get());
    for (const MujocoJoint& j : joints_) {
      double* qpos = d_->qpos + j.qpos;
      double* qvel = d_->qvel + j.dof;
      if (!j.free) {
        *qpos = q[j.q], *qvel = v[j.v];
        continue;
      }
      // pose in the world; velocity of the origin in world axes, spin in those of the body
      double inverse[4];
      j.set_pose(&q[j.q], qpos);
      mju_rotVecQuat(qvel, &v[j.v + 3], j.quat_WJ.data());
      mju_negQuat(inverse, &q[j.q]);
      mju_normalize4(inverse);
      mju_rotVecQuat(qvel + 3, &v[j.v], inverse);
    }
  }

  void step() override {
    mj_step(m_.get(), d_.get());
    if (d_->warning[mjWARN_CONTACTFULL].number || d_->warning[mjWARN_CNSTRFULL].number)
      throw PeerError("MuJoCo ran out of room for contacts");
    if (d_->warning[mjWARN_BADQPOS].number || d_->warning[mjWARN_BADQACC].number)
      throw PeerError("MuJoCo lost the state");
  }

  std::vector<double> find_q() override {
    std::vector<double> q(nq_);
    for (const MujocoJoint& j : joints_) {
      const double* qpos = d_->qpos + j.qpos;
      if (!j.free) {
        q[j.q] = *qpos;
        continue;
      }
      double inverse[4], from[3];
      mju_negQuat(inverse, j.quat_WJ.data());
      mju_mulQuat(&q[j.q], inverse, qpos + 3);
      mju_sub3(from, qpos, j.p_WJ.data());
      mju_rotVecQuat(&q[j.q + 4], from, inverse);
    }
    return q;
  }

  int count_contacts() override { return d_->ncon; }

 private:
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> m_;
  std::unique_ptr<mjData, decltype(&mj_deleteData)> d_;
  std::vector<MujocoJoint> joints_;
  int nq_ = 0;
};

}  // namespace
}  // namespace stance::bench

int main() {
  using namespace stance::bench;
  set_mujoco_handlers();
  return serve_scene(
      [](const PeerScene& scene, const std::string& option) -> std::unique_ptr<ScenePeer> {
        return std::make_unique<MujocoScene>(scene, option);
      });
}
