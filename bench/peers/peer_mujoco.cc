// MuJoCo as a peer process; see peer_protocol.h for what it answers.
#include <algorithm>

#include "mujoco_model.h"

namespace stance::bench {
namespace {

std::string write_mjcf(const PeerModel& model) {
  std::string xml = std::string("<mujoco>") + kMjcfCompiler + "<option" +
                    attribute("gravity", model.gravity) +
                    "><flag contact=\"disable\" constraint=\"disable\"/></option><worldbody>";
  for (int i = 0; i < static_cast<int>(model.bodies.size()); ++i)
    if (model.bodies[i].parent < 0) xml += write_mjcf_body(model, i);
  return xml + "</worldbody></mujoco>";
}

class MujocoPeer final : public Peer {
 public:
  explicit MujocoPeer(const PeerModel& model)
      : m_(compile_mjcf(write_mjcf(model)), mj_deleteModel),
        d_(mj_makeData(m_.get()), mj_deleteData),
        joints_(take_joints(model, *m_)) {
    for (size_t i = 0; i < model.bodies.size(); ++i) bodies_.push_back(find_mujoco_body(*m_, i));
    const int nv = m_->nv;
    qpos_.assign(m_->nq, 0);
    qvel_.assign(nv, 0);
    qfrc_.assign(nv, 0);
    qacc_.assign(nv, 0);
    bias_.assign(nv, 0);
    T_.assign(nv * nv, 0);
    mju_copy(qpos_.data(), m_->qpos0, m_->nq);
  }

  std::string library() const override { return std::string("mujoco ") + mj_versionString(); }

  void set_state(const std::vector<double>& q, const std::vector<double>& v,
                 const std::vector<double>& tau) override {
    for (const MujocoJoint& j : joints_) convert_joint(j, &q[j.q]);

    // qvel = T v, and from equal power tau = T^T qfrc; T is orthogonal
    const int nv = m_->nv;
    mju_mulMatVec(qvel_.data(), T_.data(), v.data(), nv, nv);
    mju_mulMatVec(qfrc_.data(), T_.data(), tau.data(), nv, nv);
    calc_forward();
    qacc_.assign(d_->qacc_smooth, d_->qacc_smooth + nv);
  }

  // M_ours = T^T M T, bias_ours = T^T bias, vdot_ours = T^T qacc
  PeerEval eval() override {
    const int nv = m_->nv;
    calc_forward();
    std::vector<double> M(nv * nv), MT(nv * nv);
    mj_fullM(m_.get(), M.data(), d_->qM);
    PeerEval e{std::vector<double>(nv * nv), std::vector<double>(nv), std::vector<double>(nv)};
    mju_mulMatMat(MT.data(), M.data(), T_.data(), nv, nv, nv);
    mju_mulMatTMat(e.M.data(), T_.data(), MT.data(), nv, nv, nv);
    mju_mulMatTVec(e.bias.data(), T_.data(), bias_.data(), nv, nv);
    mju_mulMatTVec(e.vdot.data(), T_.data(), d_->qacc_smooth, nv, nv);
    return e;
  }

  void set_contacts(const std::vector<PeerContact>& contacts) override {
    contacts_ = contacts;
    touched_.clear();
    for (const PeerContact& c : contacts)
      if (std::find(touched_.begin(), touched_.end(), bodies_[c.body]) == touched_.end())
        touched_.push_back(bodies_[c.body]);
    const size_t rows = std::max(3 * contacts.size(), 6 * touched_.size());
    J_.assign(rows * m_->nv, 0);
    X_.assign(rows * m_->nv, 0);
    lambda_.assign(rows * rows, 0);
  }

  std::vector<double> calc_lambda() override {
    update_lambda();
    const auto size = static_cast<std::ptrdiff_t>(9 * contacts_.size() * contacts_.size());
    return {lambda_.begin(), lambda_.begin() + size};
  }

  std::function<void()> find_algorithm(const std::string& name) override {
    if (name == "state") return [this] { load_state(); };
    if (name == "fk") return [this] { load_state(), mj_kinematics(m_.get(), d_.get()); };
    if (name == "crba") return [this] { calc_crb(); };
    if (name == "crba_factor") return [this] { calc_crb(), mj_factorM(m_.get(), d_.get()); };
    if (name == "rnea") return [this] { calc_inverse(); };
    if (name == "fwd" || name == "aba") return [this] { calc_forward(); };
    if (contacts_.empty()) return {};
    if (name == "omega") return [this] { update_omega(); };
    if (name == "lambda") return [this] { update_lambda(); };
    return {};
  }

 private:
  // qpos of a joint, and its rows of T. Velocities turn by rotations only: of a free joint MuJoCo
  // has v in the axes of the world, which J never leaves, and w in those of B, where the derivative
  // of w is the same vector; so qacc = T vdot, without a Tdot v.
  void convert_joint(const MujocoJoint& j, const double* q) {
    double* qpos = &qpos_[j.qpos];
    mju_copy(qpos, q, j.nq);
    if (j.nv == 1) {
      T_[j.dof * m_->nv + j.v] = 1;
      return;
    }

    // w_B = R_JB^T w_J
    double quat_JB[4], R_JB[9], R_BJ[9], R_WJ[9];
    mju_copy4(quat_JB, q);
    mju_normalize4(quat_JB);
    mju_quat2Mat(R_JB, quat_JB);
    mju_transpose(R_BJ, R_JB, 3, 3);
    set_block(j.dof + (j.free ? 3 : 0), j.v, R_BJ);
    if (!j.free) return;

    // v_W = R_WJ v_J
    mju_quat2Mat(R_WJ, j.quat_WJ.data());
    set_block(j.dof, j.v + 3, R_WJ);
    j.set_pose(q, qpos);
  }

  void set_block(int row, int column, const double* block) {
    for (int r = 0; r < 3; ++r) mju_copy3(&T_[(row + r) * m_->nv + column], block + 3 * r);
  }

  void load_state() {
    mju_copy(d_->qpos, qpos_.data(), m_->nq);
    mju_copy(d_->qvel, qvel_.data(), m_->nv);
  }

  void calc_crb() {
    load_state();
    mj_kinematics(m_.get(), d_.get());
    mj_comPos(m_.get(), d_.get());
    mj_crb(m_.get(), d_.get());
  }

  void calc_inverse() {
    load_state();
    mju_copy(d_->qacc, qacc_.data(), m_->nv);
    mj_kinematics(m_.get(), d_.get());
    mj_comPos(m_.get(), d_.get());
    mj_comVel(m_.get(), d_.get());
    mj_rne(m_.get(), d_.get(), 1, bias_.data());
  }

  // the smooth part of mj_forward, without passive forces and actuators
  void calc_forward() {
    calc_crb();
    mj_factorM(m_.get(), d_.get());
    mj_comVel(m_.get(), d_.get());
    mj_rne(m_.get(), d_.get(), 0, bias_.data());
    mju_sub(d_->qfrc_smooth, qfrc_.data(), bias_.data(), m_->nv);
    mj_solveM(m_.get(), d_.get(), d_->qacc_smooth, d_->qfrc_smooth, 1);
  }

  void update_lambda() {
    calc_crb();
    mj_factorM(m_.get(), d_.get());
    const int nv = m_->nv, points = static_cast<int>(contacts_.size());
    for (int i = 0; i < points; ++i) {
      const int body = bodies_[contacts_[i].body];
      double point[3];
      mju_rotVecMat(point, contacts_[i].point.data(), d_->xmat + 9 * body);
      mju_addTo3(point, d_->xpos + 3 * body);
      mj_jac(m_.get(), d_.get(), &J_[3 * i * nv], nullptr, point, body);
    }
    project(3 * points);
  }

  void update_omega() {
    calc_crb();
    mj_factorM(m_.get(), d_.get());
    const int nv = m_->nv, bodies = static_cast<int>(touched_.size());
    for (int i = 0; i < bodies; ++i)
      mj_jacBody(m_.get(), d_.get(), &J_[(6 * i + 3) * nv], &J_[6 * i * nv], touched_[i]);
    project(6 * bodies);
  }

  // J M^-1 J^T = X X^T with X = J L^-1 D^-1/2, as mj_projectConstraint does
  void project(int rows) {
    mj_solveM2(m_.get(), d_.get(), X_.data(), J_.data(), rows);
    mju_transpose(J_.data(), X_.data(), rows, m_->nv);
    mju_sqrMatTD(lambda_.data(), J_.data(), nullptr, m_->nv, rows);
  }

  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> m_;
  std::unique_ptr<mjData, decltype(&mj_deleteData)> d_;
  std::vector<MujocoJoint> joints_;
  std::vector<int> bodies_;  // MuJoCo's body of each of ours
  std::vector<PeerContact> contacts_;
  std::vector<int> touched_;  // MuJoCo's bodies in contact, each once
  std::vector<double> qpos_, qvel_, qfrc_, qacc_, bias_;
  std::vector<double> T_;  // qvel = T v, by set_state
  std::vector<double> J_, X_, lambda_;
};

}  // namespace
}  // namespace stance::bench

int main() {
  using namespace stance::bench;
  set_mujoco_handlers();
  return serve([](const PeerModel& model) -> std::unique_ptr<Peer> {
    return std::make_unique<MujocoPeer>(model);
  });
}
