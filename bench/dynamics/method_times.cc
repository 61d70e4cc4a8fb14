#include "dynamics/method_times.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace stance::bench {
namespace {

using What = MethodColumn::What;
using dynamics::kDelassusMethods;

std::function<void()> make_call(What what, Workload& work, DelassusMethod method) {
  switch (what) {
    case What::kOmega: return [&work, method] { work.update_omega(method); };
    case What::kLambda: return [&work, method] { work.update_lambda(method); };
    case What::kOmegaFromQ: return [&work, method] { work.run_omega(method); };
    case What::kLambdaFromQ: return [&work, method] { work.run_lambda(method); };
  }
  return {};
}

double calc_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0.0, largest = 1e-300;
  for (std::size_t k = 0; k < a.size(); ++k) {
    worst = std::max(worst, std::abs(a[k] - b[k]));
    largest = std::max(largest, std::abs(a[k]));
  }
  return worst / largest;
}

std::vector<double> calc_lambda(Workload& work, DelassusMethod method) {
  work.update_lambda(method);
  const auto lambda = work.delassus().lambda();
  return {lambda.begin(), lambda.end()};
}

std::vector<double> calc_omega(Workload& work, DelassusMethod method) {
  work.update_omega(method);
  std::vector<double> entries;
  for (int j = 0; j < work.contacts().num_bodies(); ++j)
    for (int i = 0; i <= j; ++i)
      if (const auto* block = work.delassus().omega(work.contacts(), i, j))
        for (int k = 0; k < 36; ++k) entries.push_back((*block)(k % 6, k / 6));
  return entries;
}

}  // namespace

MethodColumn::MethodColumn(What what, Workload& work, Comparison& comparison) {
  const bool omega = what == What::kOmega || what == What::kOmegaFromQ;
  for (DelassusMethod method : kDelassusMethods) {
    if (omega && !has_omega(method)) continue;
    const std::function<void()> call = make_call(what, work, method);
    if (method == kOurs) heap_calls_ = count_heap_per_run(call);
    at(subjects_, method) = comparison.add(delassus_method_name(method), call);
  }
}

ByMethod<double> MethodColumn::times(const Comparison& comparison) const {
  ByMethod<double> times;
  for (DelassusMethod method : kDelassusMethods)
    if (const auto& subject = at(subjects_, method))
      at(times, method) = comparison.best_us(*subject);
  return times;
}

Record MethodColumn::make_record(const std::string& name, const Comparison& comparison) const {
  const ByMethod<double> us = times(comparison);
  Record record{name, at(us, kOurs).value(), {}, heap_calls_};
  for (DelassusMethod method : kDelassusMethods)
    if (method != kOurs && at(us, method))
      record.peers.emplace_back(delassus_method_name(method), *at(us, method));
  return record;
}

ByMethod<double> calc_lambda_disagreement(Workload& work) {
  const std::vector<double> direct = calc_lambda(work, DelassusMethod::kDirect);
  ByMethod<double> worst;
  for (DelassusMethod method : kDelassusMethods)
    at(worst, method) = calc_difference(direct, calc_lambda(work, method));
  return worst;
}

ByMethod<double> calc_omega_disagreement(Workload& work) {
  const std::vector<double> ours = calc_omega(work, kOurs);
  ByMethod<double> worst;
  for (DelassusMethod method : kDelassusMethods)
    if (has_omega(method)) at(worst, method) = calc_difference(ours, calc_omega(work, method));
  return worst;
}

}  // namespace stance::bench
