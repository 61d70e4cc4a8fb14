// `stance bench contact`: whole steps of scenes in contact, beside MuJoCo and Bullet.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "stance/cli/terminal.h"
#include "stance/kernel/error.h"
#include "stance/kernel/names.h"

#include "contact/contact_lines.h"
#include "contact/own_engine.h"
#include "contact/peer_engine.h"
#include "contact/point_problems.h"
#include "contact/race.h"
#include "heap_counter.h"
#include "machine.h"
#include "options.h"
#include "plot.h"
#include "record.h"

namespace stance::bench {
namespace {

constexpr int kRestRepeats = 60, kRunRepeats = 3;
constexpr int kSettledWarm = 100, kSettledSteps = 500;
constexpr double kMostPointUs = 35.0, kGoalPointUs = 20.0;
constexpr const char* kPointLine = "points-8";
constexpr const char* kPeers[] = {"mujoco", "bullet"};
constexpr const char* kTitles[] = {"MuJoCo", "Bullet"};

// One line of the table: ours at one tolerance, and each peer at its best set-up.
struct Row {
  std::string name, about;
  Asked asked;
  Result ours;
  OwnEngine::Record record;
  long long heap_calls = 0;
  std::vector<Result> peers;

  const Result* find_peer(std::string_view wanted) const {
    for (const Result& peer : peers)
      if (peer.name == wanted) return &peer;
    return nullptr;
  }
  const Result* find_best() const {
    const Result* best = nullptr;
    for (const Result& peer : peers)
      if (!best || peer.us < best->us) best = &peer;
    return best;
  }
  // Who we are held against: the one asked for, else the best.
  const Result* find_rival() const {
    const std::string_view against = asked.against;
    return against == "best" || against.empty() ? find_best() : find_peer(against);
  }
  std::optional<double> calc_ratio(const Result* peer) const {
    return peer ? std::optional(ours.us / peer->us) : std::nullopt;
  }
};

std::vector<std::optional<Result>> race(const ContactLine& line, const sim::World& world,
                                        const std::vector<Engine*>& engines, int repeats) {
  if (line.kind == ContactLine::Kind::kRest)
    return race_at_rest(world, engines, {line.steps, repeats ? repeats : kRestRepeats, line.name});
  RunOptions options;
  options.repeats = repeats ? repeats : kRunRepeats;
  options.label = line.name;
  if (line.kind == ContactLine::Kind::kSettled) {
    options.warm = kSettledWarm;
    options.steps = kSettledSteps;
    options.has_creep = true;
  } else {
    options.steps = line.steps;
  }
  return race_through(world, engines, options);
}

// A heap that we have let come to rest is where everybody starts.
void settle(const ContactLine& line, OwnEngine& ours, const std::vector<Engine*>& engines) {
  (void)ours.restart();
  (void)ours.run(0, line.steps);
  const std::vector<double> q = ours.state().value(), v = ours.velocities();
  for (Engine* engine : engines) (void)engine->set_start(q, v);
}

std::vector<Row> measure_line(const ContactLine& line, const Options& options,
                              std::vector<std::string>& notes) {
  const BenchScene scene = line.make();
  std::vector<std::unique_ptr<OwnEngine>> own;
  std::vector<std::unique_ptr<Engine>> peers;
  for (const Asked& asked : line.asked)
    own.push_back(std::make_unique<OwnEngine>(scene, asked.tolerance));
  if (options.peers) peers = start_peers(scene, line.with_bullet, notes);
  std::vector<Engine*> engines;
  for (const auto& engine : own) engines.push_back(engine.get());
  for (const auto& engine : peers) engines.push_back(engine.get());
  if (line.kind == ContactLine::Kind::kSettled) settle(line, *own[0], engines);
  const auto results = race(line, scene.scene.world, engines, options.repeats);

  std::vector<Row> rows;
  for (std::size_t k = 0; k < own.size(); ++k) {
    Row& row = rows.emplace_back();
    row.name = line.name, row.about = line.about, row.asked = line.asked[k];
    row.ours = results[k].value();
    row.record = own[k]->record();
    row.heap_calls = count_heap_calls([&] { own[k]->step(); });
    for (std::size_t j = own.size(); j < engines.size(); ++j) {
      if (!results[j]) {
        if (!engines[j]->error().empty())
          notes.push_back(fmt::format("{} ({}) fell out on {}: {}", engines[j]->name(),
                                      engines[j]->setup(), line.name, engines[j]->error()));
        continue;
      }
      const auto same = std::find_if(row.peers.begin(), row.peers.end(), [&](const Result& peer) {
        return peer.name == results[j]->name;
      });
      if (same == row.peers.end())
        row.peers.push_back(*results[j]);
      else if (results[j]->us < same->us)
        *same = *results[j];
    }
  }
  return rows;
}

// ---------------------------------------------------------------------------------------------

std::string format_small(const std::optional<double>& value) {
  return value ? fmt::format("{:.0e}", *value) : "-";
}

std::string format_verdict(bool is_met) { return is_met ? "met" : "missed"; }

std::string find_title(const Result* peer) {
  for (std::size_t k = 0; k < std::size(kPeers); ++k)
    if (peer && peer->name == kPeers[k]) return kTitles[k];
  return "-";
}

double calc_sweeps(const Row& row) {
  return static_cast<double>(row.record.sweeps) /
         static_cast<double>(std::max(1L, row.record.steps));
}

void print_times(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> table = {{"scene", "points", "groups", "to", "ours",
                                                  "MuJoCo", "Bullet", "ours over", "", "asked", "",
                                                  "sweeps", "heap calls"}};
  for (const Row& row : rows) {
    std::vector<std::string>& cells = table.emplace_back();
    cells = {row.name, std::to_string(row.ours.contacts), std::to_string(row.record.groups),
             fmt::format("{:.0e}", row.asked.tolerance), format_us(row.ours.us)};
    for (const char* name : kPeers) {
      const Result* peer = row.find_peer(name);
      cells.push_back(peer ? format_us(peer->us) : "-");
    }
    const auto ratio = row.calc_ratio(row.find_rival());
    const bool is_asked = row.asked.ratio > 0.0;
    cells.push_back(find_title(row.find_rival()));
    cells.push_back(format_ratio(ratio));
    cells.push_back(is_asked ? fmt::format("{:.2f}", row.asked.ratio) : "-");
    cells.push_back(is_asked && ratio ? format_verdict(*ratio <= row.asked.ratio) : "");
    cells.push_back(fmt::format("{:.1f}", calc_sweeps(row)));
    cells.push_back(std::to_string(row.heap_calls));
  }
  fmt::print("{}", cli::format_table(table, 1, cli::find_style(stdout)));
}

void print_quality(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> table = {{"scene", "residual", "not converged",
                                                  "penetration", "MuJoCo", "Bullet", "creep",
                                                  "MuJoCo", "Bullet", "set-ups"}};
  for (const Row& row : rows) {
    std::vector<std::string>& cells = table.emplace_back();
    cells = {row.name, format_small(row.record.residual),
             fmt::format("{} of {}", row.record.unconverged, row.record.steps)};
    cells.push_back(format_small(row.ours.penetration));
    for (const char* name : kPeers) {
      const Result* peer = row.find_peer(name);
      cells.push_back(peer ? format_small(peer->penetration) : "-");
    }
    cells.push_back(format_small(row.ours.creep));
    std::string setups;
    for (const char* name : kPeers) {
      const Result* peer = row.find_peer(name);
      cells.push_back(peer ? format_small(peer->creep) : "-");
      if (peer) setups += (setups.empty() ? "" : ", ") + peer->setup;
    }
    cells.push_back(setups);
  }
  fmt::print("{}", cli::format_table(table, 1, cli::find_style(stdout)));
}

void print_real_time(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    if (row.asked.ratio == 0.0)
      fmt::print(
          "\n{}: {} contact points at {:g}, warm-started: {:.2f} times real time at 1 ms ({})\n",
          row.about, row.ours.contacts, row.asked.tolerance, 1e6 * kStep / row.ours.us,
          format_verdict(row.ours.us <= 1e6 * kStep));
}

void print_points(const PointProblemResult& r) {
  fmt::print(
      "\nContact problem of the standing humanoid, {} points, from zero to {:g}, mean of {} random "
      "ones\n({:.0f} % of the points stick, {:.0f} % slide, {:.0f} % open; {:.1f} sweeps, residual "
      "{:.0e} at worst, {} not converged):\n  ours {} us, asked {:g} ({}), goal {:g} ({})",
      r.points, r.tolerance, r.problems, 100 * r.sticking, 100 * r.sliding, 100 * r.open, r.sweeps,
      r.residual, r.unconverged, format_us(r.us), kMostPointUs,
      format_verdict(r.us <= kMostPointUs), kGoalPointUs, format_verdict(r.us <= kGoalPointUs));
  if (r.siconos_us)
    fmt::print("; the best of Siconos' solvers {} us (mean of {})", format_us(*r.siconos_us),
               r.siconos_problems);
  fmt::print("\n");
}

Json to_json(const Result& result) {
  const auto number = [](const std::optional<double>& x) { return x ? Json(*x) : Json(); };
  return {{"us", result.us},
          {"contacts", result.contacts},
          {"penetration_m", number(result.penetration)},
          {"creep_m_per_s", number(result.creep)},
          {"setup", result.setup}};
}

Json to_json(const Row& row) {
  const auto number = [](const std::optional<double>& x) { return x ? Json(*x) : Json(); };
  Json json = {{"name", row.name},
               {"about", row.about},
               {"tolerance", row.asked.tolerance},
               {"contacts", row.ours.contacts},
               {"groups", row.record.groups},
               {"ours_us", row.ours.us},
               {"peers", Json::object()},
               {"ratio_to_best", number(row.calc_ratio(row.find_best()))},
               {"asked_ratio", row.asked.ratio > 0.0 ? Json(row.asked.ratio) : Json()},
               {"asked_against", row.asked.against},
               {"ratio_to_asked", number(row.calc_ratio(row.find_rival()))},
               {"real_time_factor", 1e6 * kStep / row.ours.us},
               {"residual", row.record.residual},
               {"steps", row.record.steps},
               {"unconverged", row.record.unconverged},
               {"sweeps", calc_sweeps(row)},
               {"penetration_m", number(row.ours.penetration)},
               {"creep_m_per_s", number(row.ours.creep)},
               {"heap_calls", row.heap_calls},
               {"peer_details", Json::object()}};
  for (const Result& peer : row.peers) {
    json["peers"][peer.name] = peer.us;
    json["peer_details"][peer.name] = to_json(peer);
  }
  return json;
}

Json to_json(const PointProblemResult& r) {
  return {{"name", kPointLine},
          {"tolerance", r.tolerance},
          {"contacts", r.points},
          {"ours_us", r.us},
          {"peers", r.siconos_us ? Json{{"siconos", *r.siconos_us}} : Json::object()},
          {"asked_us", kMostPointUs},
          {"goal_us", kGoalPointUs},
          {"problems", r.problems},
          {"sticking", r.sticking},
          {"sliding", r.sliding},
          {"open", r.open},
          {"sweeps", r.sweeps},
          {"residual", r.residual},
          {"unconverged", r.unconverged}};
}

void plot_rows(const std::vector<Row>& rows, const std::string& file) {
  Figure figure{"A step of 1 ms on one core", "scene, residual of ours", "time (µs)"};
  Curve mujoco{"MuJoCo", {}}, bullet{"Bullet, 10 sweeps", {}}, ours{"ours", {}};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double x = static_cast<double>(k);
    figure.x_names.push_back(fmt::format("{}, {:.0e}", rows[k].name, rows[k].asked.tolerance));
    if (const Result* peer = rows[k].find_peer("mujoco")) mujoco.points.emplace_back(x, peer->us);
    if (const Result* peer = rows[k].find_peer("bullet")) bullet.points.emplace_back(x, peer->us);
    ours.points.emplace_back(x, rows[k].ours.us);
  }
  for (Curve* curve : {&mujoco, &bullet, &ours})
    if (!curve->points.empty()) figure.curves.push_back(*curve);
  draw_plot(figure, file);
}

// Throws for a name that there is not.
bool is_wanted(std::string_view name, const std::vector<std::string>& scenes) {
  return scenes.empty() || std::find(scenes.begin(), scenes.end(), name) != scenes.end();
}
void check_names(const std::vector<std::string>& scenes) {
  std::vector<std::string_view> names = {kPointLine};
  for (const ContactLine& line : contact_lines()) names.push_back(line.name);
  for (const std::string& scene : scenes)
    if (std::find(names.begin(), names.end(), scene) == names.end()) {
      const std::string_view nearest = kernel::find_nearest_name(scene, names);
      throw Error(fmt::format("there is no scene '{}'{}; there are {}", scene,
                              nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest),
                              fmt::join(names, ", ")));
    }
}

}  // namespace

void run_contact(const Options& options) {
  check_names(options.scenes);
  if (!options.plot.empty()) check_plot(options.plot);
  std::vector<Row> rows;
  std::vector<std::string> notes;
  for (const ContactLine& line : contact_lines()) {
    if (!is_wanted(line.name, options.scenes)) continue;
    for (Row& row : measure_line(line, options, notes)) rows.push_back(std::move(row));
  }
  std::optional<PointProblemResult> points;
  if (is_wanted(kPointLine, options.scenes)) points = measure_point_problems(options);

  if (options.json) {
    for (const std::string& note : notes) fmt::print(stderr, "{}\n", note);
    Json list = Json::array();
    for (const Row& row : rows) list.push_back(to_json(row));
    if (points) list.push_back(to_json(*points));
    fmt::print("{}\n", list.dump(2));
  } else {
    fmt::print("{}\n", describe_machine());
    for (const std::string& note : notes) fmt::print("{}\n", note);
    if (!rows.empty()) {
      fmt::print(
          "\nMicroseconds of a step of 1 ms on one core, nobody asleep; at rest the best of many "
          "batches, piles\nthe mean of the whole run. Bullet does 10 sweeps and stops.\n\n");
      print_times(rows);
      fmt::print(
          "\nOur worst residual and steps that did not reach it; penetration (m) and creep of what "
          "rests (m/s),\nof ours and of the peers' states by our own collision code\n\n");
      print_quality(rows);
      print_real_time(rows);
    }
    if (points) print_points(*points);
  }
  if (!options.plot.empty() && !rows.empty()) plot_rows(rows, options.plot);
}

}  // namespace stance::bench
