#pragma once

// A recording: what a run did, and all that it was made from, so that it can be run again.
//
// On disk it is HDF5 (docs/recording.md); while it grows, a journal. Both have the same header, a
// text in JSON.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stance/io/journal.h"
#include "stance/io/scene_text.h"
#include "stance/scene/settings.h"
#include "stance/scene/spec.h"
#include "stance/sim/channel.h"
#include "stance/sim/monitor.h"

namespace stance::io {

inline constexpr int kRecordingVersion = 1;

struct RecordingHeader {
  std::string program;        // "stance 0.1.0"
  std::string feature_level;  // find_feature_level()
  std::string command;        // as typed, for people
  std::string date;           // UTC, when the run began
  std::string scene, about;
  double step = 1e-3;  // s
  int every = 1;       // steps between rows
  std::uint64_t seed = 1;
  std::string digest;  // scene::calc_digest
  std::string csv;     // a file that is to be written besides, or instead
  bool has_hdf5 = true;
  scene::Settings settings;  // absolute paths
  bool is_live = false;      // somebody watched it, and ended it at any time
  std::string start_sha256;  // of the snapshot that it went on from, which is in the recording
  std::vector<SceneTexts::File> texts;  // the scene and what it includes
  std::vector<scene::FileSpec> files;   // robots, meshes and other files, which are not inside
  std::vector<sim::Channel> channels;

  bool has_start() const { return !start_sha256.empty(); }
  std::size_t width() const;            // columns of all channels
  std::string calc_input_hash() const;  // SHA-256 over texts, files and settings
};

// The instruction set that this program computes with: other ones give other bits.
std::string find_feature_level();

std::string write_header(const RecordingHeader& header);
RecordingHeader parse_header(std::string_view json, const std::string& file);  // throws Error

// Of all inputs of a run so far, so that none can be changed unseen; empty when there were none.
struct InputHash {
  std::string value;  // SHA-256 of the last value and the input
  void add(const JournalNote& note);
};

// What a run came to, as JSON and back.
struct RecordedSummary {
  sim::RunSummary run;
  double simulated = 0.0;     // s
  std::string inputs_sha256;  // InputHash
};
std::string write_summary(const RecordedSummary& summary);
std::optional<RecordedSummary> parse_summary(std::string_view json);  // none where it is damaged

const char* when_name(sim::When when);  // "end", "start", "over"

// A finished recording, read. Rows are read channel by channel.
class Recording {
 public:
  // Throws stance::Error when there is no such file, or it is no recording.
  explicit Recording(const std::string& file);
  ~Recording();

  const std::string& file() const { return file_; }
  const RecordingHeader& header() const { return header_; }
  std::size_t rows() const { return time_.size(); }
  const std::vector<double>& time() const { return time_; }         // s, by row
  const std::vector<std::uint64_t>& step() const { return step_; }  // number of the step, by row
  bool is_complete() const { return summary_.has_value(); }         // the run came to its end
  const std::optional<RecordedSummary>& summary() const { return summary_; }
  const std::vector<JournalNote>& events() const { return events_; }
  const std::vector<JournalNote>& inputs() const { return inputs_; }

  // Rows x columns, by the channel's number in the header or by its name. Throws stance::Error when
  // there is none of that name.
  std::vector<double> read(std::size_t channel) const;
  std::vector<double> read(std::string_view channel) const;
  std::string read_start() const;  // the snapshot file that it went on from

 private:
  std::string file_;
  std::unique_ptr<class Hdf5File> in_;
  RecordingHeader header_;
  std::vector<double> time_;
  std::vector<std::uint64_t> step_;
  std::optional<RecordedSummary> summary_;
  std::vector<JournalNote> events_, inputs_;
};

// Whether a file is (probably) a recording rather than a robot, a scene or anything else.
bool is_recording(const std::string& file);

}  // namespace stance::io
