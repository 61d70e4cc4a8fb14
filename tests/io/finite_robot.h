#pragma once

#include <cmath>
#include <string>

#include "stance/io/urdf.h"

namespace stance::io::testing {

// What of a robot is not a finite number, in words; empty when all is well. A simulation would trip
// over it. Limits alone may be infinite, which means that there is none.
inline std::string find_non_finite(const Robot& robot) {
  const model::Model& m = robot.model;
  for (int i = 0; i < m.nbody; ++i) {
    const bool finite = m.R_PJ[i].eigen().allFinite() && m.p_PJ[i].eigen().allFinite() &&
                        m.axis[i].eigen().allFinite() && m.plane[i].eigen().allFinite() &&
                        m.com[i].eigen().allFinite() && std::isfinite(m.mass[i]) &&
                        m.inertia[i].full().eigen().allFinite();
    if (!finite) return "body " + m.body_name[i];
  }
  for (int k = 0; k < m.nv; ++k) {
    const bool finite = std::isfinite(m.damping[k]) && std::isfinite(m.friction[k]) &&
                        std::isfinite(m.rotor_inertia[k]);
    const bool nan = std::isnan(m.lower[k]) || std::isnan(m.upper[k]) ||
                     std::isnan(m.effort_limit[k]) || std::isnan(m.velocity_limit[k]);
    if (!finite || nan) return "joint " + m.joint_name[m.dof_body[k]];
  }
  for (const model::Mimic& mimic : m.mimics)
    if (!std::isfinite(mimic.ratio) || !std::isfinite(mimic.offset))
      return "mimic " + m.joint_name[mimic.follower];
  for (const model::Frame& frame : m.frames)
    if (!frame.R_BF.eigen().allFinite() || !frame.p_BF.eigen().allFinite())
      return "frame " + frame.name;
  for (const Geometry& shape : robot.geometry) {
    const bool finite = shape.R_BG.eigen().allFinite() && shape.p_BG.eigen().allFinite() &&
                        shape.size.eigen().allFinite() && shape.scale.eigen().allFinite() &&
                        std::isfinite(shape.radius) && std::isfinite(shape.length);
    if (!finite) return "a shape of " + shape.link;
  }
  return {};
}

}  // namespace stance::io::testing
