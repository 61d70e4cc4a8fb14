#include "stance/io/recording_writer.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "stance/io/input_json.h"
#include "stance/io/journal.h"
#include "stance/io/recording_finish.h"
#include "stance/kernel/checksum.h"
#include "stance/scene/digest.h"

namespace stance::io {
namespace {

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

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

}  // namespace

// Into the journal, on the recorder's thread.
class RecordingWriter::Sink final : public run::RecordSink {
 public:
  Sink(const std::string& file, const RecordingHeader& header, const std::string& start)
      : journal_(find_journal_name(file)) {
    journal_.add(FrameKind::kHeader, as_bytes(write_header(header)));
    if (header.has_start()) journal_.add(FrameKind::kStart, as_bytes(start));
    journal_.flush();
  }

  void add_row(std::span<const std::byte> row) override { journal_.add_row(row); }
  void add_event(const sim::Event& event) override {
    add(FrameKind::kEvent, {0, event.time, event.value, event_name(event.kind), event.what});
  }
  void add_change(const run::StepAhead& step, const run::Change& change) override {
    const JournalNote note{step.number, step.time, 0.0, change_kind(change), write_change(change)};
    inputs_.add(note);
    add(FrameKind::kInput, note);
  }
  void flush() override { journal_.flush(); }
  std::size_t waiting() const override { return journal_.waiting(); }

  void close(const run::Outcome& outcome) {
    journal_.add(FrameKind::kEnd,
                 as_bytes(write_summary({outcome.summary, outcome.simulated, inputs_.value})));
    journal_.flush();
  }

 private:
  void add(FrameKind kind, const JournalNote& note) {
    journal_.add(kind, as_bytes(pack_note(note)));
  }

  JournalWriter journal_;
  InputHash inputs_;
};

RecordingHeader make_header(const scene::Scene& scene) {
  const scene::Settings& settings = scene.settings;
  const scene::SceneSpec& spec = scene.spec();
  RecordingHeader out;
  out.program = "stance " STANCE_VERSION;
  out.feature_level = find_feature_level();
  out.command = read_command();
  out.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  out.scene = spec.name, out.about = spec.about;
  out.step = spec.step, out.every = count_record_steps(spec);
  out.seed = spec.seed;
  out.digest = calc_digest(spec);
  out.settings = settings;
  out.settings.file = make_path(settings.file);
  for (std::string& path : out.settings.package_paths) path = make_path(path);
  out.texts = scene.sources().texts;
  for (const scene::FileSpec& file : spec.files)
    out.files.push_back({make_path(file.path), file.sha256});
  return out;
}

RecordingWriter::RecordingWriter(run::Simulation& simulation, RecordOptions options)
    : simulation_(&simulation), file_(options.hdf5.empty() ? options.csv : options.hdf5) {
  const scene::Scene& scene = simulation.scene();
  const scene::RecordSpec& record = scene.spec().record;
  std::vector<Place> places;
  if (options.channels.empty()) {
    options.channels = record.channels;
    for (std::size_t k = 0; k < record.channels.size(); ++k)
      places.push_back(scene.sources().find({"record", "channels", std::to_string(k)}));
  }
  RecordingHeader header = make_header(scene);
  header.has_hdf5 = !options.hdf5.empty();
  if (!options.csv.empty()) header.csv = make_path(options.csv);
  header.is_live = options.is_live;
  if (!options.start.empty()) header.start_sha256 = kernel::calc_sha256(options.start);
  recorder_ = std::make_unique<run::Recorder>(simulation, options.channels, places, header.every);
  header.channels = recorder_->channels();
  recorder_->start(std::make_unique<Sink>(file_, header, options.start), record.flush);
  simulation.attach(*recorder_);
}

RecordingWriter::~RecordingWriter() = default;

void RecordingWriter::leave() {
  if (simulation_) recorder_->leave(*simulation_);
  simulation_ = nullptr;
}

void RecordingWriter::finish(const run::Outcome& outcome) {
  {
    const std::unique_ptr<run::RecordSink> sink = recorder_->finish(outcome.events);
    static_cast<Sink&>(*sink).close(outcome);
  }
  finish_journal(find_journal_name(file_), file_);
}

void RecordingWriter::discard() {
  recorder_.reset();
  std::error_code code;
  std::filesystem::remove(find_journal_name(file_), code);
}

}  // namespace stance::io
