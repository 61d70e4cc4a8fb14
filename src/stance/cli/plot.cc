// `stance plot`: figures of recordings.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stance/cli/app.h"
#include "stance/cli/arguments.h"
#include "stance/cli/commands.h"
#include "stance/cli/gnuplot.h"
#include "stance/cli/recording_file.h"
#include "stance/cli/terminal.h"
#include "stance/cli/time_figure.h"
#include "stance/io/scene.h"
#include "stance/kernel/names.h"
#include "stance/run/channel_choice.h"

namespace stance::cli {
namespace {

struct Options {
  std::string file, compare, out, title;
  std::vector<std::string> channels;
  std::optional<double> from, to;
};

constexpr std::size_t kMostCurves = 60;  // in a panel
constexpr double kMostTime = 1e9;        // s
constexpr std::size_t kStretches = 1500;

// A channel and those of its columns that are drawn.
struct Choice {
  std::size_t channel = 0;
  std::vector<std::size_t> columns;
};

// ---- what is meant ----------------------------------------------------------------------------

std::vector<std::string> list_names(const io::Recording& recording) {
  std::vector<std::string> names;
  for (const sim::Channel& channel : recording.header().channels) names.push_back(channel.name);
  return names;
}

// Channels by name or pattern; a name without its robot means that of every robot.
std::vector<std::size_t> find_channels(const io::Recording& recording, const std::string& pattern) {
  const std::vector<std::string> names = list_names(recording);
  std::vector<std::size_t> found;
  for (const std::string& tried : {pattern, "*/" + pattern}) {
    for (std::size_t k = 0; k < names.size(); ++k)
      if (kernel::matches(tried, names[k])) found.push_back(k);
    if (!found.empty()) break;
  }
  return found;
}

// NAME or NAME:COLUMN, either with *.
std::vector<Choice> find_choices(const io::Recording& recording, const std::string& word) {
  std::string name = word, column = "*";
  std::vector<std::size_t> channels = find_channels(recording, name);
  if (const std::size_t colon = word.rfind(':'); channels.empty() && colon != std::string::npos) {
    name = word.substr(0, colon), column = word.substr(colon + 1);
    channels = find_channels(recording, name);
  }
  if (channels.empty())
    throw Error({recording.file()}, fmt::format("there is no channel '{}'{}", name,
                                                run::suggest_channel(name, list_names(recording))));
  std::vector<Choice> out;
  std::vector<std::string> known;
  for (const std::size_t k : channels) {
    const std::vector<std::string>& columns = recording.header().channels[k].columns;
    Choice choice{k, {}};
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (kernel::matches(column, columns[c])) choice.columns.push_back(c);
    if (!choice.columns.empty()) out.push_back(std::move(choice));
    known.insert(known.end(), columns.begin(), columns.end());
  }
  if (out.empty())
    throw Error({recording.file()}, fmt::format("'{}' has no column '{}'{}", name, column,
                                                run::suggest_channel(column, known)));
  return out;
}

std::vector<Choice> find_all_choices(const io::Recording& recording,
                                     const std::vector<std::string>& words) {
  std::vector<Choice> all;
  for (const std::string& word : words)
    for (const Choice& choice : find_choices(recording, word)) {
      const auto same = std::find_if(all.begin(), all.end(), [&](const Choice& other) {
        return other.channel == choice.channel;
      });
      if (same == all.end()) {
        all.push_back(choice);
        continue;
      }
      for (const std::size_t c : choice.columns)
        if (std::find(same->columns.begin(), same->columns.end(), c) == same->columns.end())
          same->columns.push_back(c);
    }
  return all;
}

// ---- the figure -------------------------------------------------------------------------------

// What a unit measures, where a panel holds several channels.
std::string name_quantity(const std::string& unit) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"m", "length"},         {"rad", "angle"}, {"m/s", "velocity"},
      {"rad/s", "spin"},       {"N", "force"},   {"N m", "torque"},
      {"N s", "impulse"},      {"J", "energy"},  {"N m s", "ang. impulse"},
      {"m/s²", "acceleration"}};
  for (const auto& [known, name] : kNames)
    if (unit == known) return name;
  return "value";
}

std::string label_axis(const std::string& name, const std::string& unit) {
  return unit == "1" ? name : fmt::format("{} [{}]", name, unit);
}

TimeCurve make_curve(const io::Recording& recording, const std::vector<double>& values,
                     const Choice& choice, std::size_t column, const Options& options) {
  const io::RecordingHeader& header = recording.header();
  const sim::Channel& channel = header.channels[choice.channel];
  const std::size_t width = channel.columns.size();
  // what belongs to the start of the step is drawn there
  const double shift = channel.when == sim::When::kStart ? header.step : 0.0;
  TimeCurve curve;
  for (std::size_t r = 0; r < recording.rows(); ++r) {
    const double time = recording.time()[r] - shift;
    if ((options.from && time < *options.from) || (options.to && time > *options.to)) continue;
    curve.time.push_back(time), curve.value.push_back(values[r * width + column]);
  }
  thin_out(curve, kStretches);
  return curve;
}

struct Drawing {
  const io::Recording& recording;
  const io::Recording* other;  // to compare with, or null
  const Options& options;
};

// The curves of one channel, in the panel of its unit.
void add_channel(const Drawing& drawing, const Choice& choice, bool is_alone, TimePanel& panel) {
  const sim::Channel& channel = drawing.recording.header().channels[choice.channel];
  const std::vector<double> values = drawing.recording.read(choice.channel);
  std::optional<Choice> twin;  // of the other recording
  std::vector<double> twin_values;
  if (drawing.other) {
    const std::vector<sim::Channel>& others = drawing.other->header().channels;
    for (std::size_t k = 0; k < others.size(); ++k)
      if (others[k].name == channel.name) twin = Choice{k, {}};
    if (!twin)
      throw Error({drawing.other->file()},
                  fmt::format("there is no channel '{}' to compare with{}", channel.name,
                              run::suggest_channel(channel.name, list_names(*drawing.other))));
    twin_values = drawing.other->read(twin->channel);
  }
  int colour = panel.curves.empty() ? 0 : 1 + panel.curves.back().colour;
  for (const std::size_t column : choice.columns) {
    const std::string& name = channel.columns[column];
    TimeCurve curve = make_curve(drawing.recording, values, choice, column, drawing.options);
    curve.title = channel.columns.size() == 1 ? channel.name
                  : is_alone                  ? name
                                              : fmt::format("{}:{}", channel.name, name);
    curve.colour = colour++;
    panel.curves.push_back(std::move(curve));
    if (!twin) continue;
    const std::vector<std::string>& columns =
        drawing.other->header().channels[twin->channel].columns;
    const auto it = std::find(columns.begin(), columns.end(), name);
    if (it == columns.end())
      throw Error({drawing.other->file()},
                  fmt::format("'{}' has no column '{}' to compare with", channel.name, name));
    TimeCurve dashed = make_curve(*drawing.other, twin_values, *twin,
                                  static_cast<std::size_t>(it - columns.begin()), drawing.options);
    dashed.colour = panel.curves.back().colour, dashed.is_dashed = true;
    panel.curves.push_back(std::move(dashed));
  }
}

TimeFigure make_figure(const Drawing& drawing, const std::vector<Choice>& choices) {
  TimeFigure figure;
  const std::vector<sim::Channel>& channels = drawing.recording.header().channels;
  std::vector<std::string> units;
  for (const Choice& choice : choices) {
    const std::string& unit = channels[choice.channel].unit;
    if (std::find(units.begin(), units.end(), unit) == units.end()) units.push_back(unit);
  }
  for (const std::string& unit : units) {
    std::vector<Choice> here;
    for (const Choice& choice : choices)
      if (channels[choice.channel].unit == unit) here.push_back(choice);
    const bool is_alone = here.size() == 1;
    TimePanel panel;
    for (const Choice& choice : here) add_channel(drawing, choice, is_alone, panel);
    const std::string& name = channels[here[0].channel].name;
    if (is_alone && channels[here[0].channel].columns.size() > 1) panel.heading = name;
    panel.label =
        label_axis(is_alone ? name.substr(name.rfind('/') + 1) : name_quantity(unit), unit);
    if (panel.curves.size() > kMostCurves)
      throw Error(
          fmt::format("{} curves do not fit into one panel; choose columns: --channel "
                      "NAME:COLUMN",
                      panel.curves.size()));
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

void set_range(const Drawing& drawing, TimeFigure& figure) {
  double first = 1e300, last = -1e300;
  for (const TimePanel& panel : figure.panels)
    for (const TimeCurve& curve : panel.curves)
      if (!curve.time.empty())
        first = std::min(first, curve.time.front()), last = std::max(last, curve.time.back());
  const std::vector<double>& time = drawing.recording.time();
  if (!(first <= last))
    throw Error({drawing.recording.file()},
                time.empty() ? std::string("the recording has no rows")
                             : fmt::format("nothing was recorded in that time; it goes from {:g} s "
                                           "to {:g} s",
                                           time.front(), time.back()));
  // from the start of the first step to the end of the last
  const double start = time.front() - drawing.recording.header().step;
  figure.from = drawing.options.from.value_or(std::min(first, start));
  figure.to = drawing.options.to.value_or(std::max(last, time.back()));
  if (!(figure.to > figure.from)) figure.to = figure.from + drawing.recording.header().step;
}

// ---- the command ------------------------------------------------------------------------------

int run_plot(const Options& options) {
  const std::string ending = std::filesystem::path(options.out).extension().string();
  if (ending != ".svg" && ending != ".png")
    throw CLI::ValidationError("-o", fmt::format("'{}' must end with .svg or .png", options.out));
  if (options.from && options.to && !(*options.from < *options.to))
    throw CLI::ValidationError("--to", "it must be later than --from");
  const io::Recording recording = open_recording(options.file);
  std::unique_ptr<io::Recording> other;
  if (!options.compare.empty()) {
    tell_orphan(options.compare, io::OrphanPlace::kItsName);
    other = std::make_unique<io::Recording>(options.compare);
  }
  const Drawing drawing{recording, other.get(), options};
  TimeFigure figure = make_figure(drawing, find_all_choices(recording, options.channels));
  set_range(drawing, figure);
  const io::RecordingHeader& header = recording.header();
  figure.title = !options.title.empty() ? options.title : header.scene;
  if (other) figure.recordings = {recording.file(), other->file()};
  check_gnuplot("stance plot", options.out);
  run_gnuplot("stance plot", write_time_figure(figure, options.out));
  return kExitOk;
}

}  // namespace

void add_plot(CLI::App& app, int& status) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("plot", "Draw channels of a recording");
  command->add_option("FILE", options->file, "A recording (.h5)")->required()->type_name("");
  command
      ->add_option("--channel", options->channels,
                   "What to draw: a channel, or some of its columns; * stands for any letters")
      ->required()
      ->expected(1, 1000)
      ->type_name("NAME[:COLUMN]");
  command->add_option("-o,--output", options->out, "The picture")
      ->required()
      ->type_name("FIG.svg|png");
  command->add_option("--from", options->from, "First time to show")
      ->check(number_in(-kMostTime, kMostTime))
      ->type_name("S");
  command->add_option("--to", options->to, "Last time to show")
      ->check(number_in(-kMostTime, kMostTime))
      ->type_name("S");
  command->add_option("--compare", options->compare, "Another recording, drawn dashed")
      ->check(not_empty())
      ->type_name("FILE");
  command->add_option("--title", options->title, "Title; default: the name of the scene")
      ->type_name("TEXT");
  command->footer(
      "\nChannels of one unit share a panel. `stance info FILE` lists the channels;\n"
      "a name without its robot means that of every robot: com is humanoid/com.\n\n"
      "Examples:\n"
      "  stance plot stand.h5 --channel com -o com.svg\n"
      "  stance plot stand.h5 --channel 'contact_force:*_foot.z' com_velocity -o feet.png\n"
      "  stance plot exact.h5 --compare penalty.h5 --channel brick/position:x --to 0.5 -o x.svg\n");
  command->callback([options, &status] { status = run_plot(*options); });
}

}  // namespace stance::cli
