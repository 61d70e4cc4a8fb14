#pragma once

// A recording of a simulation in a file: journal while it grows, HDF5 or CSV in the end.

#include <memory>
#include <string>

#include "stance/io/recording.h"
#include "stance/run/outcome.h"
#include "stance/run/recorder.h"

namespace stance::io {

// Where a recording goes, and what is in it.
struct RecordOptions {
  std::string hdf5{}, csv{};            // files; one of both at least
  std::vector<std::string> channels{};  // names or patterns; empty: what the scene says
  bool is_live = false;                 // it ends when somebody says so
  std::string start{};                  // the bytes of the snapshot that it goes on from
};

// What a recording says about where it comes from: the program, the scene, its settings.
RecordingHeader make_header(const scene::Scene& scene);

class RecordingWriter {
 public:
  // Begins to record the simulation. Throws stance::Error when there is no such channel, or the
  // file cannot be written.
  RecordingWriter(run::Simulation& simulation, RecordOptions options);
  ~RecordingWriter();

  const std::string& file() const { return file_; }
  std::uint64_t rows() const { return recorder_->rows(); }
  std::size_t columns() const { return 1 + recorder_->width(); }  // time among them
  std::uint64_t waits() const { return recorder_->waits(); }      // times that the disk was slow

  // On the thread of the simulation: it sees no more steps.
  void leave();

  // Ends the recording and makes the files of it; takes a while. Throws stance::Error.
  void finish(const run::Outcome& outcome);

  // Leaves nothing behind.
  void discard();

 private:
  class Sink;

  run::Simulation* simulation_;
  std::string file_;  // the HDF5 file, or the CSV file where there is no other
  std::unique_ptr<run::Recorder> recorder_;
};

}  // namespace stance::io
