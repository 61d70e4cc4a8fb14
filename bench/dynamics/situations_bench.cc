#include "dynamics/situations_bench.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "stance/cli/terminal.h"

#include "dynamics/method_times.h"
#include "dynamics/situations.h"
#include "plot.h"

namespace stance::bench {
namespace {

using dynamics::kDelassusMethods;

double find_worst(const ByMethod<double>& values) {
  double worst = 0.0;
  for (const auto& value : values) worst = std::max(worst, value.value_or(0.0));
  return worst;
}

std::optional<double> find_time(const Record& record, DelassusMethod method) {
  if (method == kOurs) return record.ours_us;
  return record.find_peer(dynamics::delassus_method_name(method));
}

void print_table(const std::vector<SituationResult>& results, bool omega) {
  std::vector<std::vector<std::string>> rows = {{"situation", "bodies", "points"}};
  for (DelassusMethod method : kDelassusMethods)
    if (!omega || has_omega(method)) rows[0].push_back(dynamics::delassus_method_name(method));
  rows[0].insert(rows[0].end(), {"ours/best", "heap"});
  int first = 0;
  for (const SituationResult& result : results) {
    const Record& record = omega ? result.omega : result.lambda;
    rows.push_back({result.name, std::to_string(result.bodies), std::to_string(result.points)});
    for (DelassusMethod method : kDelassusMethods)
      if (!omega || has_omega(method)) rows.back().push_back(format_us(find_time(record, method)));
    const double ratio = record.calc_ratio().value();
    first += ratio < 1.0;
    rows.back().push_back(fmt::format("{:.2f}{}", ratio, ratio < 1.0 ? " " : "!"));
    rows.back().push_back(std::to_string(record.heap_calls));
  }
  fmt::print(
      "\n{} in {} contact situations, given the free pass, microseconds. Ours, skeleton, is the "
      "fastest\nin {}; ! marks where it is not. ours/best is beside the best of the others, heap "
      "its heap calls.\n\n{}",
      omega ? "Omega" : "Lambda", results.size(), first,
      cli::format_table(rows, 1, cli::find_style(stdout)));
}

}  // namespace

std::vector<SituationResult> measure_situations(const model::Model& model,
                                                const std::vector<double>& q, int repeats) {
  struct Entry {
    std::unique_ptr<Workload> work;
    MethodColumn omega, lambda;
  };
  Comparison comparison;
  std::vector<Entry> entries;
  std::vector<SituationResult> results;
  for (const Situation& situation : list_situations(model)) {
    auto work = std::make_unique<Workload>(model, make_motion(model, q), situation.points);
    work->update_free_pass();
    work->update_contacts();
    SituationResult& result = results.emplace_back();
    result.name = situation.name;
    result.bodies = work->contacts().num_bodies();
    result.points = work->contacts().num_points();
    result.disagreement = std::max(find_worst(calc_lambda_disagreement(*work)),
                                   find_worst(calc_omega_disagreement(*work)));
    const MethodColumn omega(MethodColumn::What::kOmega, *work, comparison);
    const MethodColumn lambda(MethodColumn::What::kLambda, *work, comparison);
    entries.push_back({std::move(work), omega, lambda});
  }
  comparison.measure({repeats, 100.0, "measuring 20 situations"});
  for (std::size_t k = 0; k < entries.size(); ++k) {
    results[k].omega = entries[k].omega.make_record(results[k].name + "/omega", comparison);
    results[k].lambda = entries[k].lambda.make_record(results[k].name + "/lambda", comparison);
  }
  return results;
}

void print_situations(const std::vector<SituationResult>& results) {
  if (results.empty()) return;
  print_table(results, false);
  print_table(results, true);
  double worst = 0.0, per_point = 1.0, chang_khatib = 1.0;
  for (const SituationResult& r : results) {
    worst = std::max(worst, r.disagreement);
    const double six = r.lambda.find_peer("six_per_body").value();
    per_point *= r.lambda.find_peer("per_point").value() / six;
    chang_khatib *= r.lambda.find_peer("chang_khatib").value() / six;
  }
  const double n = static_cast<double>(results.size());
  fmt::print(
      "\nLambda over that of six_per_body, the paper's method, geometric means over the {} "
      "situations:\nper_point {:.2f} (paper: 6.5), chang_khatib {:.2f} (paper: slightly above 1, "
      "below where two contacting\nbodies share a branch). Worst disagreement between methods, "
      "relative to the largest entry: {:.1e}\n",
      results.size(), std::pow(per_point, 1.0 / n), std::pow(chang_khatib, 1.0 / n), worst);
}

void append_json(const std::vector<SituationResult>& results, Json& list) {
  for (const SituationResult& result : results)
    for (Record record : {result.omega, result.lambda}) {
      record.name = "situation/" + record.name;
      record.extra = {{"bodies", result.bodies},
                      {"points", result.points},
                      {"disagreement", result.disagreement}};
      list.push_back(to_json(record));
    }
}

void plot_situations(const std::vector<SituationResult>& results, const std::string& file) {
  Figure figure{"Inverse inertia at the contacts: Lambda, given the free pass", "", "time (µs)"};
  for (const SituationResult& result : results) figure.x_names.push_back(result.name);
  for (DelassusMethod method : kDelassusMethods) {
    Curve& curve = figure.curves.emplace_back();
    curve.title = dynamics::delassus_method_name(method);
    for (std::size_t k = 0; k < results.size(); ++k)
      if (const auto us = find_time(results[k].lambda, method))
        curve.points.emplace_back(static_cast<double>(k), *us);
  }
  draw_plot(figure, file);
}

}  // namespace stance::bench
