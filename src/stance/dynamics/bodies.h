#pragma once

// Where the bodies are, how they move and what they weigh: all that follows from one q and v,
// worked out once and handed to all who ask.

#include <memory>

#include "stance/dynamics/aba.h"
#include "stance/dynamics/inertia.h"
#include "stance/dynamics/kinematics.h"

namespace stance::dynamics {

class Bodies {
 public:
  explicit Bodies(const Model& model);
  Bodies(const Bodies& other);
  Bodies(Bodies&&) noexcept = default;
  Bodies& operator=(const Bodies& other);  // asks for no memory where both are of one model
  Bodies& operator=(Bodies&&) noexcept = default;
  ~Bodies() = default;

  // Refreshes everything, unless it is of this q and v already. The bits of both are kept and
  // compared, so nothing can be out of date unnoticed: a stamp of whoever changes a state would
  // have to be thought of at every change.
  void update(const Model& model, std::span<const double> q, std::span<const double> v);
  bool is_of(std::span<const double> q, std::span<const double> v) const;

  const Kinematics<double>& kin() const { return known_->kin; }
  const Velocities<double>& vel() const { return known_->vel; }
  const Inertias<double>& inertias() const { return known_->inertias; }

  // With free joints: no springs, dampers or drives, which the step's own have. Worked out by the
  // first call after an update; not for two threads at once.
  const Articulated<double>& find_articulated(const Model& model) const;

 private:
  struct Known {
    explicit Known(const Model& model)
        : kin(model), vel(model), inertias(model), articulated(model) {}

    std::vector<double> q, v;  // of which it is; empty before the first update
    Kinematics<double> kin;
    Velocities<double> vel;
    Inertias<double> inertias;
    Articulated<double> articulated;
    bool has_articulated = false;
  };
  std::unique_ptr<Known> known_;  // so that two of these change places by their pointers
};

}  // namespace stance::dynamics
