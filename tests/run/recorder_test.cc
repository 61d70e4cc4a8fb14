// What goes from the thread that steps to the one that writes: in order, and to be put into words
// only there.

#include "stance/run/recorder.h"

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "stance/io/scene.h"

namespace stance::run {
namespace {

// Notes what it is given, by letters: a row, a change, events of what appears and of a touch.
class Notes final : public RecordSink {
 public:
  void add_row(std::span<const std::byte>) override { add('r'); }
  void add_event(const sim::Event& event) override {
    add(event.kind == sim::Event::Kind::kAppears ? 'a' : 't');
  }
  void add_change(const StepAhead& step, const Change& change) override {
    add('c');
    steps.push_back(step.number);
    sources += change.source;
  }
  void flush() override {}
  std::size_t waiting() const override { return 0; }

  std::string letters, sources;
  std::vector<std::uint64_t> steps;
  std::thread::id thread{};

 private:
  void add(char letter) {
    letters += letter;
    if (thread == std::thread::id()) thread = std::this_thread::get_id();
    EXPECT_EQ(thread, std::this_thread::get_id());
  }
};

// Pushes before some of the steps.
class Pusher final : public Observer {
 public:
  void before_step(const StepAhead& step, std::vector<Change>& changes) override {
    if (step.number == 2) changes.push_back({"a", sim::PushBody{.body = "ball"}});
    if (step.number == 4)
      for (const char* who : {"b", "c"}) changes.push_back({who, sim::PushBody{.body = "ball"}});
  }
};

TEST(Recorder, HandsOverInOrderAndOnItsOwnThread) {
  Simulation run(io::parse_scene(
      "version: 1\nobjects:\n"
      "  ball: {shape: {sphere: {radius: 0.1}}, mass: 1}\n"
      "  late: {shape: {sphere: {radius: 0.1}}, mass: 1, position: [1, 0, 0], appears: 0.002}\n",
      "here.yaml"));
  Pusher pusher;
  Recorder recorder(run, {}, {}, 1);
  recorder.start(std::make_unique<Notes>(), 0.5);
  run.attach(pusher), run.attach(recorder);
  for (int k = 0; k < 5; ++k) EXPECT_TRUE(run.advance());
  const std::unique_ptr<RecordSink> sink = recorder.finish(run.monitor().events());
  const Notes& notes = static_cast<const Notes&>(*sink);
  // what acts on a step is told before its row, what came of it behind
  EXPECT_EQ(notes.letters, "rcrtraccrttr");
  EXPECT_EQ(notes.sources, "abc");
  EXPECT_EQ(notes.steps, (std::vector<std::uint64_t>{2, 4, 4}));
  EXPECT_NE(notes.thread, std::this_thread::get_id());
}

// As one that cannot write: the simulation hears of it, and what is left goes with the recorder.
class Full final : public RecordSink {
 public:
  void add_row(std::span<const std::byte>) override {}
  void add_event(const sim::Event&) override {}
  void add_change(const StepAhead&, const Change&) override { throw Error("the disk is full"); }
  void flush() override {}
  std::size_t waiting() const override { return 0; }
};

TEST(Recorder, TellsTheSimulationWhatWentWrong) {
  Simulation run(io::parse_scene(
      "version: 1\nobjects: {ball: {shape: {sphere: {radius: 0.1}}, mass: 1}}\n", "here.yaml"));
  Pusher pusher;
  Recorder recorder(run, {}, {}, 1);
  recorder.start(std::make_unique<Full>(), 0.5);
  run.attach(pusher), run.attach(recorder);
  try {
    for (;;) (void)run.advance();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the disk is full");
  }
  EXPECT_THROW(recorder.finish({}), Error);
}

}  // namespace
}  // namespace stance::run
