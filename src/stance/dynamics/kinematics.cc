#include "stance/dynamics/kinematics.h"

#include "stance/dynamics/joint_motion.h"
#include "stance/kernel/assert.h"
#include "stance/kernel/counted.h"
#include "stance/kernel/dual.h"
#include "stance/kernel/expression.h"
#include "stance/kernel/sincos.h"

namespace stance::dynamics {

using kernel::Counted;
using kernel::Dual;
using kernel::Expression;

template <class T>
Kinematics<T>::Kinematics(const Model& model)
    : p_WO(model.ntree),
      R_WB(model.nbody, Mat3<T>::identity()),
      p_OB(model.nbody),
      S(model.nv),
      sine(model.angle_q.size()),
      cosine(model.angle_q.size()) {}

template <class T>
Velocities<T>::Velocities(const Model& model) : V(model.nbody), c(model.nbody) {}

namespace {

// Sines and cosines of all joint angles.
template <class T>
void calc_angles(const Model& model, const T* q, T* sine, T* cosine) {
  using std::cos, std::sin;
  for (int a = 0; a < model.nangle; ++a) {
    cosine[a] = cos(q[model.angle_q[a]]);
    sine[a] = T(model.angle_sign[a]) * sin(q[model.angle_q[a]]);
  }
}

// Four at a time; angles beyond the fast range go one by one to the C library.
void calc_angles(const Model& model, const double* q, double* sine, double* cosine) {
  using kernel::Double4;
  const int* index = model.angle_q.data();
  const double* sign = model.angle_sign.data();
  for (int a = 0; a < model.nangle; a += 4) {
    const Double4 x{q[index[a]], q[index[a + 1]], q[index[a + 2]], q[index[a + 3]]};
    Double4 s, c;
    kernel::sincos4(x, s, c);
    if (!kernel::all_below(x, kernel::kFastAngle)) [[unlikely]] {
      for (int k = 0; k < 4; ++k)
        if (!(std::abs(x[k]) < kernel::kFastAngle)) s[k] = std::sin(x[k]), c[k] = std::cos(x[k]);
    }
    kernel::store4(sine + a, kernel::load4(sign + a) * s);
    kernel::store4(cosine + a, c);
  }
}

}  // namespace

template <class T>
void update_kinematics(const Model& model, std::span<const T> q, Kinematics<T>& kin) {
  STANCE_ASSERT(static_cast<int>(q.size()) == model.nq);
  calc_angles(model, q.data(), kin.sine.data(), kin.cosine.data());

  int angle = 0;
  for (int i = 1; i < model.nbody; ++i) {
    // joint frame: R_WJ = R_WP R_PJ, p_OJ = p_OP + R_WP p_PJ
    const int parent = model.parent[i];
    const T* q_i = q.data() + model.q_start[i];
    Mat3<T> R = kin.R_WB[parent];
    Vec3<T> p = madd(R, Vec3<T>(model.p_PJ[i]), kin.p_OB[parent]);
    if (!model.R_PJ_is_identity[i]) R = R * Mat3<T>(model.R_PJ[i]);
    if (has_shift(model.joint_kernel[i])) p += calc_joint_shift(model, i, q_i, R);
    if (parent == 0) {
      kin.p_WO[model.tree[i]] = p;
      p = Vec3<T>();
    }

    // body frame and motion axes
    turn_joint(model, i, q_i, kin.cosine[angle], kin.sine[angle], p, R,
               kin.S.data() + model.v_start[i]);
    kin.R_WB[i] = R;
    kin.p_OB[i] = p;
    angle += model.has_angle[i];
  }
}

template <class T>
void update_velocities(const Model& model, const Kinematics<T>& kin, std::span<const T> v,
                       Velocities<T>& vel) {
  STANCE_ASSERT(static_cast<int>(v.size()) == model.nv);
  for (int i = 1; i < model.nbody; ++i) {
    // velocity across the joint V_J = S v, then V = V_P + V_J
    const int first = model.v_start[i], nv = model.joint_nv(i);
    Motion<T> V_J = v[first] * kin.S[first];
    for (int k = 1; k < nv; ++k) V_J = madd(v[first + k], kin.S[first + k], V_J);
    const Motion<T>& V_P = vel.V[model.parent[i]];
    vel.V[i] = V_P + V_J;

    // dS/dt v = V_P x V_J for axes fixed in the parent, + (0, v_J x w_J) where they also travel
    vel.c[i] = cross(V_P, V_J);
    if (has_moving_axes(model.joint_kernel[i])) {
      const Vec3<T> v_Bo = V_J.lin + cross(V_J.ang, kin.p_OB[i]);
      vel.c[i].lin += cross(v_Bo, V_J.ang);
    }
  }
}

template struct Kinematics<double>;
template struct Kinematics<Dual>;
template struct Kinematics<Counted>;
template struct Velocities<double>;
template struct Velocities<Dual>;
template void update_kinematics(const Model&, std::span<const double>, Kinematics<double>&);
template void update_kinematics(const Model&, std::span<const Dual>, Kinematics<Dual>&);
template void update_kinematics(const Model&, std::span<const Counted>, Kinematics<Counted>&);
template void update_velocities(const Model&, const Kinematics<double>&, std::span<const double>,
                                Velocities<double>&);
template void update_velocities(const Model&, const Kinematics<Dual>&, std::span<const Dual>,
                                Velocities<Dual>&);
template struct Kinematics<Expression>;
template struct Velocities<Expression>;
template void update_kinematics(const Model&, std::span<const Expression>, Kinematics<Expression>&);
template void update_velocities(const Model&, const Kinematics<Expression>&,
                                std::span<const Expression>, Velocities<Expression>&);

}  // namespace stance::dynamics
