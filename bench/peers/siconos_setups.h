// The ways in which the peer siconos is asked to solve. Which storage of W and which options suit a
// solver best depends on the problem, so each gets several and its best one counts.
#pragma once

namespace stance::bench {

struct SiconosSetup {
  const char* solver;   // nsgs, admm, nsn_ac, nsn_fb
  const char* storage;  // of W: block, sparse, dense
  const char* tweak;    // "default", or what differs from Siconos' own choice; see peer_siconos.cc
};

inline constexpr const char* kSiconosSolvers[] = {"nsgs", "admm", "nsn_ac", "nsn_fb"};

// NSGS is always told to look at the full error, after every sweep or every tenth, so that it stops
// as soon as the tolerance is met; its own choice is to look at the change of a sweep first, which
// is met much later or, where sweeps are slow, too early. The local solver is Siconos' own choice
// (`hybrid`) or one of its relatives.
inline constexpr SiconosSetup kSiconosSetups[] = {
    {"nsgs", "block", "hybrid"},       {"nsgs", "block", "hybrid_10th"},
    {"nsgs", "block", "damped_10th"},  {"nsgs", "block", "newton_10th"},
    {"nsgs", "dense", "damped"},       {"nsgs", "dense", "newton"},
    {"admm", "block", "default"},      {"admm", "sparse", "default"},
    {"admm", "sparse", "balancing"},   {"admm", "dense", "default"},
    {"admm", "dense", "balancing"},    {"nsn_ac", "block", "default"},
    {"nsn_ac", "block", "split_norm"}, {"nsn_ac", "sparse", "default"},
    {"nsn_ac", "dense", "default"},    {"nsn_ac", "dense", "split_norm"},
    {"nsn_fb", "block", "default"},    {"nsn_fb", "sparse", "default"},
    {"nsn_fb", "dense", "default"},
};

// Dense storage is tried up to so many contacts; beyond, it never was the best.
inline constexpr int kMostDenseContacts = 100;

}  // namespace stance::bench
