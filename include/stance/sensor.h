#pragma once

// Sensors of your own: what is measured after a step, as channels that are read, recorded and
// plotted like all others (docs/plugins.md). Made beside controllers (controller.h), with which
// they may share what they know.

#include "stance/controller.h"
#include "stance/sim/sensors.h"

namespace stance {

using sim::calc_noise;
using sim::Channel;
using sim::Sensor;
using sim::StepForces;
using sim::StepView;

}  // namespace stance
