// The header and the summary of a recording, as JSON.

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stance/io/recording.h"
#include "stance/kernel/checksum.h"
#include "stance/kernel/error.h"

namespace stance::io {
namespace {

using Json = nlohmann::ordered_json;

constexpr sim::When kWhens[] = {sim::When::kEnd, sim::When::kStart, sim::When::kOver};

// NAME=VALUE, as on a command line.
Json write_values(const scene::Settings::Values& values) {
  Json out = Json::array();
  for (const auto& [name, value] : values) out.push_back(name + "=" + value);
  return out;
}

scene::Settings::Values read_values(const Json& in) {
  scene::Settings::Values out;
  for (const Json& entry : in) {
    const std::string text = entry.get<std::string>();
    const std::size_t equals = text.find('=');
    out.emplace_back(text.substr(0, equals),
                     equals == std::string::npos ? "" : text.substr(equals + 1));
  }
  return out;
}

Json write_settings(const RecordingHeader& header) {
  const scene::Settings& settings = header.settings;
  Json out;
  out["file"] = settings.file;
  out["is_robot"] = header.texts.empty();
  out["set"] = write_values(settings.set);
  out["joints"] = write_values(settings.joints);
  out["law"] = settings.law;
  out["seed"] = settings.seed ? Json(*settings.seed) : Json();
  out["duration"] = settings.duration ? Json(*settings.duration) : Json();
  out["threads"] = settings.threads;
  if (header.is_live) out["live"] = true;
  out["package_paths"] = settings.package_paths;
  out["start_sha256"] = header.start_sha256;
  return out;
}

void read_settings(const Json& in, RecordingHeader& header) {
  scene::Settings& out = header.settings;
  in.at("file").get_to(out.file);
  out.set = read_values(in.at("set"));
  out.joints = read_values(in.at("joints"));
  in.at("law").get_to(out.law);
  if (!in.at("seed").is_null()) out.seed = in.at("seed").get<std::uint64_t>();
  if (!in.at("duration").is_null()) out.duration = in.at("duration").get<double>();
  in.at("threads").get_to(out.threads);
  in.at("package_paths").get_to(out.package_paths);
  header.is_live = in.value("live", false);
  in.at("start_sha256").get_to(header.start_sha256);
}

// Paths of other encodings are shown as well as they can be.
std::string dump(const Json& json) {
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

const char* when_name(sim::When when) {
  switch (when) {
    case sim::When::kEnd: return "end";
    case sim::When::kStart: return "start";
    case sim::When::kOver: return "over";
  }
  return "";
}

std::string find_feature_level() {
#if defined(__AVX512F__)
  return "x86-64 with AVX-512";
#elif defined(__AVX2__) && defined(__FMA__)
  return "x86-64 with AVX2 and FMA";
#elif defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "other";
#endif
}

std::size_t RecordingHeader::width() const {
  std::size_t width = 0;
  for (const sim::Channel& channel : channels) width += channel.columns.size();
  return width;
}

std::string RecordingHeader::calc_input_hash() const {
  Json all;
  for (const SceneTexts::File& file : texts) all["texts"].push_back(kernel::calc_sha256(file.text));
  for (const scene::FileSpec& file : files) all["files"].push_back(file.sha256);
  all["settings"] = write_settings(*this);
  return kernel::calc_sha256(dump(all));
}

std::string write_header(const RecordingHeader& header) {
  Json out;
  out["recording_version"] = kRecordingVersion;
  out["program"] = header.program;
  out["feature_level"] = header.feature_level;
  out["command"] = header.command;
  out["date"] = header.date;
  out["scene"] = header.scene;
  out["about"] = header.about;
  out["step"] = header.step;
  out["every"] = header.every;
  out["seed"] = header.seed;
  out["digest"] = header.digest;
  out["csv"] = header.csv;
  out["has_hdf5"] = header.has_hdf5;
  out["settings"] = write_settings(header);
  out["input_hash"] = header.calc_input_hash();
  out["texts"] = Json::array();
  for (const SceneTexts::File& file : header.texts)
    out["texts"].push_back(Json{{"path", file.path}, {"text", file.text}});
  out["files"] = Json::array();
  for (const scene::FileSpec& file : header.files)
    out["files"].push_back(Json{{"path", file.path}, {"sha256", file.sha256}});
  out["channels"] = Json::array();
  for (const sim::Channel& channel : header.channels)
    out["channels"].push_back(Json{{"name", channel.name},
                                   {"unit", channel.unit},
                                   {"when", when_name(channel.when)},
                                   {"columns", channel.columns}});
  return dump(out);
}

RecordingHeader parse_header(std::string_view json, const std::string& file) {
  try {
    const Json in = Json::parse(json);
    if (const int version = in.at("recording_version"); version != kRecordingVersion)
      throw Error({file}, fmt::format("this recording is of version {}, this program reads version "
                                      "{}",
                                      version, kRecordingVersion));
    RecordingHeader out;
    in.at("program").get_to(out.program);
    in.at("feature_level").get_to(out.feature_level);
    in.at("command").get_to(out.command);
    in.at("date").get_to(out.date);
    in.at("scene").get_to(out.scene);
    in.at("about").get_to(out.about);
    in.at("step").get_to(out.step);
    in.at("every").get_to(out.every);
    in.at("seed").get_to(out.seed);
    out.digest = in.value("digest", "");
    in.at("csv").get_to(out.csv);
    in.at("has_hdf5").get_to(out.has_hdf5);
    read_settings(in.at("settings"), out);
    for (const Json& text : in.at("texts")) out.texts.push_back({text.at("path"), text.at("text")});
    for (const Json& entry : in.at("files"))
      out.files.push_back({entry.at("path"), entry.at("sha256")});
    for (const Json& entry : in.at("channels")) {
      sim::Channel channel{entry.at("name"), entry.at("unit"), entry.at("columns")};
      for (const sim::When when : kWhens)
        if (entry.at("when") == when_name(when)) channel.when = when;
      out.channels.push_back(std::move(channel));
    }
    if (!(out.step > 0.0) || out.every < 1)
      throw Error({file}, "the header of the recording makes no sense");
    return out;
  } catch (const nlohmann::json::exception&) {
    throw Error({file}, "the header of the recording is damaged");
  }
}

void InputHash::add(const JournalNote& note) {
  value = kernel::calc_sha256(value + pack_note(note));
}

std::string write_summary(const RecordedSummary& summary) {
  const sim::RunSummary& run = summary.run;
  Json out;
  out["steps"] = run.steps;
  out["seconds"] = summary.simulated;
  out["unconverged"] = run.unconverged;
  out["unconverged_by"] = run.unconverged_by;
  out["contacts_dropped"] = run.contacts_dropped;
  out["contacts_missed"] = run.contacts_missed;
  out["worst_residual"] = run.worst_residual;
  out["worst_penetration"] = run.worst_penetration;
  out["worst_distance"] = run.worst_distance;
  out["worst_gap_velocity"] = run.worst_gap_velocity;
  out["worst_impulse_error"] = run.worst_impulse_error;
  out["worst_velocity_error"] = run.worst_velocity_error;
  out["energy_error"] = run.energy_error;
  out["most_slip"] = run.most_slip;
  out["slipping"] = run.slipping;
  out["has_fallen"] = run.has_fallen;
  out["is_lost"] = run.is_lost;
  out["inputs_sha256"] = summary.inputs_sha256;
  return dump(out);
}

namespace {

// A number that was lost is written as null; older recordings do not tell all.
double read_figure(const Json& in, const char* key) {
  const auto it = in.find(key);
  if (it == in.end()) return 0.0;
  return it->is_null() ? std::numeric_limits<double>::quiet_NaN() : it->get<double>();
}

}  // namespace

std::optional<RecordedSummary> parse_summary(std::string_view json) {
  try {
    const Json in = Json::parse(json);
    RecordedSummary out;
    in.at("steps").get_to(out.run.steps);
    in.at("seconds").get_to(out.simulated);
    in.at("unconverged").get_to(out.run.unconverged);
    // what older recordings do not tell counts as none
    out.run.unconverged_by = in.value("unconverged_by", out.run.unconverged_by);
    out.run.contacts_dropped = in.value("contacts_dropped", std::int64_t{0});
    out.run.contacts_missed = in.value("contacts_missed", std::int64_t{0});
    out.run.worst_distance = read_figure(in, "worst_distance");
    out.run.worst_gap_velocity = read_figure(in, "worst_gap_velocity");
    out.run.worst_impulse_error = read_figure(in, "worst_impulse_error");
    out.run.worst_velocity_error = read_figure(in, "worst_velocity_error");
    out.run.worst_residual = read_figure(in, "worst_residual");
    out.run.worst_penetration = read_figure(in, "worst_penetration");
    in.at("energy_error").get_to(out.run.energy_error);
    in.at("most_slip").get_to(out.run.most_slip);
    in.at("slipping").get_to(out.run.slipping);
    in.at("has_fallen").get_to(out.run.has_fallen);
    in.at("is_lost").get_to(out.run.is_lost);
    out.inputs_sha256 = in.value("inputs_sha256", "");
    return out;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace stance::io
