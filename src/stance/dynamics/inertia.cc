#include "stance/dynamics/inertia.h"

#include "stance/kernel/counted.h"
#include "stance/kernel/dual.h"
#include "stance/kernel/expression.h"

namespace stance::dynamics {

using kernel::Expression;

template <class T>
void update_inertias(const Model& model, const Kinematics<T>& kin, Inertias<T>& inertias) {
  for (int i = 1; i < model.nbody; ++i) {
    const Mat3<T>& R = kin.R_WB[i];
    inertias.p_OC[i] = madd(R, Vec3<T>(model.com[i]), kin.p_OB[i]);
    inertias.I_C[i] = rotate(R, Sym3<T>(model.inertia[i]));
  }
}

template void update_inertias(const Model&, const Kinematics<double>&, Inertias<double>&);
template void update_inertias(const Model&, const Kinematics<kernel::Dual>&,
                              Inertias<kernel::Dual>&);
template void update_inertias(const Model&, const Kinematics<kernel::Counted>&,
                              Inertias<kernel::Counted>&);
template void update_inertias(const Model&, const Kinematics<Expression>&, Inertias<Expression>&);

}  // namespace stance::dynamics
