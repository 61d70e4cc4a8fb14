// `stance bench dynamics`: the algorithms of one robot from q, v and tau, beside the peers.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stance/cli/terminal.h"

#include "bench_robot.h"
#include "machine.h"
#include "measure.h"
#include "options.h"
#include "peer_team.h"
#include "record.h"
#include "workload.h"

namespace stance::bench {
namespace {

constexpr int kRepeats = 400;

struct Algorithm {
  const char* name;
  const char* what;
  void (*run)(Workload&);
  double asked_us;  // on HRP-2 where DART's forward dynamics takes kReferenceDart; 0 for none
};
constexpr double kReferenceDart = 23.2;  // us

constexpr Algorithm kAlgorithms[] = {
    {"fk", "poses of all bodies", [](Workload& w) { w.run_fk(); }, 0.75},
    {"rnea", "inverse dynamics", [](Workload& w) { w.run_rnea(); }, 1.65},
    {"crba", "mass matrix", [](Workload& w) { w.run_crba(); }, 1.4},
    {"crba_factor", "mass matrix and factor", [](Workload& w) { w.run_crba_factor(); }, 0.0},
    {"aba", "forward dynamics", [](Workload& w) { w.run_aba(); }, 3.8},
    {"omega", "inverse inertia, bodies in contact",
     [](Workload& w) { w.run_omega(DelassusMethod::kSkeleton); }, 3.9},
    {"lambda", "inverse inertia, contact points",
     [](Workload& w) { w.run_lambda(DelassusMethod::kSkeleton); }, 5.4},
};

std::vector<Record> measure_all(Workload& ours, PeerTeam& peers, int repeats) {
  // all subjects in one comparison
  struct Subjects {
    int ours = 0;
    std::map<int, int> peers = {};  // peer to subject
  };
  Comparison comparison;
  std::vector<Subjects> subjects;
  std::vector<Record> records;
  for (const Algorithm& algorithm : kAlgorithms) {
    const auto run = [&ours, &algorithm] { algorithm.run(ours); };
    records.push_back({algorithm.name, 0.0, {}, count_heap_per_run(run)});
    Subjects& s = subjects.emplace_back(Subjects{comparison.add(algorithm.name, run)});
    for (int p = 0; p < peers.size(); ++p) {
      if (!peers.has(p, algorithm.name)) continue;
      const auto batch = [&peers, &algorithm, p](int calls) {
        return peers.time_us(p, algorithm.name, calls);
      };
      s.peers[p] = comparison.add_remote(peers.name(p) + " " + algorithm.name, batch);
    }
  }
  for (int p = 0; p < peers.size(); ++p) comparison.add_process(peers.process_id(p));
  comparison.measure({repeats, 200.0, "measuring"});

  for (std::size_t k = 0; k < records.size(); ++k) {
    records[k].ours_us = comparison.best_us(subjects[k].ours).value();
    for (const auto& [p, subject] : subjects[k].peers)
      if (const auto us = comparison.best_us(subject))
        records[k].peers.emplace_back(peers.name(p), *us);
  }
  return records;
}

void print_table(const std::vector<Record>& records, const PeerTeam& peers) {
  std::vector<std::vector<std::string>> rows = {{"name", "what", "ours"}};
  for (int p = 0; p < peers.size(); ++p) rows[0].push_back(peers.name(p));
  rows[0].insert(rows[0].end(), {"ours/best", "heap calls"});
  for (std::size_t k = 0; k < records.size(); ++k) {
    const Record& record = records[k];
    rows.push_back({record.name, kAlgorithms[k].what, format_us(record.ours_us)});
    for (int p = 0; p < peers.size(); ++p)
      rows.back().push_back(format_us(record.find_peer(peers.name(p))));
    rows.back().push_back(format_ratio(record.calc_ratio()));
    rows.back().push_back(std::to_string(record.heap_calls));
  }
  fmt::print("{}", cli::format_table(rows, 2, cli::find_style(stdout)));
}

// The figures that HRP-2 is to reach, on a machine as fast as this one.
void print_asked(const std::vector<Record>& records) {
  double dart_us = 0.0;
  for (const Record& record : records)
    if (record.name == "aba") dart_us = record.find_peer("dart").value_or(0.0);
  if (dart_us == 0.0) return;
  const double scale = dart_us / kReferenceDart;
  std::vector<std::vector<std::string>> rows = {
      {"name", "ours", "asked there", "asked here", "ours/asked here"}};
  for (std::size_t k = 0; k < records.size(); ++k) {
    const double there = kAlgorithms[k].asked_us, here = scale * there;
    if (there > 0.0)
      rows.push_back({records[k].name, format_us(records[k].ours_us), format_us(there),
                      format_us(here), fmt::format("{:.2f}", records[k].ours_us / here)});
  }
  fmt::print(
      "\nFigures asked of HRP-2 on a machine where DART's forward dynamics takes {} us, and here, "
      "where\nit takes {}: times {:.2f}\n\n{}",
      kReferenceDart, format_us(dart_us), scale,
      cli::format_table(rows, 1, cli::find_style(stdout)));
}

}  // namespace

void run_dynamics(const Options& options) {
  const BenchRobot robot = load_bench_robot(options.robot, options.contacts);
  const Model& model = robot.robot.model;
  Workload ours(model, make_motion(model, robot.q), robot.contacts);
  PeerTeam peers = options.peers ? PeerTeam(ours) : PeerTeam();
  const std::vector<Record> records =
      measure_all(ours, peers, options.repeats ? options.repeats : kRepeats);

  if (options.json) {
    Json list = Json::array();
    for (const Record& record : records) list.push_back(to_json(record));
    for (const std::string& note : peers.notes()) fmt::print(stderr, "{}\n", note);
    fmt::print("{}\n", list.dump(2));
    return;
  }
  fmt::print("{}{}\n", describe_robot(robot), describe_machine());
  if (peers.size() > 0) fmt::print("beside {}, in other processes\n", peers.describe());
  for (const std::string& note : peers.notes()) fmt::print("{}\n", note);
  fmt::print(
      "\nMicroseconds from q, v and tau on, sines and cosines included; the best of many "
      "batches\n\n");
  print_table(records, peers);
  if (model.name == "hrp2") print_asked(records);
}

}  // namespace stance::bench
