#pragma once

// Records a run: the step puts rows into a ring, a thread hands them to whatever keeps them. Events
// and changes, rarer and of any size, go over as they are; what is written of them is worked out on
// that thread.

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "stance/run/channels.h"
#include "stance/run/record_ring.h"
#include "stance/run/simulation.h"

namespace stance::run {

// What keeps a recording: a file. Called on the recorder's thread; what it throws ends the
// recording and reaches the simulation at its next row.
class RecordSink {
 public:
  virtual ~RecordSink() = default;

  // A row: number of the step, time, values; 8 bytes each.
  virtual void add_row(std::span<const std::byte> row) = 0;
  virtual void add_event(const sim::Event& event) = 0;
  virtual void add_change(const StepAhead& step, const Change& change) = 0;
  virtual void flush() = 0;
  virtual std::size_t waiting() const = 0;  // bytes that a flush would write
};

class Recorder final : public Observer {
 public:
  // Of the channels that these patterns choose, every so many steps. Throws stance::Error.
  Recorder(Simulation& simulation, const std::vector<std::string>& patterns,
           const std::vector<Place>& places, int every);
  ~Recorder() override;

  const std::vector<sim::Channel>& channels() const { return reader_.channels(); }
  std::size_t width() const { return reader_.width(); }

  // Begins to write; `flush` is what a killed process may lose, in seconds of the wall clock.
  void start(std::unique_ptr<RecordSink> sink, double flush);

  bool after_step(const Simulation& simulation, const sim::StepView& view) override;
  void on_change(const StepAhead& step, const Change& change) override;

  // Sees no more of the simulation, on whose thread this is called.
  void leave(Simulation& simulation);

  // Ends the thread when all is written, these events included. Returns the sink, to be closed.
  // Throws stance::Error when not all could be written.
  std::unique_ptr<RecordSink> finish(const std::vector<sim::Event>& events);

  std::uint64_t rows() const { return rows_; }
  std::uint64_t waits() const { return waits_; }  // times that the disk was too slow

 private:
  enum Kind : std::uint32_t { kRow, kNote };
  struct MadeChange {
    StepAhead step;
    Change change;
  };
  using Note = std::variant<sim::Event, MadeChange>;

  std::byte* reserve(Kind kind, std::size_t length);
  void push(Note note);
  void push_events(const std::vector<sim::Event>& events);
  void write();  // the thread
  void write_note();
  void stop();

  ChannelReader reader_;
  std::uint64_t every_;
  double flush_ = 0.5;
  std::size_t events_seen_ = 0;
  std::uint64_t rows_ = 0, waits_ = 0;
  std::unique_ptr<RecordSink> sink_;  // the thread's, while it runs
  std::unique_ptr<RecordRing> ring_;
  std::mutex notes_mutex_;
  std::deque<Note> notes_;  // those whose places among the rows, records without bytes, are ahead
  std::atomic<bool> is_done_{false}, has_failed_{false};
  std::string problem_;  // by the thread, before has_failed_
  std::thread thread_;
};

}  // namespace stance::run
