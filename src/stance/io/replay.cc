#include "stance/io/replay.h"

#include <cmath>
#include <deque>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "stance/io/findings.h"
#include "stance/io/input_json.h"
#include "stance/io/scene.h"
#include "stance/kernel/checksum.h"
#include "stance/run/snapshot.h"
#include "stance/scene/digest.h"

namespace stance::io {
namespace {

// What people and devices did when it was recorded, and what of it was done again. Texts are read
// before the first step, none while steps are taken.
class RecordedInputs final : public run::Observer {
 public:
  explicit RecordedInputs(const Recording& recording) {
    for (const JournalNote& note : recording.inputs()) {
      try {
        changes_.push_back({note.step, parse_change(note.kind, note.text)});
      } catch (const Error& error) {
        throw Error({recording.file()},
                    fmt::format("the input at {:g} s: {}", note.time, error.what()));
      }
    }
  }

  void before_step(const run::StepAhead& step, std::vector<run::Change>& changes) override {
    for (; !changes_.empty() && changes_.front().step <= step.number; changes_.pop_front())
      changes.push_back(std::move(changes_.front().change));
  }

  void on_change(const run::StepAhead& step, const run::Change& change) override {
    done_.add({step.number, step.time, 0.0, change_kind(change), write_change(change)});
  }
  const std::string& hash() const { return done_.value; }

 private:
  struct NumberedChange {
    std::uint64_t step = 0;
    run::Change change;
  };

  std::deque<NumberedChange> changes_;  // still to come
  InputHash done_;
};

void check_files(const RecordingHeader& header) {
  for (const scene::FileSpec& file : header.files) {
    std::error_code code;
    if (!std::filesystem::exists(file.path, code))
      throw Error({file.path},
                  "the recording was made with this file, which is not there any more");
    if (kernel::calc_file_sha256(file.path) != file.sha256)
      throw Error({file.path},
                  fmt::format("this file has changed since the recording was made (its SHA-256 was "
                              "{}...); put the old one back to replay it",
                              file.sha256.substr(0, 16)));
  }
}

void warn_of_another_program(const RecordingHeader& header, std::vector<std::string>& warnings) {
  const std::string level = find_feature_level(), program = "stance " STANCE_VERSION;
  if (header.feature_level != level)
    warnings.push_back(
        fmt::format("it was recorded on {}, this program computes on {}: the bits may differ",
                    header.feature_level, level));
  if (header.program != program)
    warnings.push_back(fmt::format("it was recorded by {}, this is {}: the bits may differ",
                                   header.program, program));
}

run::Recorded read_rows(const Recording& recording) {
  run::Recorded out{recording.file(), recording.header().program};
  out.channels = recording.header().channels;
  out.step = recording.step(), out.time = recording.time();
  for (std::size_t k = 0; k < out.channels.size(); ++k) out.values.push_back(recording.read(k));
  for (const JournalNote& event : recording.events())
    out.events.push_back({event.time, event.value, event.kind, event.text});
  out.is_complete = recording.is_complete();
  return out;
}

run::Moment read_start(const Recording& recording, const scene::Scene& scene) {
  if (!recording.header().has_start()) return {scene.first.scene.start};
  try {
    return run::read_snapshot(scene, recording.read_start());
  } catch (const Error& error) {
    throw Error({recording.file()}, "its start: " + bare_message(error));
  }
}

// Steps since the scene's start at which the run ended.
std::int64_t count_steps(const Recording& recording, const run::Simulation& simulation) {
  const scene::SceneSpec& spec = simulation.spec();
  const RecordingHeader& header = recording.header();
  if (!header.is_live || !recording.summary())
    return std::max<std::int64_t>(1, std::llround(spec.duration / spec.step));
  // somebody ended it, whatever the scene's duration is
  const RecordedSummary& summary = *recording.summary();
  const double length = summary.simulated + (summary.run.is_lost ? header.step : 0.0);
  return simulation.steps() + std::llround(length / spec.step);
}

}  // namespace

ReplayResult replay(const Recording& recording, std::vector<std::string>& warnings,
                    const std::vector<run::Observer*>& others) {
  const RecordingHeader& header = recording.header();
  warn_of_another_program(header, warnings);
  check_files(header);
  const auto scene = std::make_shared<const scene::Scene>(
      load_scene(header.settings, {!header.texts.empty(), header.texts}));
  if (!header.digest.empty() && calc_digest(scene->spec()) != header.digest)
    warnings.push_back("the same inputs give another scene in this program");

  run::Simulation simulation(scene, read_start(recording, *scene));
  RecordedInputs inputs(recording);
  run::Verifier verifier(read_rows(recording), simulation);
  simulation.attach(inputs);
  simulation.attach(verifier);
  for (run::Observer* other : others) simulation.attach(*other);
  simulation.advance_to(count_steps(recording, simulation));

  const run::Outcome outcome = make_outcome(simulation);
  verifier.compare_end(outcome);
  if (!verifier.difference() && recording.is_complete()) {
    const std::string wanted = write_summary(*recording.summary());
    const std::string found = write_summary({outcome.summary, outcome.simulated, inputs.hash()});
    if (wanted != found)
      verifier.set_difference({outcome.simulated, "summary", "", "\n" + wanted, "\n" + found});
  }
  return {verifier.difference(), verifier.rows(), verifier.width(), outcome.summary};
}

}  // namespace stance::io
