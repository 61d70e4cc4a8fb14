// `stance bench delassus`: the inverse inertia at the contacts by five methods, their times and
// their operation counts beside those of the paper (H3 to H5), and twenty situations (A10).

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stance/cli/terminal.h"

#include "bench_robot.h"
#include "dynamics/method_times.h"
#include "dynamics/operation_counts.h"
#include "dynamics/situations_bench.h"
#include "machine.h"
#include "measure.h"
#include "options.h"
#include "peer_team.h"
#include "plot.h"
#include "record.h"
#include "workload.h"

namespace stance::bench {
namespace {

using What = MethodColumn::What;
using dynamics::delassus_method_name;
using dynamics::kDelassusMethods;

constexpr int kRepeats = 400;
constexpr int kSituationRepeats = 150;

// The paper's own times for HRP-2 on two feet, four points each (table 4), as ratios.
constexpr double kPaperPerPoint = 6.7, kPaperChangKhatib = 1.23;

struct Results {
  ByMethod<double> omega, lambda, omega_from_q, lambda_from_q;  // us
  ByMethod<double> disagreement;
  ByMethod<MethodCounts> counts;
  PaperNumbers paper;
  double free_pass_us = 0.0, contacts_us = 0.0;
  std::vector<Record> records;  // of the four columns
};

Results measure_methods(Workload& work, PeerTeam& peers, int repeats) {
  work.update_free_pass();
  work.update_contacts();
  Results r;
  r.disagreement = calc_lambda_disagreement(work);
  const ByMethod<double> omega_disagreement = calc_omega_disagreement(work);
  for (DelassusMethod method : kDelassusMethods) {
    if (const auto& worse = at(omega_disagreement, method))
      at(r.disagreement, method) = std::max(*at(r.disagreement, method), *worse);
    if (method != DelassusMethod::kDirect)
      at(r.counts, method) = count_operations(work.model(), work.state().q, work.points(), method);
  }
  r.paper = calc_paper_numbers(work.model(), work.contacts());

  // everything in one comparison
  Comparison comparison;
  const int free_pass = comparison.add("free pass", [&] { work.update_free_pass(); });
  const int contacts = comparison.add("contacts", [&] { work.update_contacts(); });
  const MethodColumn omega(What::kOmega, work, comparison);
  const MethodColumn lambda(What::kLambda, work, comparison);
  const MethodColumn omega_from_q(What::kOmegaFromQ, work, comparison);
  const MethodColumn lambda_from_q(What::kLambdaFromQ, work, comparison);
  std::map<int, int> peer_omega, peer_lambda;
  for (int p = 0; p < peers.size(); ++p) {
    const auto add = [&](const char* algorithm, std::map<int, int>& subjects) {
      if (peers.has(p, algorithm))
        subjects[p] = comparison.add_remote(
            algorithm, [&, p, algorithm](int calls) { return peers.time_us(p, algorithm, calls); });
    };
    comparison.add_process(peers.process_id(p));
    add("omega", peer_omega);
    add("lambda", peer_lambda);
  }
  comparison.measure({repeats, 200.0, "measuring five methods"});

  r.free_pass_us = comparison.best_us(free_pass).value();
  r.contacts_us = comparison.best_us(contacts).value();
  r.omega = omega.times(comparison);
  r.lambda = lambda.times(comparison);
  r.omega_from_q = omega_from_q.times(comparison);
  r.lambda_from_q = lambda_from_q.times(comparison);
  r.records = {omega.make_record("omega", comparison), lambda.make_record("lambda", comparison),
               omega_from_q.make_record("omega_from_q", comparison),
               lambda_from_q.make_record("lambda_from_q", comparison)};
  const auto add_peers = [&](const std::map<int, int>& subjects, Record& record) {
    for (const auto& [p, subject] : subjects)
      if (const auto us = comparison.best_us(subject))
        record.peers.emplace_back(peers.name(p), *us);
  };
  add_peers(peer_omega, r.records[2]);
  add_peers(peer_lambda, r.records[3]);
  return r;
}

std::string format_count(long long count) { return count ? std::to_string(count) : "-"; }

void print_times(const Results& r, const PeerTeam& peers) {
  std::vector<std::vector<std::string>> rows = {
      {"method", "Omega", "Lambda", "Omega from q", "Lambda from q", "ours/it", "disagreement"}};
  for (DelassusMethod method : kDelassusMethods)
    rows.push_back({delassus_method_name(method), format_us(at(r.omega, method)),
                    format_us(at(r.lambda, method)), format_us(at(r.omega_from_q, method)),
                    format_us(at(r.lambda_from_q, method)),
                    fmt::format("{:.2f}", *at(r.lambda, kOurs) / *at(r.lambda, method)),
                    fmt::format("{:.1e}", *at(r.disagreement, method))});
  for (int p = 0; p < peers.size(); ++p)
    rows.push_back({peers.name(p), "-", "-", format_us(r.records[2].find_peer(peers.name(p))),
                    format_us(r.records[3].find_peer(peers.name(p))), "-", "-"});
  fmt::print(
      "\nMicroseconds given the free pass, and from q on; ours is skeleton, ours/it is of Lambda\n"
      "given the free pass. Disagreement: worst difference of Lambda from the direct method's and\n"
      "of Omega from ours, relative to the largest entry. The free pass alone takes {}, taking "
      "over\n"
      "the contact set {}.\n\n{}",
      format_us(r.free_pass_us), format_us(r.contacts_us),
      cli::format_table(rows, 1, cli::find_style(stdout)));
}

void print_counts(const Results& r) {
  const PaperNumbers& n = r.paper;
  std::vector<std::vector<std::string>> rows = {
      {"method", "Omega x/", "Omega +-", "Lambda x/", "Lambda +-", "paper x/", "paper +-"}};
  for (DelassusMethod method : kDelassusMethods) {
    if (!at(r.counts, method)) continue;
    const MethodCounts& c = *at(r.counts, method);
    const OperationCount paper =
        has_formula(method) ? calc_paper_count(method, n) : OperationCount();
    rows.push_back({delassus_method_name(method), format_count(c.omega.multiply),
                    format_count(c.omega.add), format_count(c.lambda.multiply),
                    format_count(c.lambda.add), format_count(paper.multiply),
                    format_count(paper.add)});
  }
  fmt::print(
      "\nOperations given the free pass, counted on the code, beside the paper's formulas for C = "
      "{},\nm = {}, b = {}, B_m = {}, B_C = {}, a_C = {}\n\n{}",
      n.C, n.m, n.b, n.B_m, n.B_C, n.a_C, cli::format_table(rows, 1, cli::find_style(stdout)));
}

// How much slower than the paper's method another one is.
struct Ratios {
  double time = 0.0, counts = 0.0, formulas = 0.0, paper_time = 0.0;
};

Ratios calc_ratios(const Results& r, DelassusMethod method) {
  const DelassusMethod six = DelassusMethod::kSixPerBody;
  const auto divide = [](long long a, long long b) {
    return static_cast<double>(a) / static_cast<double>(b);
  };
  return {*at(r.lambda, method) / *at(r.lambda, six),
          divide(total(at(r.counts, method)->lambda), total(at(r.counts, six)->lambda)),
          divide(total(calc_paper_count(method, r.paper)), total(calc_paper_count(six, r.paper))),
          method == DelassusMethod::kPerPoint ? kPaperPerPoint : kPaperChangKhatib};
}

void print_ratios(const Results& r) {
  std::vector<std::vector<std::string>> rows = {
      {"Lambda over six_per_body", "time here", "paper's time", "counts here", "paper's formulas"}};
  for (DelassusMethod method : {DelassusMethod::kPerPoint, DelassusMethod::kChangKhatib}) {
    const Ratios ratios = calc_ratios(r, method);
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(delassus_method_name(method));
    for (double x : {ratios.time, ratios.paper_time, ratios.counts, ratios.formulas})
      row.push_back(fmt::format("{:.2f}", x));
  }
  fmt::print(
      "\nRatios beside the paper's (its times are of HRP-2 on two feet, 4 points each)\n\n{}",
      cli::format_table(rows, 1, cli::find_style(stdout)));
}

Json counts_to_json(const OperationCount& count) {
  return {{"multiply", count.multiply}, {"add", count.add}};
}

// Further keys of the record of Lambda.
Json make_extra(const Results& r) {
  const PaperNumbers& n = r.paper;
  Json extra = {{"disagreement", Json::object()},
                {"counts", Json::object()},
                {"paper_counts", Json::object()}};
  for (DelassusMethod method : kDelassusMethods) {
    const char* name = delassus_method_name(method);
    extra["disagreement"][name] = *at(r.disagreement, method);
    if (at(r.counts, method)) extra["counts"][name] = counts_to_json(at(r.counts, method)->lambda);
    if (has_formula(method))
      extra["paper_counts"][name] = counts_to_json(calc_paper_count(method, n));
  }
  extra["paper_numbers"] = {{"C", n.C},     {"m", n.m},     {"b", n.b},
                            {"B_m", n.B_m}, {"B_C", n.B_C}, {"a_C", n.a_C}};
  for (DelassusMethod method : {DelassusMethod::kPerPoint, DelassusMethod::kChangKhatib}) {
    const Ratios ratios = calc_ratios(r, method);
    extra["over_six_per_body"][delassus_method_name(method)] = {{"time", ratios.time},
                                                                {"paper_time", ratios.paper_time},
                                                                {"counts", ratios.counts},
                                                                {"paper_counts", ratios.formulas}};
  }
  return extra;
}

}  // namespace

void run_delassus(const Options& options) {
  if (!options.plot.empty()) check_plot(options.plot);
  const BenchRobot robot = load_bench_robot(options.robot, options.contacts);
  const Model& model = robot.robot.model;
  Workload work(model, make_motion(model, robot.q), robot.contacts);
  PeerTeam peers = options.peers ? PeerTeam(work) : PeerTeam();
  Results r = measure_methods(work, peers, options.repeats ? options.repeats : kRepeats);
  const std::vector<SituationResult> situations =
      measure_situations(model, robot.q, options.repeats ? options.repeats : kSituationRepeats);
  if (!options.plot.empty() && situations.empty())
    throw Error("--plot draws the twenty situations, which only our humanoid has");

  if (options.json) {
    r.records[1].extra = make_extra(r);
    Json list = Json::array();
    for (const Record& record : r.records) list.push_back(to_json(record));
    append_json(situations, list);
    for (const std::string& note : peers.notes()) fmt::print(stderr, "{}\n", note);
    fmt::print("{}\n", list.dump(2));
  } else {
    fmt::print("{}{}\n", describe_robot(robot), describe_machine());
    for (const std::string& note : peers.notes()) fmt::print("{}\n", note);
    print_times(r, peers);
    print_counts(r);
    print_ratios(r);
    print_situations(situations);
  }
  if (!options.plot.empty()) plot_situations(situations, options.plot);
}

}  // namespace stance::bench
