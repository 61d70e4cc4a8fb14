#include "peer_team.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "peer_model.h"

namespace stance::bench {
namespace {

constexpr double kAgree = 1e-8;  // relative to the largest entry

struct Candidate {
  const char* name;
  const char* executable;  // empty when it was not built
  const char* package;
};
constexpr Candidate kCandidates[] = {
    {"dart", STANCE_PEER_DART, "libdart-all-dev, libdart-external-ikfast-dev"},
    {"mujoco", STANCE_PEER_MUJOCO, "libmujoco-dev"},
};

double calc_disagreement(std::span<const double> a, std::span<const double> b) {
  double worst = 0.0, largest = 1e-300;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!std::isfinite(b[k])) return INFINITY;
    worst = std::max(worst, std::abs(a[k] - b[k]));
    largest = std::max(largest, std::abs(a[k]));
  }
  return worst / largest;
}

// What a peer answers differently from us; empty when nothing.
std::string find_disagreement(Workload& ours, bool lambda_counts, PeerProcess& peer) {
  const auto& [q, v, tau] = ours.state();
  const Workload::Answers a = ours.calc_answers();
  const std::optional<PeerEval> b = peer.eval(q, v, tau);
  if (!b) return peer.error();
  const auto check = [](const char* what, std::span<const double> x, std::span<const double> y) {
    const double error = calc_disagreement(x, y);
    return error <= kAgree ? "" : fmt::format("its {} differs from ours by {:.1e}", what, error);
  };
  std::string problem = check("mass matrix", a.M, b->M);
  if (problem.empty()) problem = check("bias", a.bias, b->bias);
  if (problem.empty()) problem = check("acceleration", a.vdot, b->vdot);
  if (!problem.empty() || ours.points().empty()) return problem;

  // the inverse inertia at the contacts, in the very state: run_lambda alternates
  if (!peer.set_contacts(make_peer_contacts(ours.points()))) return peer.error();
  const std::optional<std::vector<double>> lambda = peer.lambda();
  if (!lambda) return peer.error();
  ours.calc_answers();
  ours.update_contacts();
  ours.update_lambda(DelassusMethod::kSkeleton);
  return lambda_counts ? check("inverse inertia", ours.delassus().lambda(), *lambda) : problem;
}

}  // namespace

PeerTeam::PeerTeam(Workload& ours) {
  const Model& model = ours.model();
  const std::string text = write_model(make_peer_model(model, kGravity));
  const bool has_rotors = std::any_of(model.rotor_inertia.begin(), model.rotor_inertia.end(),
                                      [](double r) { return r != 0.0; });
  for (const Candidate& candidate : kCandidates) {
    if (!*candidate.executable) {
      notes_.push_back(fmt::format("{} is not compared: it was not built (Debian: {})",
                                   candidate.name, candidate.package));
      continue;
    }
    Member member{candidate.name, {}};
    const bool knows_rotors = member.name != "dart";
    std::string problem;
    if (!member.process.start(candidate.executable, text))
      problem = member.process.error();
    else
      problem = find_disagreement(ours, knows_rotors || !has_rotors, member.process);
    if (!problem.empty()) {
      notes_.push_back(fmt::format("{} is not compared: {}", candidate.name, problem));
      continue;
    }
    if (has_rotors && !knows_rotors)
      notes_.push_back(fmt::format("{} is timed without the rotor inertias, which it does not have",
                                   candidate.name));
    members_.push_back(std::move(member));
  }
}

std::string PeerTeam::describe() const {
  std::string text;
  for (const Member& member : members_)
    text += (text.empty() ? "" : ", ") + member.process.library();
  return text;
}

bool PeerTeam::has(int peer, const std::string& algorithm) {
  return time_us(peer, algorithm, 1).has_value();
}

}  // namespace stance::bench
