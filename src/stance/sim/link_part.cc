#include "stance/sim/link_part.h"

#include "stance/sim/link_wrenches.h"

namespace stance::sim {
namespace {

using Wrench = kernel::Force<double>;

// The link's mass as its body has it.
LinkPart::Mass find_mass(const model::LinkSpec& link, const model::Frame& frame) {
  const Eigen::Matrix3d& I = link.inertia;
  const kernel::Sym3<double> in_link(I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2));
  return {link.mass, madd(frame.R_BF, Vec3d(link.com), frame.p_BF), rotate(frame.R_BF, in_link)};
}

}  // namespace

LinkPart find_link_part(const model::ModelBuilder& parts, const std::string& prefix,
                        const model::JointSpec& joint, const model::Model& model) {
  LinkPart out;
  out.link = model.find_frame(prefix + joint.child);
  out.has_link.resize(model.frames.size());
  std::vector<std::string> open = {joint.child};
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    const model::FrameIndex frame = model.find_frame(prefix + name);
    out.has_link[frame] = 1;
    for (const model::LinkSpec& link : parts.links())
      if (link.name == name && (link.mass > 0.0 || !link.inertia.isZero(0.0)))
        out.masses.push_back(find_mass(link, model.frames[frame]));
    for (const model::JointSpec& next : parts.joints()) {
      if (next.parent != name) continue;
      if (next.type == model::JointType::kFixed)
        open.push_back(next.child);
      else
        out.bodies.push_back(model.find_joint(prefix + next.name));
    }
  }
  return out;
}

Wrench calc_part_wrench(const StepView& view, const StepForces& forces, const LinkPart& part) {
  const model::Model& model = view.world.model;
  const auto& kin = view.scratch.frame.kin();
  const int body = model.frames[part.link].body;
  const Vec3d p_WO = body == 0 ? Vec3d() : kin.p_WO[model.tree[body]];
  const auto at_O = [&](const Vec3d& force, const Vec3d& torque, const Vec3d& p_W) {
    return Wrench{torque + cross(p_W - p_WO, force), force};
  };

  // d/dt (I V) = I A + V x* I V; A counts gravity already
  const kernel::Motion<double>&V = view.scratch.mean.V[body], &A = forces.newton_euler.A[body];
  Wrench sum{};
  for (const LinkPart::Mass& link : part.masses) {
    const auto inertia =
        kernel::make_rigid_inertia(link.mass, madd(kin.R_WB[body], link.com, kin.p_OB[body]),
                                   rotate(kin.R_WB[body], link.inertia));
    sum += inertia * A + cross(V, inertia * V);
  }
  for (const int child : part.bodies) {
    const Wrench& F = forces.newton_euler.F[child];
    sum += at_O(F.lin, F.ang, kin.p_WO[model.tree[child]]);
  }
  for_each_wrench(view, forces.geometry_link, [&](const LinkWrench& w) {
    if (w.link.valid() && part.has_link[w.link]) sum = sum - at_O(w.force, w.torque, w.p_W);
  });
  return sum;
}

}  // namespace stance::sim
