#include "stance/cli/recorder.h"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <CLI/CLI.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "stance/cli/arguments.h"
#include "stance/cli/recording_file.h"
#include "stance/cli/robot_options.h"
#include "stance/io/checksum.h"
#include "stance/io/input_json.h"
#include "stance/io/recording_finish.h"
#include "stance/io/scene_snapshot.h"

namespace stance::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRingBytes = std::size_t{8} << 20;
constexpr std::size_t kWriteBytes = std::size_t{1} << 20;  // that are worth a call of the system
constexpr auto kPoll = std::chrono::milliseconds(5);

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

Recorder::Recorder(io::RecordingHeader header, std::string file, io::SceneRecord what,
                   const std::string& start)
    : header_(std::move(header)), file_(std::move(file)), start_(start), what_(std::move(what)) {}

Recorder::~Recorder() { stop(); }

void Recorder::begin(const io::LoadedScene&, std::span<sim::ChannelSource* const> sources) {
  choice_.emplace(sources, what_.channels, what_.places);
  header_.channels = choice_->channels();
  ring_ = std::make_unique<io::RecordRing>(
      std::max(kRingBytes, 16 * sizeof(double) * (2 + choice_->width())));
  journal_ = std::make_unique<io::JournalWriter>(io::find_journal_name(file_));
  journal_->add(io::FrameKind::kHeader, as_bytes(write_header(header_)));
  if (header_.settings.has_start()) journal_->add(io::FrameKind::kStart, as_bytes(start_));
  journal_->flush();
  thread_ = std::thread([this] { write(); });
}

bool Recorder::after_step(std::uint64_t step, const sim::StepView& view,
                          const sim::Monitor& monitor) {
  if (step % static_cast<std::uint64_t>(what_.every) == 0) {
    // straight into the ring: step number, time, values
    auto* row =
        reinterpret_cast<double*>(reserve(io::FrameKind::kRows, 8 * (2 + choice_->width())));
    std::memcpy(row, &step, sizeof step);
    row[1] = view.state.time;
    choice_->read(view, {row + 2, choice_->width()});
    ring_->commit();
    ++rows_;
  }
  if (monitor.events().size() > events_seen_) push_events(monitor.events());
  return true;
}

void Recorder::push_events(const std::vector<sim::Event>& events) {
  for (; events_seen_ < events.size(); ++events_seen_) {
    const sim::Event& event = events[events_seen_];
    push(io::FrameKind::kEvent,
         io::pack_note({0, event.time, event.value, event_name(event.kind), event.what}));
  }
}

void Recorder::on_input(std::uint64_t step, double time, const sim::InputChange& change) {
  const io::JournalNote note{step, time, 0.0, change_name(change.kind), io::write_change(change)};
  inputs_.add(note);
  push(io::FrameKind::kInput, io::pack_note(note));
}

// A full ring means a disk that is slower than the simulation: then this waits, since a recording
// with holes would be worth little.
std::byte* Recorder::reserve(io::FrameKind kind, std::size_t length) {
  for (;;) {
    if (has_failed_.load(std::memory_order_acquire)) throw Error(problem_);
    if (std::byte* room = ring_->reserve(static_cast<std::uint32_t>(kind), length)) return room;
    ++waits_;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

void Recorder::push(io::FrameKind kind, const std::string& bytes) {
  std::memcpy(reserve(kind, bytes.size()), bytes.data(), bytes.size());
  ring_->commit();
}

void Recorder::write() {
  try {
    Clock::time_point flushed = Clock::now();
    for (bool is_last = false; !is_last;) {
      is_last = is_done_.load(std::memory_order_acquire);
      ring_->drain([this](std::uint32_t kind, std::span<const std::byte> bytes) {
        const auto frame = static_cast<io::FrameKind>(kind);
        frame == io::FrameKind::kRows ? journal_->add_row(bytes) : journal_->add(frame, bytes);
      });
      const Clock::time_point now = Clock::now();
      const bool is_time =
          std::chrono::duration<double>(now - flushed + kPoll).count() > what_.flush;
      if (is_last || is_time || journal_->waiting() >= kWriteBytes)
        journal_->flush(), flushed = now;
      if (!is_last) std::this_thread::sleep_for(kPoll);
    }
  } catch (const std::exception& error) {
    problem_ = error.what();
    has_failed_.store(true, std::memory_order_release);
  }
}

void Recorder::stop() {
  if (!thread_.joinable()) return;
  is_done_.store(true, std::memory_order_release);
  thread_.join();
}

std::string Recorder::finish(const RunOutcome& outcome) {
  push_events(outcome.events);  // the last one comes with a step that was not taken
  stop();
  if (has_failed_.load()) throw Error(problem_);
  journal_->add(io::FrameKind::kEnd,
                as_bytes(io::write_summary({outcome.summary, outcome.simulated, inputs_.value})));
  journal_->flush();
  journal_.reset();
  io::finish_journal(io::find_journal_name(file_), file_);
  std::string told = fmt::format("recorded {} rows of {} numbers in {}", rows_,
                                 1 + choice_->width(), describe_file(file_));
  if (header_.has_hdf5 && !header_.csv.empty()) told += " and " + describe_file(header_.csv);
  if (waits_ > 0) told += fmt::format("; it waited {} times for the disk", waits_);
  return told;
}

// ---- what to record ---------------------------------------------------------------------------

namespace {

// As the system would find it; not shortened, since links may stand before a "..".
std::string make_path(const std::string& file) {
  std::error_code code;
  const std::filesystem::path path = std::filesystem::absolute(file, code);
  return code ? file : path.string();
}

std::string read_command() {
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(stream), {}}, out;
  for (const char c : words) out += c == '\0' ? ' ' : c;
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

io::RunSettings make_settings(const RunOptions& options) {
  io::RunSettings out;
  out.file = make_path(options.file);
  out.is_robot = is_robot_run(options);
  out.set = options.set, out.joints = options.joints;
  out.law = options.law;
  out.seed = options.seed, out.duration = options.duration;
  out.threads = options.threads;
  for (const std::string& path : add_ros_paths(options.package_paths))
    out.package_paths.push_back(make_path(path));
  return out;
}

io::RecordingHeader make_header(const io::LoadedScene& scene, const RunOptions& options) {
  io::RecordingHeader out;
  out.program = "stance " STANCE_VERSION;
  out.feature_level = io::find_feature_level();
  out.command = read_command();
  out.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  out.scene = scene.name, out.about = scene.about;
  out.step = scene.step, out.every = scene.record.every;
  out.seed = scene.seed;
  out.scene_hash = calc_scene_hash(scene);
  out.settings = make_settings(options);
  out.texts = scene.texts;
  for (const std::string& file : scene.files)
    out.files.push_back({make_path(file), io::calc_file_sha256(file)});
  return out;
}

void check_endings(const RunOptions& options) {
  const auto ending = [](const std::string& file) {
    return std::filesystem::path(file).extension().string();
  };
  const std::string out = ending(options.out);
  if (!options.out.empty() && out != ".h5" && out != ".hdf5")
    throw CLI::ValidationError("--out", fmt::format("'{}' must end with .h5{}", options.out,
                                                    out == ".csv" ? "; --csv writes text" : ""));
  if (!options.csv.empty() && options.csv == options.out)
    throw CLI::ValidationError("--csv", "it must be another file than --out");
}

}  // namespace

std::unique_ptr<Recorder> make_recorder(const io::LoadedScene& scene, const RunOptions& options) {
  check_endings(options);
  const bool is_asked = !options.out.empty() || !options.csv.empty();
  if (!options.channels.empty() && !is_asked && scene.record.file.empty())
    throw CLI::ValidationError("--channel", "name a file too: --out FILE.h5 or --csv FILE.csv");
  if (options.no_record || (!is_asked && scene.record.file.empty())) return nullptr;

  std::string out = options.out, csv = options.csv;
  if (!is_asked) (scene.record.file.ends_with(".csv") ? csv : out) = scene.record.file;
  io::RecordingHeader header = make_header(scene, options);
  header.has_hdf5 = !out.empty();
  if (!csv.empty()) header.csv = make_path(csv);
  io::SceneRecord what = scene.record;
  if (!options.channels.empty()) what.channels = options.channels, what.places.clear();

  std::string start;
  if (!options.from.empty()) {
    std::ifstream stream(options.from, std::ios::binary);
    start.assign(std::istreambuf_iterator<char>(stream), {});
    header.settings.start_sha256 = io::calc_sha256(start);
  }
  for (const std::string& target : {out, csv})
    if (!target.empty()) check_target(target);
  const std::string file = out.empty() ? csv : out;
  tell_orphan(file, io::OrphanPlace::kAnotherName);
  return std::make_unique<Recorder>(std::move(header), file, std::move(what), start);
}

std::unique_ptr<Recorder> make_live_recorder(const io::LoadedScene& scene,
                                             const RunOptions& options, const std::string& file,
                                             const std::string& start) {
  io::RecordingHeader header = make_header(scene, options);
  header.has_hdf5 = true;
  header.settings.is_live = true;
  if (!start.empty()) header.settings.start_sha256 = io::calc_sha256(start);
  return std::make_unique<Recorder>(std::move(header), file, scene.record, start);
}

}  // namespace stance::cli
