// `stance bench order`: errors of motions with a known answer, and how they fall with the step.

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stance/cli/terminal.h"

#include "options.h"
#include "progress.h"
#include "record.h"
#include "sim/closed_forms.h"

namespace stance::bench {
namespace {

constexpr double kSteps[] = {2e-3, 1e-3, 5e-4, 2.5e-4};  // s
// Below it an error is rounding and the solver's tolerance, and has no order.
constexpr double kExact = 1e-8;

struct Result {
  const ClosedForm* form;
  const char* integrator;
  std::vector<double> errors{};  // by step
  bool is_exact = true;
  double order = 0.0;  // p of errors ~ h^p, from the first step to the last
};

std::vector<Result> measure_orders() {
  std::vector<Result> out;
  std::vector<const ClosedForm*> forms;
  for (const auto list : {closed_forms(), smooth_forms()})
    for (const ClosedForm& form : list) forms.push_back(&form);
  Progress progress("halving the step", static_cast<long>(forms.size()));
  for (const ClosedForm* form : forms) {
    for (const auto integrator : {sim::Integrator::kEuler, sim::Integrator::kMidpoint}) {
      const bool is_euler = integrator == sim::Integrator::kEuler;
      Result& result = out.emplace_back(Result{form, is_euler ? "euler" : "midpoint"});
      for (const double h : kSteps) {
        result.errors.push_back(form->calc_error({h, integrator}));
        result.is_exact = result.is_exact && result.errors.back() < kExact;
      }
      result.order = std::log(result.errors.front() / result.errors.back()) /
                     std::log(kSteps[0] / kSteps[std::size(kSteps) - 1]);
    }
    progress.advance();
  }
  return out;
}

void print_orders(const std::vector<Result>& results) {
  fmt::print(
      "Errors of motions with a known answer at steps of h; order p of error ~ h^p, \"exact\" "
      "below {:g}\n\n",
      kExact);
  std::vector<std::vector<std::string>> rows = {
      {"motion", "quantity", "unit", "known as", "integrator"}};
  for (const double h : kSteps) rows[0].push_back(fmt::format("{:g} ms", 1e3 * h));
  rows[0].push_back("order");
  for (const Result& result : results) {
    rows.push_back({result.form->name, result.form->quantity, result.form->unit,
                    result.form->formula, result.integrator});
    for (const double error : result.errors) rows.back().push_back(fmt::format("{:.1e}", error));
    rows.back().push_back(result.is_exact ? "exact" : fmt::format("{:.2f}", result.order));
  }
  fmt::print("{}", cli::format_table(rows, 5, cli::find_style(stdout)));
}

Json to_json(const std::vector<Result>& results) {
  Json list = Json::array();
  for (const Result& result : results) {
    list.push_back({{"name", result.form->name},
                    {"quantity", result.form->quantity},
                    {"unit", result.form->unit},
                    {"integrator", result.integrator},
                    {"steps", kSteps},
                    {"errors", result.errors},
                    {"exact", result.is_exact}});
    list.back()["order"] = result.is_exact ? Json() : Json(result.order);
  }
  return list;
}

}  // namespace

void run_order(const Options& options) {
  const std::vector<Result> results = measure_orders();
  if (options.json)
    fmt::print("{}\n", to_json(results).dump(2));
  else
    print_orders(results);
}

}  // namespace stance::bench
