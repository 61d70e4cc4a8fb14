#include "contact/point_problems.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "stance/io/contact_problem.h"
#include "stance/kernel/error.h"
#include "stance/kernel/random.h"
#include "stance/sim/step.h"

#include "contact/humanoid_scenes.h"
#include "peers/scene_protocol.h"
#include "progress.h"
#include "solver/siconos_trial.h"

namespace stance::bench {
namespace {

using kernel::Vec3d;

constexpr int kProblems = 500, kSiconosProblems = 8, kRounds = 40;
constexpr int kSettle = 2000;  // steps
constexpr double kTolerance = 1e-9;
constexpr double kSiconosLimit = 3.0;  // s

// A standing robot, its Omega, and free velocities that change.
class Feet {
 public:
  Feet()
      : scene_(make_standing_humanoid(JointFriction::kNone)),
        scratch_(scene_.scene.world),
        nothing_(scene_.scene.start.warm) {
    sim::World& world = scene_.scene.world;
    world.contact.tolerance = kTolerance;
    sim::Input input;
    input.stiffness = scene_.drive.stiffness;
    input.damping = scene_.drive.damping;
    input.target = scene_.drive.target;
    for (int k = 0; k < kSettle; ++k)
      if (step(world, input, kStep, scene_.scene.start, scratch_).status != sim::kStepFine)
        throw Error("the standing humanoid did not settle");
    if (!scratch_.contact.joint_rows.empty()) throw Error("a joint of the humanoid is at a limit");
  }

  // Contacts with a new free velocity of the robot.
  std::vector<contact::PointContact> draw(kernel::Random& random) {
    const sim::World& world = scene_.scene.world;
    std::vector<double> v(world.model.nv);
    for (double& x : v) x = random.uniform(-1.0, 1.0);
    for (int k = 0; k < 3; ++k) v[k] *= 0.5;
    for (int k = 3; k < 6; ++k) v[k] *= 0.3;
    v[5] -= 0.1;
    update_velocities(world.model, scratch_.start.kin(), std::span<const double>(v), scratch_.free);
    contact::find(world.model, world.shapes, scratch_.start.kin(), world.contact.margin,
                  scratch_.contact);
    const sim::State& state = scene_.scene.start;
    contact::assemble(world.model, world.materials, world.loops, scratch_.start.kin(), scratch_.art,
                      {state.q, state.v, v, scratch_.start.vel().V, scratch_.free.V}, world.contact,
                      kStep, nothing_, scratch_.contact);
    return scratch_.contact.contacts;
  }

  // From zero.
  contact::ContactReport solve(const std::vector<contact::PointContact>& contacts) {
    std::copy(contacts.begin(), contacts.end(), scratch_.contact.contacts.begin());
    const sim::World& world = scene_.scene.world;
    return contact::solve(world.model, scratch_.start.kin(), world.contact, kStep,
                          scratch_.contact);
  }

  const std::vector<contact::PointContact>& contacts() const { return scratch_.contact.contacts; }
  const solver::BodyProblem& problem() const { return scratch_.contact.work[0]->problem; }

 private:
  BenchScene scene_;
  sim::Scratch scratch_;
  const contact::WarmStart nothing_;
};

enum class Fate { kSticking, kSliding, kOpen };
Fate find_fate(const contact::PointContact& contact) {
  if (contact.p[0] == 0.0) return Fate::kOpen;
  return std::hypot(contact.u[1], contact.u[2]) > 1e-6 ? Fate::kSliding : Fate::kSticking;
}

int count_fate(const std::vector<contact::PointContact>& contacts, Fate fate) {
  return static_cast<int>(std::count_if(contacts.begin(), contacts.end(),
                                        [fate](const auto& c) { return find_fate(c) == fate; }));
}

// The best of Siconos' solvers on one problem, in microseconds.
std::optional<double> try_siconos_on(const solver::BodyProblem& problem, const std::string& file,
                                     Progress& progress) {
  solver::NodeMotions motions;
  solver::ContactProblem with_matrix;
  make_explicit(problem, motions, with_matrix);
  io::write_contact_problem(with_matrix, file);
  std::optional<double> best;
  for (SiconosTrial& trial : try_siconos(with_matrix, file, kTolerance, kSiconosLimit, progress)) {
    if (trial.is_solved) best = std::min(best.value_or(trial.us), trial.us);
    trial.process.stop();
  }
  return best;
}

void measure_siconos(Feet& feet, const std::vector<std::vector<contact::PointContact>>& problems,
                     PointProblemResult& result) {
  const std::string file = (std::filesystem::temp_directory_path() /
                            fmt::format("stance_bench_{}.dat", std::uint64_t(getpid())))
                               .string();
  Progress progress("points-8, Siconos", kSiconosProblems * std::size(kSiconosSetups));
  double sum = 0.0;
  for (int k = 0; k < kSiconosProblems; ++k) {
    (void)feet.solve(problems[k]);
    const std::optional<double> us = try_siconos_on(feet.problem(), file, progress);
    if (!us) continue;
    sum += *us;
    ++result.siconos_problems;
  }
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  if (result.siconos_problems > 0) result.siconos_us = sum / result.siconos_problems;
}

}  // namespace

PointProblemResult measure_point_problems(const Options& options) {
  Feet feet;
  kernel::Random random(8);
  PointProblemResult result;
  result.problems = kProblems;
  result.tolerance = kTolerance;

  // problems in which some contact slides and some opens
  std::vector<std::vector<contact::PointContact>> problems;
  for (int tries = 0; static_cast<int>(problems.size()) < kProblems; ++tries) {
    if (tries > 100 * kProblems) throw Error("no problems with sliding and opening contacts found");
    const auto contacts = feet.draw(random);
    const contact::ContactReport report = feet.solve(contacts);
    const int sliding = count_fate(feet.contacts(), Fate::kSliding);
    const int open = count_fate(feet.contacts(), Fate::kOpen);
    if (sliding == 0 || open == 0) continue;
    problems.push_back(contacts);
    result.points = report.points;
    result.residual = std::max(result.residual, report.residual);
    result.unconverged += !report.is_converged;
    result.sweeps += static_cast<double>(report.sweeps) / kProblems;
    const double part = 1.0 / (static_cast<double>(report.points) * kProblems);
    result.sliding += part * sliding;
    result.open += part * open;
    result.sticking += part * (report.points - sliding - open);
  }

  // all of them, again and again; the best round counts
  const int rounds = options.repeats ? options.repeats : kRounds;
  Progress progress("points-8", rounds);
  double best = INFINITY;
  for (int round = 0; round < rounds; ++round, progress.advance()) {
    const double start = read_work_clock();
    for (const auto& contacts : problems) (void)feet.solve(contacts);
    best = std::min(best, read_work_clock() - start);
  }
  result.us = 1e6 * best / kProblems;
  if (options.peers && has_siconos()) measure_siconos(feet, problems, result);
  return result;
}

}  // namespace stance::bench
