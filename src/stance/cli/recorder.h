#pragma once

// Records a run: the step puts rows into a ring, a thread writes them to the journal.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "stance/cli/simulate.h"
#include "stance/io/channel_choice.h"
#include "stance/io/journal.h"
#include "stance/io/record_ring.h"
#include "stance/io/recording.h"

namespace stance::cli {

class Recorder : public io::RunWatcher {
 public:
  // `file` is the HDF5 file, or the CSV file where the header asks for nothing else.
  Recorder(io::RecordingHeader header, std::string file, io::SceneRecord what,
           const std::string& start);
  ~Recorder() override;

  void begin(const io::LoadedScene& scene, std::span<sim::ChannelSource* const> sources) override;
  bool after_step(std::uint64_t step, const sim::StepView& view,
                  const sim::Monitor& monitor) override;

  // What people or devices did, from this step on (docs/recording.md).
  void on_input(std::uint64_t step, double time, const sim::InputChange& change) override;

  // Ends the recording and makes the file of it. Returns a sentence for people.
  std::string finish(const RunOutcome& outcome);

 private:
  std::byte* reserve(io::FrameKind kind, std::size_t length);
  void push(io::FrameKind kind, const std::string& bytes);
  void push_events(const std::vector<sim::Event>& events);
  void write();  // the thread
  void stop();

  io::RecordingHeader header_;
  std::string file_, start_;  // start_: the snapshot file that the run goes on from
  io::SceneRecord what_;
  std::optional<io::ChannelChoice> choice_;
  std::size_t events_seen_ = 0;
  io::InputHash inputs_;
  std::uint64_t rows_ = 0, waits_ = 0;
  std::unique_ptr<io::JournalWriter> journal_;  // the thread's, while it runs
  std::unique_ptr<io::RecordRing> ring_;
  std::atomic<bool> is_done_{false}, has_failed_{false};
  std::string problem_;  // by the thread, before has_failed_
  std::thread thread_;
};

// As the command line and the scene ask for; null when they ask for none. Finishes what a run that
// was killed left under the same name, and says so.
std::unique_ptr<Recorder> make_recorder(const io::LoadedScene& scene, const RunOptions& options);

// Of a run that is looked at (view/live_recording.h): what `options` say of it, into a new file. It
// has begun. `start` is the snapshot file that it goes on from, or empty.
std::unique_ptr<Recorder> make_live_recorder(const io::LoadedScene& scene,
                                             const RunOptions& options, const std::string& file,
                                             const std::string& start);

}  // namespace stance::cli
