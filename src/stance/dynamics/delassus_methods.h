#pragma once

// The methods behind update_omega and update_lambda of delassus.h, one file each. They expect
// update_points to have run.

#include "stance/dynamics/delassus.h"

namespace stance::dynamics {

template <class T>
void omega_six_per_body(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
                        const ContactSet& contacts, Delassus<T>& out);
template <class T>
void omega_chang_khatib(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
                        const ContactSet& contacts, Delassus<T>& out);
template <class T>
void omega_skeleton(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
                    const ContactSet& contacts, Delassus<T>& out);

// Fills the upper triangle of Lambda.
template <class T>
void lambda_per_point(const Model& model, const Kinematics<T>& kin, const Articulated<T>& art,
                      const ContactSet& contacts, Delassus<T>& out);

}  // namespace stance::dynamics
