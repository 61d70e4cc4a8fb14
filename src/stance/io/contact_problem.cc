#include "stance/io/contact_problem.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "stance/io/fclib.h"
#include "stance/io/siconos_dat.h"
#include "stance/kernel/error.h"

namespace stance::io {
namespace {

bool is_hdf5_name(const std::string& file) {
  return file.ends_with(".hdf5") || file.ends_with(".h5");
}

bool starts_like_hdf5(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::file_status status = fs::status(file, code);
  if (status.type() == fs::file_type::not_found) throw Error({file}, "there is no such file");
  if (status.type() == fs::file_type::directory)
    throw Error({file}, "this is a folder, expected a file");
  if (status.type() != fs::file_type::regular)
    throw Error({file}, "this is a device or pipe, not a file");
  if (fs::file_size(file, code) == 0) throw Error({file}, "the file is empty");
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error({file}, "cannot open the file");
  char head[4] = {};
  in.read(head, 4);
  return in.gcount() == 4 && std::string(head, 4) == "\x89HDF";
}

}  // namespace

solver::ContactProblem read_contact_problem(const std::string& file) {
  solver::ContactProblem problem =
      starts_like_hdf5(file) ? read_fclib(file) : read_siconos_dat(file);
  if (const std::string fault = find_fault(problem); !fault.empty())
    throw Error(fmt::format("{}: {}", file, fault));
  return problem;
}

void write_contact_problem(const solver::ContactProblem& problem, const std::string& file) {
  if (is_hdf5_name(file))
    write_fclib(problem, file);
  else if (file.ends_with(".dat"))
    write_siconos_dat(problem, file);
  else
    throw Error(fmt::format("{}: a contact problem is written as .dat, .hdf5 or .h5", file));
}

void write_contact_solution(const solver::ContactSolution& solution, const std::string& file) {
  if (is_hdf5_name(file)) return write_fclib_solution(solution, file);
  std::ofstream out(file);
  out << "# impulse and velocity of every block: p_N p_T1 p_T2 u_N u_T1 u_T2\n";
  for (std::size_t i = 0; i < solution.p.size(); ++i) {
    const kernel::Vec3d &p = solution.p[i], &u = solution.u[i];
    out << fmt::format("{} {} {} {} {} {}\n", p[0], p[1], p[2], u[0], u[1], u[2]);
  }
  if (!out.flush()) throw Error(fmt::format("{}: cannot write the file", file));
}

solver::ContactSolution read_contact_solution(const std::string& file) {
  if (starts_like_hdf5(file)) return read_fclib_solution(file);
  std::ifstream in(file);
  std::string line;
  solver::ContactSolution solution;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    double x[6];
    std::istringstream words(line);
    for (double& value : x)
      if (!(words >> value)) throw Error({file, number}, "expected six numbers");
    if (!(words >> std::ws).eof()) throw Error({file, number}, "expected six numbers and no more");
    solution.p.emplace_back(x[0], x[1], x[2]);
    solution.u.emplace_back(x[3], x[4], x[5]);
  }
  return solution;
}

}  // namespace stance::io
