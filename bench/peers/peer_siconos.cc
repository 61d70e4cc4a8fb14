// Siconos' solvers of frictional contact problems, as a peer (siconos_client.h says what it
// understands).

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNoLimit = 1'000'000'000;  // of iterations: time decides
constexpr double kShort = 0.5;           // s

class Solver {
 public:
  Solver(const std::string& file, const std::string& solver, const std::string& storage,
         const std::string& tweak, double tolerance)
      : solver_(solver), tweak_(tweak), tolerance_(tolerance) {
    problem_ = frictionContact_new_from_filename(file.c_str());
    if (!problem_ || problem_->dimension != 3) throw std::runtime_error("cannot read " + file);
    size_ = 3 * problem_->numberOfContacts;
    set_storage(storage);
    solver_options_delete(make_options());  // complains of an unknown name
  }

  // Solves from zero. Returns the seconds that the solver took, its options aside.
  double solve() {
    SolverOptions* options = make_options();
    impulse_.assign(size_, 0.0);
    velocity_.assign(size_, 0.0);
    const auto start = Clock::now();
    fc3d_driver(problem_, impulse_.data(), velocity_.data(), options);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    iterations_ = options->iparam[SICONOS_IPARAM_ITER_DONE];
    solver_options_delete(options);
    return seconds;
  }

  int iterations() const { return iterations_; }
  const std::vector<double>& impulse() const { return impulse_; }

 private:
  // The file holds block rows; Siconos itself changes them into what is asked for.
  void set_storage(const std::string& storage) {
    if (storage == "block") return;
    NumericsMatrix* M = nullptr;
    if (storage == "dense") {
      M = NM_create(NM_DENSE, size_, size_);
      NM_to_dense(problem_->M, M);
    } else if (storage == "sparse") {
      M = NM_create(NM_SPARSE, size_, size_);
      NM_copy_to_sparse(problem_->M, M, 0.0);
    } else {
      throw std::runtime_error("unknown storage " + storage);
    }
    problem_->M = M;
  }

  SolverOptions* make_options() const {
    SolverOptions* options = nullptr;
    if (solver_ == "nsgs") {
      options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
      set_nsgs(options);
    } else if (solver_ == "admm") {
      options = solver_options_create(SICONOS_FRICTION_3D_ADMM);
      if (tweak_ == "balancing")
        options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_RHO_STRATEGY] =
            SICONOS_FRICTION_3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING;
    } else if (solver_ == "nsn_ac") {
      options = solver_options_create(SICONOS_FRICTION_3D_NSN_AC);
      if (tweak_ == "split_norm")
        options->iparam[SICONOS_FRICTION_3D_NSN_RHO_STRATEGY] =
            SICONOS_FRICTION_3D_NSN_FORMULATION_RHO_STRATEGY_SPLIT_SPECTRAL_NORM;
    } else if (solver_ == "nsn_fb") {
      options = solver_options_create(SICONOS_FRICTION_3D_NSN_FB);
    } else {
      throw std::runtime_error("unknown solver " + solver_);
    }
    options->dparam[SICONOS_DPARAM_TOL] = tolerance_;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = kNoLimit;
    return options;
  }

  // The full error after every sweep, or after every tenth; and who solves one contact.
  void set_nsgs(SolverOptions* options) const {
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
        SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] =
        tweak_.ends_with("_10th") ? 10 : 1;
    if (tweak_.starts_with("newton"))
      solver_options_update_internal(options, 0, SICONOS_FRICTION_3D_ONECONTACT_NSN);
    else if (tweak_.starts_with("damped"))
      solver_options_update_internal(options, 0, SICONOS_FRICTION_3D_ONECONTACT_NSN_GP);
  }

  FrictionContactProblem* problem_ = nullptr;  // until the process ends
  int size_ = 0, iterations_ = 0;
  std::string solver_, tweak_;
  double tolerance_;
  std::vector<double> impulse_, velocity_;
};

// Mean of a batch, in microseconds, after some solves to warm up.
double time_batch(Solver& solver, int repeats) {
  for (int i = repeats / 10 + 1; i > 0; --i) solver.solve();
  double seconds = 0.0;
  for (int i = 0; i < repeats; ++i) seconds += solver.solve();
  return 1e6 * seconds / repeats;
}

// problem SOLVER STORAGE TWEAK TOLERANCE FILE, the file's name up to the end of the line
Solver read_problem(const std::string& line) {
  std::istringstream words(line);
  std::string keyword, solver, storage, tweak, file;
  double tolerance = 0.0;
  words >> keyword >> solver >> storage >> tweak >> tolerance >> std::ws;
  std::getline(words, file);
  if (keyword != "problem" || file.empty()) throw std::runtime_error("expected a problem");
  return Solver(file, solver, storage, tweak, tolerance);
}

bool read_line(std::string& line) {
  line.clear();
  for (int c = 0; (c = std::getchar()) != EOF;) {
    if (c == '\n') return true;
    line.push_back(static_cast<char>(c));
  }
  return false;
}

void serve(std::FILE* out) {
  std::string line;
  if (!read_line(line)) return;
  Solver solver = read_problem(line);
  // the second time Siconos has what it keeps beside the matrix; long solves do not feel it
  double seconds = solver.solve();
  if (seconds < kShort) seconds = solver.solve();
  std::fprintf(out, "solved %.17g %d\n", 1e6 * seconds, solver.iterations());
  std::fflush(out);
  for (; read_line(line) && line != "quit"; std::fflush(out)) {
    int repeats = 0;
    if (line == "impulses") {
      std::fprintf(out, "p");
      for (const double x : solver.impulse()) std::fprintf(out, " %.17g", x);
      std::fprintf(out, "\n");
    } else if (std::sscanf(line.c_str(), "time %d", &repeats) == 1 && repeats > 0) {
      std::fprintf(out, "us %.17g\n", time_batch(solver, repeats));
    } else {
      throw std::runtime_error("unknown command '" + line + "'");
    }
  }
}

}  // namespace

int main(int, char** argv) {
  // all are compared on one processor; OpenBLAS reads this when it is loaded
  if (!std::getenv("OPENBLAS_NUM_THREADS")) {
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
  }

  // what Siconos itself prints must not mix with the answers
  std::FILE* out = fdopen(dup(STDOUT_FILENO), "w");
  const int nowhere = open("/dev/null", O_WRONLY);
  if (!out || nowhere < 0) return 1;
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  numerics_set_verbose(0);
  try {
    serve(out);
  } catch (const std::exception& error) {
    std::fprintf(out, "error %s\n", error.what());
    std::fflush(out);
    return 1;
  }
  return 0;
}
