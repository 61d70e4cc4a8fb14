#pragma once

// Contact problems in the files that the field exchanges.
//
// Siconos `.dat`, as text, and FCLIB HDF5: W, q and mu of a local problem, or a global one (M, H,
// f, w) from which W = H^T M^-1 H and q = H^T M^-1 f + w are made here; matrices dense, in block
// rows or sparse. Equality constraints (G, b) become bilateral blocks. With rolling friction a
// contact has five rows and two coefficients, and becomes a contact and a spin block. What these
// formats have no words for our own files keep where other readers pass over it: joint limits, dry
// friction, spin and what gives way (solver/compliance.h) in a group /stance of the HDF5 file, the
// last also behind the word stance_compliance at the end of a .dat.

#include <string>

#include "stance/solver/contact_problem.h"

namespace stance::io {

// Tells the format by the file's first bytes. Throws stance::Error naming file, place and what was
// expected there.
solver::ContactProblem read_contact_problem(const std::string& file);

// By the name's ending: .dat, or .hdf5 / .h5. A .dat holds contacts only; an Error says so.
void write_contact_problem(const solver::ContactProblem& problem, const std::string& file);

// Impulses and velocities in the problem's order, three numbers a block (N T1 T2): HDF5 with
// /solution/r and /solution/u when the name ends in .hdf5 or .h5, else text.
void write_contact_solution(const solver::ContactSolution& solution, const std::string& file);

// Reads what write_contact_solution wrote.
solver::ContactSolution read_contact_solution(const std::string& file);

}  // namespace stance::io
