// What people and devices do to a run is recorded with it, and replayed bit for bit.

#include <cmath>
#include <cstdlib>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "stance/io/input_json.h"
#include "stance/io/recording.h"
#include "stance/io/recording_finish.h"
#include "stance/io/recording_writer.h"
#include "stance/io/replay.h"
#include "stance/io/scene.h"
#include "stance/kernel/random.h"
#include "stance/run/outcome.h"

#include "recording_support.h"
#include "run_program.h"

namespace stance::cli {
namespace {

using io::testing::contains;
using io::testing::Outcome;
using io::testing::run;
using io::testing::TemporaryFolder;

const std::string kRoot = STANCE_SOURCE_DIR;

// Somebody who pulls, pushes and turns at random.
class Rascal final : public run::Observer {
 public:
  explicit Rascal(std::uint64_t seed) : random_(seed) {}

  void before_step(const run::StepAhead&, std::vector<run::Change>& changes) override {
    const auto draw = [&](double size) {
      return kernel::Vec3d(random_.uniform(-size, size), random_.uniform(-size, size),
                           random_.uniform(-size, size));
    };
    const char* const links[] = {"humanoid/chest", "humanoid/left_hand", "humanoid/right_foot"};
    const char* const joints[] = {"humanoid/left_elbow", "humanoid/right_knee"};
    const std::string who = random_.integer(2) == 0 ? "mouse" : "device";
    switch (random_.integer(8)) {
      case 0:
        changes.push_back({who, sim::PushBody{.body = links[random_.integer(3)],
                                              .point = draw(0.1),
                                              .force = draw(20.0),
                                              .torque = draw(1.0)}});
        break;
      case 1:
        changes.push_back(
            {who, sim::SetTarget{joints[random_.integer(2)], random_.uniform(0.0, 1.0)}});
        break;
      case 2:
        changes.push_back(
            {who, sim::SetTorque{joints[random_.integer(2)], random_.uniform(-2.0, 2.0)}});
        break;
      case 4:
        changes.push_back({who, sim::DragBody{.body = links[random_.integer(3)],
                                              .point = draw(0.1),
                                              .to = draw(0.5) + kernel::Vec3d(0.0, 0.0, 1.0),
                                              .velocity = draw(0.5),
                                              .stiffness = 50.0 * random_.integer(3)}});
        break;
      case 3: changes.push_back({who, sim::Release{}}); break;
      default: break;
    }
  }

 private:
  kernel::Random random_;
};

const std::string kScene = kRoot + "/scenes/humanoid_stand.yaml";

// Records a run through the library; without `is_finished` as if it were killed at its end.
void record(const io::RecordOptions& options, double duration, std::uint64_t seed,
            bool is_finished = true) {
  const scene::Settings settings{.file = kScene, .duration = duration};
  run::Simulation simulation(io::load_scene(settings));
  Rascal rascal(seed);
  simulation.attach(rascal);
  io::RecordingWriter writer(simulation, options);
  EXPECT_TRUE(simulation.advance_to(std::lround(duration / simulation.spec().step)));
  if (is_finished) writer.finish(make_outcome(simulation));
}

TEST(Inputs, AreReplayedBitForBit) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5"), quiet = folder.path("quiet.h5");
  record({.hdf5 = file}, 2.0, 7);
  const io::Recording log(file);
  EXPECT_GT(log.inputs().size(), 500u);
  const Outcome replay = run("replay " + file);
  EXPECT_EQ(replay.code, 0) << replay.output << replay.errors;
  EXPECT_TRUE(contains(replay.output, "2000 rows")) << replay.output;
  // they do something
  EXPECT_EQ(run("run " + kScene + " --duration 2 --out " + quiet).code, 0);
  const io::Recording other(quiet);
  EXPECT_NE(log.read(0), other.read(0));
}

// The journal of a killed run has them, too.
TEST(Inputs, OfAKilledRunAreReplayed) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  record({.hdf5 = file}, 0.3, 8, false);
  const Outcome replay = run("replay " + file);
  EXPECT_EQ(replay.code, 0) << replay.output << replay.errors;
  EXPECT_TRUE(contains(replay.output, "cut off")) << replay.output;
}

// The journal of a killed run again, with another third push. `file` is that of the recording.
void copy_with_another_push(const std::string& file, const std::string& copy,
                            const std::function<void(io::JournalNote&)>& change) {
  int pushes = 0;
  io::JournalReader in(file + ".journal");
  io::JournalWriter out(copy + ".journal");
  for (io::JournalReader::Frame frame; in.next(frame);) {
    std::string bytes(frame.bytes);
    io::JournalNote note;
    if (frame.kind == io::FrameKind::kInput && unpack_note(bytes, note) && note.kind == "wrench" &&
        ++pushes == 3) {
      change(note);
      bytes = pack_note(note);
    }
    out.add(frame.kind, std::as_bytes(std::span(bytes)));
  }
  out.flush();
  ASSERT_GE(pushes, 3);
}

// A force that is another by 1e-12 of it: the rows differ. (By its last bit it may drown in
// rounding.)
TEST(Inputs, ThatWereTamperedWithAreFound) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5"), copy = folder.path("copy.h5");
  record({.hdf5 = file}, 0.3, 9, false);
  copy_with_another_push(file, copy, [](io::JournalNote& note) {
    run::Change change = io::parse_change(note.kind, note.text);
    kernel::Vec3d& force = run::find_action<sim::PushBody>(change)->force;
    force = {(1.0 + 1e-12) * force[0], force[1], force[2]};
    note.text = io::write_change(change);
  });
  const Outcome replay = run("replay " + copy);
  EXPECT_EQ(replay.code, 5) << replay.output << replay.errors;
  EXPECT_EQ(run("replay " + file).code, 0);
}

// All texts are read before the first step: none of them on the way.
TEST(Inputs, ThatAreNoneStopAReplayBeforeItsFirstStep) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5"), copy = folder.path("copy.h5");
  record({.hdf5 = file}, 0.3, 9, false);
  double time = 0.0;
  copy_with_another_push(file, copy, [&](io::JournalNote& note) {
    time = note.time;
    note.text = R"({"source":"mouse","bodi":"ball"})";
  });
  struct Guest : run::Observer {
    bool after_step(const run::Simulation&, const sim::StepView&) override { return ++seen > 0; }
    int seen = 0;
  } guest;
  std::vector<std::string> warnings;
  (void)io::finish_orphan(copy, io::OrphanPlace::kItsName);
  try {
    (void)io::replay(io::Recording(copy), warnings, {&guest});
    ADD_FAILURE() << "it was replayed";
  } catch (const Error& error) {
    EXPECT_TRUE(
        contains(error.what(), fmt::format("the input at {:g} s: an input needs 'body'", time)))
        << error.what();
  }
  EXPECT_EQ(guest.seen, 0);
}

// Where rows tell little, the hash of all inputs tells.
TEST(Inputs, AreHashed) {
  const std::string python = io::testing::find_python();
  if (python.empty()) GTEST_SKIP() << "h5py is not installed (Debian package python3-h5py)";
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  record({.hdf5 = file, .channels = {"step/status"}}, 0.2, 3);
  EXPECT_EQ(run("replay " + file).code, 0);
  const std::string script = folder.write(
      "change.py",
      "import h5py, sys\nf = h5py.File(sys.argv[1], 'r+')\nk = list(f['inputs/kind'].asstr()[:])\n"
      "i = k.index('torque')\nd = f['inputs/data']\nt = d.asstr()[i]\n"
      "d[i] = t[:t.index('value')] + 'value\":0.125}'\n");
  ASSERT_EQ(std::system((python + " " + script + " " + file).c_str()), 0);
  const Outcome replay = run("replay " + file);
  EXPECT_EQ(replay.code, 5) << replay.output << replay.errors;
}

TEST(Inputs, KeepTheirBitsAsJson) {
  kernel::Random random(5);
  for (int n = 0; n < 1000; ++n) {
    const auto draw = [&] {
      return random.uniform(-1, 1) * std::pow(10.0, random.uniform(-300, 300));
    };
    sim::PushBody push{.body = "x/y", .point = {-0.0, draw(), draw()}};
    push.force = {draw(), draw(), draw()}, push.torque = {draw(), draw(), draw()};
    const run::Change back = io::parse_change("wrench", io::write_change({"a \"b\"", push}));
    EXPECT_EQ(back.source, "a \"b\"");
    const sim::PushBody* again = run::find_action<sim::PushBody>(back);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->body, push.body);
    EXPECT_TRUE(std::signbit(again->point[0]));
    sim::DragBody drag{.body = "x", .point = push.point, .to = push.force, .velocity = push.torque};
    drag.stiffness = std::abs(draw()), drag.turning = std::abs(draw());
    drag.orientation = {draw(), draw(), draw(), draw()};
    const run::Change dragged = io::parse_change("drag", io::write_change({"", drag}));
    const sim::DragBody* pulled = run::find_action<sim::DragBody>(dragged);
    ASSERT_TRUE(pulled);
    EXPECT_EQ(pulled->stiffness, drag.stiffness);
    EXPECT_EQ(pulled->turning, drag.turning);
    EXPECT_EQ(pulled->orientation.w, drag.orientation.w);
    EXPECT_EQ(pulled->orientation.z, drag.orientation.z);
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(pulled->to[k], drag.to[k]);
      EXPECT_EQ(pulled->velocity[k], drag.velocity[k]);
      EXPECT_EQ(again->point[k], push.point[k]);
      EXPECT_EQ(again->force[k], push.force[k]);
      EXPECT_EQ(again->torque[k], push.torque[k]);
    }
  }
}

// Recordings have hashes of these texts: they are the same in every version of the program.
TEST(Inputs, HaveTheTextsThatRecordingsHave) {
  const auto expect = [](const std::string& kind, const std::string& text) {
    const run::Change change = io::parse_change(kind, text);
    EXPECT_EQ(io::change_kind(change), kind);
    EXPECT_EQ(io::write_change(change), text);
  };
  expect("wrench", R"({"source":"a","body":"b","point":[0.1,0.0,-0.0],"force":[1.0,2.5,3.0],)"
                   R"("torque":[0.0,0.0,1e-30]})");
  expect("drag", R"({"source":"","body":"b","point":[0.0,0.0,0.0],"to":[1.0,2.0,3.0],)"
                 R"("velocity":[0.0,0.0,0.0],"stiffness":0.0})");
  expect("drag", R"({"source":"","body":"b","point":[0.0,0.0,0.0],"to":[1.0,2.0,3.0],)"
                 R"("velocity":[0.0,0.0,0.0],"stiffness":5.0,"orientation":[1.0,0.0,0.0,0.0],)"
                 R"("turning":20.0})");
  expect("target", R"({"source":"a","joint":"r/j","value":0.5})");
  expect("torque", R"({"source":"a","joint":"r/j","value":0.5})");
  expect("probe", R"({"source":"a","at":[0.0,1.0,0.0]})");
  expect("release", R"({"source":"a","name":"b"})");
  expect("release", R"({"source":"a","name":""})");
  expect("remove", R"({"source":"a","name":"b"})");
  expect("gravity", R"({"source":"a","value":[0.0,0.0,-9.81]})");
  expect("law", R"({"source":"a","law":"penalty_clipped"})");
}

// ---- run --inputs -----------------------------------------------------------------------------

// Objects, gravity and law that people change replay like all else, also after a snapshot.
TEST(RunInputs, MayChangeTheScene) {
  const TemporaryFolder folder;
  const std::string scene = kRoot + "/scenes/humanoid_stand.yaml";
  const std::string inputs = folder.write(
      "changes.jsonl",
      R"({"time": 0.05, "kind": "add", "name": "ball", "object": {"shape": {"sphere": {"radius": 0.08}}, )"
      R"("mass": 3, "position": [1, 0, 0.5], "velocity": [-6, 0, 2.5]}})"
      "\n"
      R"({"time": 0.1, "kind": "gravity", "value": [0.3, 0, -9]})"
      "\n"
      R"({"time": 0.4, "kind": "law", "law": "penalty_clipped"})"
      "\n"
      R"({"time": 0.45, "kind": "law", "law": "exact"})"
      "\n"
      R"({"time": 0.5, "kind": "remove", "name": "ball"})"
      "\n");
  const std::string file = folder.path("log.h5"), state = folder.path("state.h5"),
                    rest = folder.path("rest.h5");
  const Outcome outcome = run("run " + scene + " --duration 0.6 --inputs " + inputs + " --out " +
                              file + " --snapshot-at 0.3 --snapshot " + state);
  EXPECT_EQ(outcome.code, 5) << "it does not stand as still as the scene expects";
  EXPECT_TRUE(contains(outcome.output, "ball appears")) << outcome.output;
  EXPECT_TRUE(contains(outcome.output, "ball disappears")) << outcome.output;
  const Outcome replay = run("replay " + file);
  EXPECT_EQ(replay.code, 0) << replay.output << replay.errors;
  EXPECT_EQ(run("run " + scene + " --duration 0.6 --from " + state + " --inputs " + inputs +
                " --out " + rest)
                .code,
            5);
  const io::Recording all(file), end(rest);
  ASSERT_EQ(all.rows(), 600u);
  ASSERT_EQ(end.rows(), 300u);
  const std::vector<double> a = all.read(0), b = end.read(0);
  EXPECT_TRUE(std::equal(b.begin(), b.end(), a.end() - static_cast<std::ptrdiff_t>(b.size())));
  const Outcome second = run("replay " + rest);
  EXPECT_EQ(second.code, 0) << second.output << second.errors;
  EXPECT_TRUE(contains(second.output, "300 rows")) << second.output;
}

TEST(RunInputs, AreTakenFromAFile) {
  const TemporaryFolder folder;
  const std::string scene =
      folder.write("ball.yaml",
                   "version: 1\nduration: 1\ngravity: [0, 0, 0]\nobjects: {ball: {shape: "
                   "{sphere: {radius: 0.1}}, mass: 2}}\nexpect: {final: {ball: {x: 0.375, "
                   "velocity: [0.5, 0, 0], tolerance: 1e-3}}}\n");
  const std::string inputs = folder.write(
      "pushes.jsonl",
      "{\"time\": 0, \"kind\": \"wrench\", \"body\": \"ball\", \"force\": [2, 0, 0]}\n\n"
      "{\"time\": 0.5, \"kind\": \"release\"}\n");
  const std::string file = folder.path("log.h5");
  const Outcome outcome = run("run " + scene + " --inputs " + inputs + " --out " + file);
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
  EXPECT_EQ(run("replay " + file).code, 0);
  EXPECT_EQ(run("run " + scene).code, 5) << "without them it stays";
}

// A hand that turns what it holds by a quarter, as a device with an orientation does (A16). It
// holds the box 5 cm beside its middle, so where that comes to tells of the turn.
TEST(RunInputs, TurnWhatTheyHold) {
  const TemporaryFolder folder;
  const std::string scene = folder.write(
      "box.yaml",
      "version: 1\nduration: 2\ngravity: [0, 0, 0]\nobjects: {box: {shape: {box: {size: [0.2, 0.1, "
      "0.05]}}, mass: 1}}\nexpect: {final: {box: {position: [0.1, 0, 0], tolerance: 1e-5}}}\n");
  const std::string inputs = folder.write(
      "turn.jsonl",
      R"({"time": 0, "kind": "drag", "body": "box", "point": [0.05, 0, 0], "to": [0.1, 0.05, 0], )"
      R"("stiffness": 1e6, "orientation": [1, 0, 0, 1], "turning": 50})"
      "\n");
  const std::string file = folder.path("log.h5");
  const Outcome outcome = run("run " + scene + " --inputs " + inputs + " --out " + file);
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
  EXPECT_EQ(run("replay " + file).code, 0);
  const std::string none = folder.write(
      "none.jsonl", R"({"time": 0, "kind": "drag", "body": "box", "orientation": [0, 0, 0, 0]})"
                    "\n");
  const Outcome refused = run("run " + scene + " --inputs " + none);
  EXPECT_EQ(refused.code, 1) << refused.output;
  EXPECT_TRUE(contains(refused.errors, "orientation of zeros")) << refused.errors;
}

TEST(RunInputs, MistakesAreExplained) {
  const TemporaryFolder folder;
  const std::string scene = kRoot + "/scenes/stack.yaml";
  const auto complain = [&](const std::string& line) {
    const Outcome outcome = run("run " + scene + " --inputs " + folder.write("i.jsonl", line));
    EXPECT_EQ(outcome.code, 1) << line;
    return outcome.errors;
  };
  const std::string front = "{\"time\": 0, \"kind\": ";
  EXPECT_TRUE(contains(complain("\n{\"time\": 0,"), "i.jsonl:2: this line is not JSON"));
  EXPECT_TRUE(contains(complain("[1]"), "'time'"));
  EXPECT_TRUE(contains(complain(front + "\"push\"}"), "no kind of input"));
  EXPECT_TRUE(contains(complain(front + "\"wrench\"}"), "needs 'body'"));
  EXPECT_TRUE(contains(complain(front + "\"wrench\", \"body\": \"x\", \"forc\": [0, 0, 1]}"),
                       "did you mean 'force'?"));
  EXPECT_TRUE(contains(complain(front + "\"wrench\", \"body\": \"x\", \"force\": [0, 1]}"),
                       "three numbers"));
  EXPECT_TRUE(contains(complain("\n" + front + "\"wrench\", \"body\": \"x\"}"),
                       "i.jsonl:2: an input pushes 'x', but nothing of this name"));
  EXPECT_TRUE(contains(complain("{\"time\": -1, \"kind\": \"release\"}"),
                       "i.jsonl:1: -1 s is before the start"));
  EXPECT_TRUE(contains(run("run " + scene + " --inputs " + folder.path("")).errors,
                       "this is a folder; name a file"));
  EXPECT_TRUE(
      contains(complain(front + "\"target\", \"joint\": \"x\", \"value\": 1}"), "no joint"));
  EXPECT_TRUE(contains(complain(front + "\"target\", \"joint\": \"x\"}"), "the number 'value'"));
  const std::string release = "\"kind\": \"release\"}\n";
  EXPECT_TRUE(contains(complain("{\"time\": 1, " + release + "{\"time\": 0.5, " + release),
                       "i.jsonl:2: 0.5 s comes after 1 s"));
}

}  // namespace
}  // namespace stance::cli
