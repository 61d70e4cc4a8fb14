#include "peer_model.h"

#include <cctype>

namespace stance::bench {
namespace {

std::array<double, 3> to_array(const model::Vec3d& a) { return {a.x(), a.y(), a.z()}; }

// A word of the protocol: no blanks, never empty.
std::string to_word(std::string name) {
  for (char& c : name)
    if (std::isspace(static_cast<unsigned char>(c))) c = '_';
  return name.empty() ? "unnamed" : name;
}

std::vector<double> slice(const std::vector<double>& all, int start, int count) {
  return {all.begin() + start, all.begin() + start + count};
}

}  // namespace

PeerModel make_peer_model(const model::Model& model, const model::Vec3d& gravity) {
  PeerModel peer;
  peer.gravity = to_array(gravity);
  for (int i = 1; i < model.nbody; ++i) {
    PeerBody& b = peer.bodies.emplace_back();
    b.name = to_word(model.body_name[i]);
    b.parent = model.parent[i] - 1;
    b.type = model::joint_type_name(model.joint_type[i]);
    b.axis = to_array(model.axis[i]);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) b.R_PJ[3 * r + c] = model.R_PJ[i](r, c);
    b.p_PJ = to_array(model.p_PJ[i]);

    const model::Mat3d I = model.inertia[i].full();
    b.mass = model.mass[i];
    b.com = to_array(model.com[i]);
    b.inertia = {I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2)};
    b.armature = slice(model.rotor_inertia, model.v_start[i], model.joint_nv(i));
    b.damping = slice(model.damping, model.v_start[i], model.joint_nv(i));
  }
  return peer;
}

std::vector<PeerContact> make_peer_contacts(const std::vector<dynamics::ContactPoint>& points) {
  std::vector<PeerContact> contacts;
  for (const dynamics::ContactPoint& point : points)
    contacts.push_back({point.body - 1, to_array(point.p_BC)});
  return contacts;
}

}  // namespace stance::bench
