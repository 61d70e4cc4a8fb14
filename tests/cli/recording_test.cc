// Recordings as a user meets them: run --out, info, replay, plot, and a run that is killed.

#include "stance/io/recording.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stance/io/recording_finish.h"
#include "stance/kernel/error.h"

#include "recording_support.h"
#include "run_program.h"

namespace stance::io {
namespace {

using testing::contains;
using testing::find_python;
using testing::kBall;
using testing::Outcome;
using testing::read_file;
using testing::run;
using testing::TemporaryFolder;

const std::string kRoot = STANCE_SOURCE_DIR;

std::string with_record(const std::string& record) {
  return std::string(kBall) + "record: " + record + "\n";
}

// Channel and column of a recording, by row.
std::vector<double> read_column(const Recording& log, const std::string& name, std::size_t column) {
  const auto& channels = log.header().channels;
  for (std::size_t k = 0; k < channels.size(); ++k) {
    if (channels[k].name != name) continue;
    const std::vector<double> values = log.read(k);
    std::vector<double> out;
    for (std::size_t r = 0; r < log.rows(); ++r)
      out.push_back(values[r * channels[k].columns.size() + column]);
    return out;
  }
  ADD_FAILURE() << "no " << name;
  return {};
}

// ---- run --out --------------------------------------------------------------------------------

TEST(Record, HoldsEveryStepOfTheRun) {
  const TemporaryFolder folder;
  const std::string scene = folder.write("ball.yaml", kBall), file = folder.path("log.h5");
  const Outcome outcome = run("run " + scene + " --set height=2 --out " + file);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(contains(outcome.output, "recorded 300 rows of ")) << outcome.output;
  const Recording log(file);
  ASSERT_EQ(log.rows(), 300u);
  EXPECT_TRUE(log.is_complete());
  EXPECT_EQ(log.header().scene, "ball");
  EXPECT_EQ(log.header().texts.at(0).text, kBall);
  EXPECT_EQ(log.header().settings.set, (scene::Settings::Values{{"height", "2"}}));
  EXPECT_EQ(log.summary()->run.steps, 300);
  const std::vector<double> x = read_column(log, "ball/position", 0);
  const std::vector<double> vz = read_column(log, "ball/velocity", 2);
  for (std::size_t r = 0; r < log.rows(); ++r) {
    const double t = 1e-3 * static_cast<double>(r + 1);
    EXPECT_NEAR(log.time()[r], t, 1e-12);
    EXPECT_EQ(log.step()[r], r + 1);
    EXPECT_NEAR(x[r], t, 1e-12);
    EXPECT_NEAR(vz[r], -9.81 * t, 1e-12);
  }
}

TEST(Record, NothingIsWrittenUnasked) {
  const TemporaryFolder folder;
  const std::string scene = folder.write("ball.yaml", kBall);
  EXPECT_EQ(run("run " + scene).code, 0);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_EQ(entry.path().filename(), "ball.yaml");
}

TEST(Record, TheSceneChoosesChannelsAndTheirRate) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  const std::string scene = folder.write(
      "ball.yaml", with_record("{channels: [ball/p*, ball/contact_impulse], every: 0.01, file: '" +
                               file + "'}"));
  EXPECT_EQ(run("run " + scene + " --no-record").code, 0);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(run("run " + scene).code, 0);
  const Recording log(file);
  EXPECT_EQ(log.rows(), 30u);
  EXPECT_EQ(log.step()[0], 10u);
  ASSERT_EQ(log.header().channels.size(), 2u);
  EXPECT_EQ(log.header().channels[0].name, "ball/position");
  EXPECT_EQ(log.header().channels[1].name, "ball/contact_impulse");
  EXPECT_EQ(run("replay " + file).code, 0);

  const Outcome uneven =
      run("run " + folder.write("uneven.yaml", with_record("{every: 0.0025}")) + " --out " + file);
  EXPECT_EQ(uneven.code, 1);
  EXPECT_TRUE(contains(uneven.errors, "not a multiple of the step")) << uneven.errors;
  const Outcome typo =
      run("run " + folder.write("typo.yaml", with_record("{channels: bal/position}")) + " --out " +
          file);
  EXPECT_EQ(typo.code, 1);
  EXPECT_TRUE(contains(typo.errors, "typo.yaml:6:")) << typo.errors;
  EXPECT_TRUE(contains(typo.errors, "did you mean 'ball/position'?")) << typo.errors;
}

TEST(Record, CsvHasTheSameNumbers) {
  const TemporaryFolder folder;
  const std::string scene = folder.write("ball.yaml", kBall), csv = folder.path("log.csv"),
                    file = folder.path("log.h5");
  EXPECT_EQ(
      run("run " + scene + " --csv " + csv + " --out " + file + " --channel ball/position").code,
      0);
  const Recording log(file);
  const std::vector<double> z = read_column(log, "ball/position", 2);
  std::istringstream lines(read_file(csv));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "time [s],ball/position:x [m],ball/position:y [m],ball/position:z [m]");
  std::size_t row = 0;
  for (; std::getline(lines, line); ++row) {
    EXPECT_EQ(std::stod(line), log.time()[row]);
    EXPECT_EQ(std::stod(line.substr(line.rfind(',') + 1)), z[row]) << "to the last bit";
  }
  EXPECT_EQ(row, 300u);
  EXPECT_EQ(run("run " + scene + " --csv " + csv).code, 0) << "alone too";
}

TEST(Record, BadWordsAreExplained) {
  const TemporaryFolder folder;
  const std::string scene = folder.write("ball.yaml", kBall);
  EXPECT_EQ(run("run " + scene + " --out log.txt").code, 2);
  EXPECT_EQ(run("run " + scene + " --channel ball/position").code, 2);
  const Outcome nowhere = run("run " + scene + " --out " + folder.path("none/log.h5"));
  EXPECT_EQ(nowhere.code, 1);
  EXPECT_TRUE(contains(nowhere.errors, "there is no folder")) << nowhere.errors;
  const Outcome typo =
      run("run " + scene + " --out " + folder.path("log.h5") + " --channel ball/sipn");
  EXPECT_EQ(typo.code, 1);
  EXPECT_TRUE(contains(typo.errors, "did you mean 'ball/spin'?")) << typo.errors;
  EXPECT_FALSE(std::filesystem::exists(folder.path("log.h5.journal")));
}

TEST(Record, ALostRunKeepsItsRowsAndItsEvent) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  const std::string scene = folder.write(
      "lost.yaml",
      "version: 1\nduration: 1\nobjects: {ball: {shape: {sphere: {radius: 0.1}}, mass: 1, "
      "velocity: [1e29, 0, 0]}}\ngravity: [1e32, 0, 0]\n");
  EXPECT_EQ(run("run " + scene + " --out " + file).code, 4);
  const Recording log(file);
  EXPECT_LT(log.rows(), 1000u);
  ASSERT_EQ(log.events().size(), 1u);
  EXPECT_EQ(log.events()[0].kind, "not_finite");
  EXPECT_EQ(run("replay " + file).code, 0);
}

// Objects that come and go: rows while they are not there, events, the same bits again, and from a
// snapshot in between.
TEST(Record, ObjectsThatComeAndGoAreReplayed) {
  const TemporaryFolder folder;
  const std::string scene = kRoot + "/scenes/come_and_go.yaml", file = folder.path("log.h5"),
                    half = folder.path("half.h5"), rest = folder.path("rest.h5");
  ASSERT_EQ(run("run " + scene + " --snapshot-at 1 --snapshot " + half + " --out " + file).code, 0);
  const Recording log(file);
  const std::vector<double> x = read_column(log, "parcel1/position", 0);
  for (std::size_t r = 0; r < log.rows(); ++r)
    EXPECT_EQ(std::isfinite(x[r]), log.step()[r] > 500 && log.step()[r] <= 1300) << r;
  EXPECT_TRUE(std::any_of(log.events().begin(), log.events().end(), [](const JournalNote& note) {
    return note.kind == "appears" && note.text == "parcel2";
  }));
  EXPECT_EQ(run("replay " + file).code, 0);
  EXPECT_EQ(run("run " + scene + " --from " + half + " --out " + rest).code, 0);
  EXPECT_EQ(run("replay " + rest).code, 0);
  const Recording second(rest);
  const std::vector<double> late = read_column(second, "parcel3/velocity", 0),
                            whole = read_column(log, "parcel3/velocity", 0);
  ASSERT_EQ(second.rows(), 1000u);
  for (std::size_t r = 0; r < 1000; ++r)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(late[r]), std::bit_cast<std::uint64_t>(whole[1000 + r]));
}

// ---- plain h5py -------------------------------------------------------------------------------

void check_with_h5py(const std::string& file, const std::string& checks) {
  const std::string python = find_python();
  if (python.empty()) GTEST_SKIP() << "h5py is not installed (Debian package python3-h5py)";
  const TemporaryFolder folder;
  const std::string script = folder.write(
      "check.py", "import h5py, json, sys\nf = h5py.File(sys.argv[1], 'r')\n" + checks);
  EXPECT_EQ(std::system((python + " " + script + " " + file).c_str()), 0);
}

TEST(Record, PlainH5pyReadsIt) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  ASSERT_EQ(run("run " + folder.write("ball.yaml", kBall) + " --out " + file).code, 0);
  check_with_h5py(file,
                  "assert f.attrs['format'] == 'stance recording'\n"
                  "assert f.attrs['complete'] == 1 and f.attrs['step'] == 1e-3\n"
                  "assert f['time'].shape == (300,) and f['time'].attrs['unit'] == 's'\n"
                  "p = f['channels/ball/position']\n"
                  "assert p.shape == (300, 3) and p.attrs['unit'] == 'm'\n"
                  "assert list(p.attrs['columns']) == ['x', 'y', 'z']\n"
                  "assert abs(p[-1, 0] - 0.3) < 1e-9\n"
                  "assert 'version: 1' in f['scene/text'][0].decode()\n"
                  "assert json.loads(f['header'][()])['scene'] == 'ball'\n"
                  "assert json.loads(f['summary'][()])['steps'] == 300\n"
                  "assert len(f['events/time']) == 0 and len(f['inputs/step']) == 0\n");
}

// ---- info -------------------------------------------------------------------------------------

TEST(Record, InfoTellsWhatItHolds) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  const std::string scene = folder.write(
      "robot.yaml", "version: 1\nabout: swings\nduration: 0.1\nrobots: {arm: {urdf: '" + kRoot +
                        "/models/double_pendulum.urdf', joints: {'*': 1}}}\n");
  ASSERT_EQ(run("run " + scene + " --out " + file).code, 0);
  const Outcome outcome = run("info " + file);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  for (const char* part :
       {"recording of robot: swings", "100 rows of", "0.001 s to 0.1 s", "arm/joint_position",
        "rad/s", "double_pendulum.urdf", "no events", "came to its end", "stance "})
    EXPECT_TRUE(contains(outcome.output, part)) << part << "\n" << outcome.output;
  const nlohmann::json json = nlohmann::json::parse(run("info --json " + file).output);
  EXPECT_EQ(json.at("rows"), 100);
  EXPECT_EQ(json.at("complete"), true);
  EXPECT_EQ(json.at("files")[0].at("sha256").get<std::string>().size(), 64u);
  EXPECT_EQ(json.at("channels")[0].at("unit"), "rad");
}

// ---- replay -----------------------------------------------------------------------------------

class ReplayScenes : public ::testing::TestWithParam<const char*> {};

TEST_P(ReplayScenes, BitForBit) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  run("run " + kRoot + "/scenes/" + GetParam() + ".yaml --duration 0.3 --channel '*' --out " +
      file);
  const Outcome outcome = run("replay " + file);
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
  EXPECT_TRUE(contains(outcome.output, "the same, bit for bit")) << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(Scenes, ReplayScenes,
                         ::testing::Values("humanoid_stand", "stack", "four_bar", "pile",
                                           "rimless_wheel", "wedge_grasp"));

TEST(Replay, TheSceneMayHaveChangedMeanwhile) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  folder.write("base.yaml", "version: 1\ngravity: [0, 0, -1]\n");
  const std::string scene = folder.write("ball.yaml", std::string(kBall) + "include: base.yaml\n");
  ASSERT_EQ(run("run " + scene + " --set height=3 --seed 4 --out " + file).code, 0);
  folder.write("ball.yaml", "version: 1\n# all gone\n");
  folder.write("base.yaml", "nonsense: [\n");
  EXPECT_EQ(run("replay " + file).code, 0);
  std::filesystem::remove(folder.path("base.yaml"));
  std::filesystem::remove(scene);
  EXPECT_EQ(run("replay " + file).code, 0) << "the scene comes out of the recording";
}

TEST(Replay, RefusesAChangedRobot) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  const std::string text = read_file(kRoot + "/models/pendulum.urdf");
  const std::string robot = folder.write("pendulum.urdf", text);
  ASSERT_EQ(run("run " + robot + " --duration 0.1 --out " + file).code, 0);
  EXPECT_EQ(run("replay " + file).code, 0);
  folder.write("pendulum.urdf", text + "<!-- touched -->\n");
  const Outcome outcome = run("replay " + file);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.errors, "pendulum.urdf: this file has changed")) << outcome.errors;
  std::filesystem::remove(robot);
  EXPECT_TRUE(contains(run("replay " + file).errors, "not there any more"));
}

TEST(Replay, GoesOnFromTheSnapshotInside) {
  const TemporaryFolder folder;
  const std::string scene = folder.write("ball.yaml", kBall), state = folder.path("state.h5"),
                    file = folder.path("log.h5");
  ASSERT_EQ(run("run " + scene + " --snapshot-at 0.1 --snapshot " + state).code, 0);
  ASSERT_EQ(run("run " + scene + " --from " + state + " --out " + file).code, 0);
  std::filesystem::remove(state);
  EXPECT_EQ(Recording(file).rows(), 200u);
  const Outcome outcome = run("replay " + file);
  EXPECT_EQ(outcome.code, 0) << outcome.output << outcome.errors;
}

// One bit of one number, changed in a journal that is then finished.
TEST(Replay, FindsOneBit) {
  const TemporaryFolder folder;
  const std::string scene = folder.write("ball.yaml", kBall), file = folder.path("log.h5"),
                    changed = folder.path("changed.h5");
  ASSERT_EQ(run("run " + scene + " --out " + file + " --channel ball/position").code, 0);
  const Recording log(file);
  {
    JournalWriter out(find_journal_name(changed));
    const std::string header = write_header(log.header());
    out.add(FrameKind::kHeader, std::as_bytes(std::span(header)));
    const std::vector<double> values = log.read(0);
    for (std::size_t r = 0; r < log.rows(); ++r) {
      double row[5] = {0.0, log.time()[r], values[3 * r], values[3 * r + 1], values[3 * r + 2]};
      std::memcpy(row, &log.step()[r], 8);
      if (r == 122) row[4] = std::nextafter(row[4], 10.0);
      out.add_row(std::as_bytes(std::span(row)));
    }
    out.flush();
  }
  const Outcome outcome = run("replay " + changed);
  EXPECT_EQ(outcome.code, 5) << outcome.output << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, "saved 300 rows up to 0.3 s")) << outcome.errors;
  EXPECT_TRUE(contains(outcome.output, "not the same: at 0.123 s ball/position:z was "))
      << outcome.output;
  const nlohmann::json json = nlohmann::json::parse(run("replay --json " + changed).output);
  EXPECT_EQ(json.at("same"), false);
  EXPECT_EQ(json.at("difference").at("column"), "z");
}

TEST(Replay, WarnsOfAnotherProgramAndProcessor) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5"), other = folder.path("other.h5");
  ASSERT_EQ(run("run " + folder.write("ball.yaml", kBall) + " --out " + file).code, 0);
  RecordingHeader header = Recording(file).header();
  header.program = "stance 0.0.7", header.feature_level = "abacus";
  {
    JournalWriter out(find_journal_name(other));
    const std::string text = write_header(header);
    out.add(FrameKind::kHeader, std::as_bytes(std::span(text)));
    out.flush();
  }
  const Outcome outcome = run("replay " + other);
  EXPECT_TRUE(contains(outcome.errors, "it was recorded on abacus")) << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, "it was recorded by stance 0.0.7")) << outcome.errors;
}

// ---- killed -----------------------------------------------------------------------------------

// Starts the program and leaves it running.
pid_t start(const std::vector<std::string>& arguments) {
  const pid_t child = fork();
  if (child != 0) return child;
  std::vector<char*> words = {const_cast<char*>(STANCE_PROGRAM)};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr)) _exit(1);
  execv(STANCE_PROGRAM, words.data());
  _exit(127);
}

// The size of a file that is being written, once it is more than `least` bytes.
std::uintmax_t wait_for_size(const std::string& file, std::uintmax_t least) {
  for (int k = 0; k < 60'000; ++k) {
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(file, none);
    if (!none && size > least) return size;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ADD_FAILURE() << file << " does not grow beyond " << least << " bytes";
  return least;
}

// Records until the journal was written to so many times, then dies without a word. Returns the
// size of the journal before that.
std::uintmax_t record_and_kill(const std::string& scene, const std::string& file, int writes) {
  const std::string journal = find_journal_name(file);
  const pid_t child = start({"run", scene, "--duration", "1000000", "--out", file});
  std::uintmax_t size = wait_for_size(journal, 0);
  for (int k = 0; k < writes; ++k) size = wait_for_size(journal, size);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it ended before it was killed";
  return size;
}

// Few rows, so that only the clock makes the writer write: again and again, and what it wrote is
// there afterwards.
TEST(Killed, LosesAtMostTheLastFlush) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  const std::string scene =
      folder.write("ball.yaml", with_record("{flush: 0.2, every_steps: 2000}"));
  const std::uintmax_t written = record_and_kill(scene, file, 5);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_GE(std::filesystem::file_size(find_journal_name(file)), written);
  EXPECT_LT(std::filesystem::file_size(find_journal_name(file)), 1u << 20);

  const Outcome info = run("info " + file);
  EXPECT_EQ(info.code, 0) << info.errors;
  EXPECT_TRUE(contains(info.errors, "of a run that was cut off")) << info.errors;
  EXPECT_TRUE(contains(info.output, "the run was cut off")) << info.output;
  EXPECT_FALSE(std::filesystem::exists(find_journal_name(file)));
  const Recording log(file);
  ASSERT_GT(log.rows(), 0u);
  for (std::size_t r = 0; r < log.rows(); ++r) ASSERT_EQ(log.step()[r], 2000 * (r + 1));

  const Outcome replay = run("replay " + file);
  EXPECT_EQ(replay.code, 0) << replay.output << replay.errors;
  EXPECT_TRUE(contains(replay.output, "cut off there")) << replay.output;
  check_with_h5py(file,
                  "assert f.attrs['complete'] == 0\n"
                  "assert len(f['time']) == f['channels/ball/position'].shape[0] > 0\n");
}

TEST(Killed, ALongFlushLosesMore) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  const std::string journal = find_journal_name(file);
  const pid_t child = start({"run",
                             folder.write("ball.yaml", with_record("{flush: 60, every_steps: "
                                                                   "2000}")),
                             "--duration", "1000000", "--out", file});
  wait_for_size(journal, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // far less than 60 s
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(run("info " + file).code, 0);
  EXPECT_EQ(Recording(file).rows(), 0u);
}

TEST(Killed, TheNextRunOfTheSameNameSavesItElsewhere) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5"), scene = folder.write("ball.yaml", kBall);
  record_and_kill(scene, file, 1);
  const Outcome outcome = run("run " + scene + " --out " + file);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, "log.recovered.h5: saved ")) << outcome.errors;
  EXPECT_TRUE(Recording(file).is_complete());
  EXPECT_FALSE(Recording(folder.path("log.recovered.h5")).is_complete());
}

TEST(Killed, AnOlderRecordingIsNotLost) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5"), scene = folder.write("ball.yaml", kBall);
  ASSERT_EQ(run("run " + scene + " --out " + file).code, 0);
  record_and_kill(scene, file, 1);
  const Outcome outcome = run("replay " + file);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, "log.recovered.h5: saved ")) << outcome.errors;
  EXPECT_TRUE(contains(outcome.output, "300 rows")) << outcome.output;
}

TEST(Killed, ARunThatLivesIsNotTouched) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5"), scene = folder.write("ball.yaml", kBall);
  const pid_t child = start({"run", scene, "--duration", "100000", "--out", file});
  wait_for_size(find_journal_name(file), 0);  // by then it is locked
  const std::vector<std::string> commands = {"info " + file, "replay " + file,
                                             "run " + scene + " --out " + file};
  for (const std::string& command : commands) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 1) << command;
    EXPECT_TRUE(contains(outcome.errors, "right now")) << outcome.errors;
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(Killed, GarbageInAJournalIsASentence) {
  const TemporaryFolder folder;
  folder.write("log.h5.journal", "this is not what you are looking for");
  for (const char* command : {"info ", "replay ", "plot -o x.svg --channel x "}) {
    const Outcome outcome = run(command + folder.path("log.h5"));
    EXPECT_EQ(outcome.code, 1) << outcome.output;
    EXPECT_TRUE(contains(outcome.errors, "this is not a journal of a recording")) << outcome.errors;
  }
}

}  // namespace
}  // namespace stance::io
