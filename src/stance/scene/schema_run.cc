// Keys that say how a run is looked at: expectations, recordings, interaction.

#include "stance/scene/schema_groups.h"

namespace stance::scene {
namespace {

using enum ValueKind;

// ---- expectations -------------------------------------------------------------------------------

constexpr SceneKey kFinalKeys[] = {
    {.name = "position",
     .kind = kVector,
     .about = "Of a body's or link's origin.",
     .unit = "m",
     .field = field<&FinalSpec::position>()},
    {.name = "x",
     .about = "One coordinate of it alone.",
     .unit = "m",
     .field = field<&FinalSpec::x>()},
    {.name = "y", .about = "", .unit = "m", .field = field<&FinalSpec::y>()},
    {.name = "z", .about = "", .unit = "m", .field = field<&FinalSpec::z>()},
    {.name = "velocity",
     .kind = kVector,
     .about = "Of that point, world axes.",
     .unit = "m/s",
     .field = field<&FinalSpec::velocity>()},
    {.name = "spin",
     .kind = kVector,
     .about = "Angular velocity, world axes.",
     .unit = "rad/s",
     .field = field<&FinalSpec::spin>()},
    {.name = "value",
     .about = "Of a joint.",
     .unit = "rad or m",
     .field = field<&FinalSpec::value>()},
    {.name = "rate",
     .about = "Of a joint.",
     .unit = "rad/s or m/s",
     .field = field<&FinalSpec::rate>()},
    {.name = "tolerance",
     .about = "Of positions and values.",
     .unit = "m or rad",
     .required = true,
     .low = 0,
     .above = true,
     .field = field<&FinalSpec::tolerance>()},
    {.name = "rate_tolerance",
     .about = "Of velocities, spins and rates; when left out, as above.",
     .unit = "m/s or rad/s",
     .low = 0,
     .above = true,
     .field = field<&FinalSpec::rate_tolerance>()},
};
constexpr SceneGroup kFinal{
    "a final state", "What a body or joint must have come to.", kFinalKeys, {}, blank<FinalSpec>};

constexpr SceneKey kExpectKeys[] = {
    {.name = "no_fall",
     .kind = kFlag,
     .about = "No robot with a free base may tilt its heaviest link by more than 1 rad, or sink "
              "with its centre of mass to half its height. "
              "`false` expects that one does.",
     .group = nullptr,
     .field = field<&ExpectSpec::no_fall>()},
    {.name = "max_slip",
     .about = "Distance that two surfaces may slide on each other while they press, summed over "
              "the run.",
     .unit = "m",
     .low = 0,
     .field = field<&ExpectSpec::max_slip>()},
    {.name = "max_penetration",
     .about = "In any step.",
     .unit = "m",
     .low = 0,
     .field = field<&ExpectSpec::max_penetration>()},
    {.name = "max_residual",
     .about = "Of the contact problem in any step.",
     .low = 0,
     .field = field<&ExpectSpec::max_residual>()},
    {.name = "max_energy_error",
     .about = "Of the integrator, at the end.",
     .unit = "J",
     .low = 0,
     .field = field<&ExpectSpec::max_energy_error>()},
    {.name = "max_final_speed",
     .about = "Of every body's centre at the end: what came to rest.",
     .unit = "m/s",
     .low = 0,
     .field = field<&ExpectSpec::max_final_speed>()},
    {.name = "converged",
     .kind = kFlag,
     .about = "true: every step reached its tolerance.",
     .field = field<&ExpectSpec::converged>()},
    {.name = "max_unconverged",
     .kind = kInteger,
     .about = "Steps that may end before their tolerance. When left out, none: `stance run` then "
              "exits with 6.",
     .low = 0,
     .high = 1e9,
     .field = field<&ExpectSpec::max_unconverged>()},
    {.name = "max_dropped",
     .kind = kInteger,
     .about = "Contact points that may be left out for lack of room, summed over the steps. When "
              "left out, none, as above.",
     .low = 0,
     .high = 1e9,
     .field = field<&ExpectSpec::max_dropped>()},
    {.name = "max_missed",
     .kind = kInteger,
     .about = "Contacts that may come about within a step without being in its problem, summed "
              "over the steps. When left out, none, as above.",
     .low = 0,
     .high = 1e9,
     .field = field<&ExpectSpec::max_missed>()},
    {.name = "final",
     .kind = kGroups,
     .about = "At the end, by name: an object, ROBOT/LINK or ROBOT/JOINT.",
     .group = &kFinal,
     .field = part<&ExpectSpec::final>()},
    {.name = "readings",
     .kind = kGroups,
     .about = "Channels of sensors at the end, by name: SENSOR/QUANTITY.",
     .group = &kReadingGroup,
     .field = part<&ExpectSpec::readings>()},
};

// ---- recordings ---------------------------------------------------------------------------------

constexpr SceneKey kRecordKeys[] = {
    {.name = "channels",
     .kind = kTexts,
     .about = "Names of channels (docs/recording.md); `*` in a name stands for any letters. When "
              "left out, all but impulses; `--channel` gives others.",
     .field = field<&RecordSpec::channels>()},
    {.name = "every",
     .about = "Time between two rows, a multiple of the step. When left out, every step.",
     .unit = "s",
     .low = 0,
     .above = true,
     .field = field<&RecordSpec::every>()},
    {.name = "every_steps",
     .kind = kInteger,
     .about = "The same in steps, instead of `every`.",
     .low = 1,
     .high = 1e9,
     .field = field<&RecordSpec::every_steps>()},
    {.name = "file",
     .kind = kText,
     .about =
         "Where to, seen from the folder where the program is started: .h5 or .csv. Then every "
         "run records, unless `--no-record` says not to; `--out` gives another.",
     .field = field<&RecordSpec::file>()},
    {.name = "flush",
     .about = "Wall-clock time that a killed run may lose at most.",
     .unit = "s",
     .low = 0.01,
     .high = 60,
     .field = field<&RecordSpec::flush>()},
};

// ---- interaction --------------------------------------------------------------------------------

constexpr SceneKey kInteractionKeys[] = {
    {.name = "stiffness",
     .about = "Of the spring by which a body is dragged; its damping follows from the effective "
              "mass at the point.",
     .unit = "N/m",
     .low = 0,
     .high = 1e7,
     .above = true,
     .field = field<&InteractionSpec::stiffness>()},
    {.name = "touch",
     .about = "Devices: factor on the device's force that a touched body receives.",
     .low = 0,
     .high = 1e4,
     .field = field<&InteractionSpec::touch>()},
    {.name = "probe_radius",
     .about = "Devices: of the sphere that touches.",
     .unit = "m",
     .low = 0,
     .high = 10,
     .above = true,
     .field = field<&InteractionSpec::probe_radius>()},
    {.name = "device_scale",
     .about = "Devices: metres of the scene for a metre of the hand.",
     .low = 0,
     .high = 1e3,
     .above = true,
     .field = field<&InteractionSpec::device_scale>()},
    {.name = "device_origin",
     .kind = kVector,
     .about = "Devices: where the middle of their workspace lies.",
     .unit = "m",
     .field = field<&InteractionSpec::device_origin>()},
};

}  // namespace

constexpr SceneGroup kExpectGroup{"expect",
                                  "What a run must do; `stance run` exits with 5 when it does not.",
                                  kExpectKeys,
                                  {},
                                  blank<ExpectSpec>};
constexpr SceneGroup kRecordGroup{
    "record", "What a recording holds (docs/recording.md).", kRecordKeys, {}, blank<RecordSpec>};
constexpr SceneGroup kInteractionGroup{
    "interaction",
    "How hands take hold of things, where they do not say so themselves.",
    kInteractionKeys,
    {},
    blank<InteractionSpec>};

}  // namespace stance::scene
