#include "stance/contact/law.h"
#include "stance/io/scene_schema_groups.h"

namespace stance::io {
namespace {

using enum SceneValue;
using Names = std::span<const std::string_view>;

Names saturation_names() {
  static constexpr std::string_view kNames[] = {"consistent", "once"};
  return kNames;
}

constexpr SceneKey kPenaltyKeys[] = {
    {.name = "kp",
     .about = "penalty_fbl: how fast penetration is taken back.",
     .unit = "1/s²",
     .standard = "500",
     .low = 0},
    {.name = "kv",
     .about = "penalty_fbl: how fast a contact is stopped.",
     .unit = "1/s",
     .standard = "250",
     .low = 0},
    {.name = "wanted_penetration",
     .about = "penalty_fbl: depth at which a contact rests.",
     .unit = "m",
     .standard = "0",
     .low = 0},
    {.name = "saturation",
     .kind = kChoice,
     .about = "penalty_fbl: forces beyond the cone are cut consistently, or once as in the paper.",
     .standard = "consistent",
     .choices = saturation_names},
    {.name = "stiffness",
     .about = "penalty_linear, penalty_clipped.",
     .unit = "N/m",
     .standard = "5e4",
     .low = 0},
    {.name = "damping",
     .about = "penalty_linear, penalty_clipped.",
     .unit = "N s/m",
     .standard = "100",
     .low = 0},
    {.name = "hunt_stiffness",
     .about = "penalty_hunt_crossley.",
     .unit = "N/m^exponent",
     .standard = "1e6",
     .low = 0},
    {.name = "hunt_exponent",
     .about = "penalty_hunt_crossley.",
     .standard = "1.5",
     .low = 1,
     .high = 10},
    {.name = "hunt_damping",
     .about = "penalty_hunt_crossley.",
     .unit = "s/m",
     .standard = "5",
     .low = 0},
    {.name = "tangential_stiffness",
     .about = "Friction of the three laws above: a spring.",
     .unit = "N/m",
     .standard = "5e4",
     .low = 0},
    {.name = "tangential_damping",
     .about = "Friction of the three laws above: a damper.",
     .unit = "N s/m",
     .standard = "100",
     .low = 0},
};
constexpr SceneGroup kPenalty{"penalty parameters",
                              "Of every contact point; docs/contact_laws.md tells what they do.",
                              kPenaltyKeys};

constexpr SceneKey kContactKeys[] = {
    {.name = "law",
     .kind = kChoice,
     .about = "How bodies push each other apart and rub.",
     .standard = "exact",
     .choices = contact::contact_law_names},
    {.name = "tolerance",
     .about = "Of the residual in every step.",
     .standard = "1e-8",
     .low = 0,
     .above = true},
    {.name = "max_sweeps",
     .kind = kInteger,
     .about = "Then a step goes on and says that it did not converge.",
     .standard = "2000",
     .low = 1,
     .high = 1e9},
    {.name = "facets",
     .kind = kInteger,
     .about = "Sides of every pyramid of the law lcp.",
     .standard = "8",
     .low = 4,
     .high = 64},
    {.name = "margin",
     .about = "Points this near are looked at, farther ones at high speed.",
     .unit = "m",
     .standard = "1e-3",
     .low = 0,
     .above = true},
    {.name = "slop",
     .about = "Penetration that is left alone.",
     .unit = "m",
     .standard = "1e-6",
     .low = 0},
    {.name = "correction",
     .about = "Part of a deeper penetration that a step takes back.",
     .standard = "0.2",
     .low = 0,
     .high = 1},
    {.name = "loop_correction",
     .about = "The same for constraints and mimic joints.",
     .standard = "0.5",
     .low = 0,
     .high = 1},
    {.name = "capacity",
     .kind = kInteger,
     .about = "Contact points that a step has room for.",
     .standard = "8192",
     .low = 1,
     .high = 1e6},
    {.name = "penalty",
     .kind = kGroup,
     .about = "Parameters of the penalty laws.",
     .group = &kPenalty},
};

constexpr SceneKey kMaterialKeys[] = {
    {.name = "friction", .about = "Coulomb's coefficient.", .standard = "0.5", .low = 0},
    {.name = "restitution",
     .about = "Newton's: 0 plastic, 1 elastic.",
     .standard = "0",
     .low = 0,
     .high = 1},
    {.name = "torsion_friction",
     .about = "Torque about the normal over the normal force.",
     .unit = "m",
     .standard = "0",
     .low = 0},
    {.name = "rolling_friction",
     .about = "Torque across the normal over the normal force.",
     .unit = "m",
     .standard = "0",
     .low = 0},
};

constexpr SceneKey kMaterialPairKeys[] = {
    {.name = "a", .kind = kName, .about = "A material.", .required = true},
    {.name = "b", .kind = kName, .about = "Another, or the same.", .required = true},
    {.name = "friction", .about = "Coulomb's coefficient.", .low = 0},
    {.name = "restitution", .about = "Newton's: 0 plastic, 1 elastic.", .low = 0, .high = 1},
    {.name = "torsion_friction", .about = "As of a material.", .unit = "m", .low = 0},
    {.name = "rolling_friction", .about = "As of a material.", .unit = "m", .low = 0},
};

}  // namespace

constexpr SceneGroup kContactGroup{"contact", "How contacts are treated.", kContactKeys};
constexpr SceneGroup kMaterialGroup{
    "a material",
    "Two surfaces that meet have the geometric mean of their frictions, and the larger of their "
    "restitutions, torsional and rolling frictions.",
    kMaterialKeys};
constexpr SceneGroup kMaterialPairGroup{
    "a pair of materials",
    "What two materials have where they meet; what is left out follows from both, as above.",
    kMaterialPairKeys};

}  // namespace stance::io
