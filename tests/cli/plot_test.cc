// `stance plot`, and the commands of docs/recording.md.

#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

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

// ---- plot -------------------------------------------------------------------------------------

class Plot : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::system("gnuplot --version > /dev/null 2>&1") != 0)
      GTEST_SKIP() << "gnuplot is not installed (Debian package gnuplot-nox)";
    scene_ = folder_.write("ball.yaml", kBall);
    file_ = folder_.path("log.h5"), figure_ = folder_.path("figure.svg");
    ASSERT_EQ(run("run " + scene_ + " --out " + file_).code, 0);
  }
  std::string draw(const std::string& arguments) {
    const Outcome outcome = run("plot " + file_ + " -o " + figure_ + " " + arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    return read_file(figure_);
  }
  const TemporaryFolder folder_;
  std::string scene_, file_, figure_;
};

TEST_F(Plot, HasAxesUnitsAndLegend) {
  const std::string svg = draw("--channel ball/position velocity:z energy/kinetic");
  for (const char* part : {"<svg", "time [s]", "position [m]", "ball/position", "velocity [m/s]",
                           "kinetic [J]", ">ball<", ">x<", ">z<"})
    EXPECT_TRUE(contains(svg, part)) << part;
}

TEST_F(Plot, ChannelsOfOneUnitShareAPanel) {
  const std::string svg = draw("--channel 'energy/*'");
  EXPECT_TRUE(contains(svg, "energy [J]"));
  EXPECT_TRUE(contains(svg, "energy/potential"));
  EXPECT_EQ(svg.find("energy [J]"), svg.rfind("energy [J]")) << "one axis";
}

TEST_F(Plot, ShowsAStretchOfTime) {
  const std::string svg = draw("--channel ball/position:x --from 0.1 --to 0.2");
  EXPECT_TRUE(contains(svg, ">0.14<"));
  EXPECT_FALSE(contains(svg, ">0.05<"));
  const Outcome outside =
      run("plot " + file_ + " -o " + figure_ + " --channel ball/position --from 5");
  EXPECT_EQ(outside.code, 1);
  EXPECT_TRUE(contains(outside.errors, "it goes from 0.001 s to 0.3 s")) << outside.errors;
  EXPECT_EQ(
      run("plot " + file_ + " -o " + figure_ + " --channel ball/position --from 2 --to 1").code, 2);
}

TEST_F(Plot, ComparesTwoRecordings) {
  const std::string other = folder_.path("other.h5");
  ASSERT_EQ(run("run " + scene_ + " --set height=2 --out " + other).code, 0);
  const std::string svg = draw("--channel ball/position:z --compare " + other);
  EXPECT_TRUE(contains(svg, "other.h5"));
  EXPECT_TRUE(contains(svg, "stroke-dasharray"));
}

TEST_F(Plot, WritesPng) {
  const std::string png = folder_.path("figure.png");
  EXPECT_EQ(run("plot " + file_ + " --channel ball/position -o " + png).code, 0);
  EXPECT_EQ(read_file(png).substr(0, 4), "\x89PNG");
  EXPECT_EQ(run("plot " + file_ + " --channel ball/position -o figure.jpg").code, 2);
}

TEST_F(Plot, NamesTheNearestChannelAndColumn) {
  const auto complain = [&](const std::string& channel) {
    const Outcome outcome = run("plot " + file_ + " -o " + figure_ + " --channel " + channel);
    EXPECT_EQ(outcome.code, 1);
    return outcome.errors;
  };
  EXPECT_TRUE(contains(complain("ball/positon"), "did you mean 'ball/position'?"));
  EXPECT_TRUE(contains(complain("velocty"), "did you mean 'ball/velocity'?"));
  EXPECT_TRUE(contains(complain("ball/position:w"), "has no column 'w'; there are x, y, z"));
}

// ---- the documents ----------------------------------------------------------------------------

// The first block of a document between lines of ``` and its kind.
std::string find_block(const std::string& text, const std::string& kind) {
  const std::string mark = "\n```" + kind + "\n";
  const std::size_t start = text.find(mark);
  if (start == std::string::npos) return "";
  const std::size_t first = start + mark.size();
  return text.substr(first, text.find("```", first) - first);
}

TEST(RecordingDocs, CommandsAndScriptRun) {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "gnuplot is not installed (Debian package gnuplot-nox)";
  const TemporaryFolder folder;
  const std::string docs = read_file(kRoot + "/docs/recording.md");
  std::filesystem::create_directory_symlink(kRoot + "/scenes", folder.path("scenes"));
  std::istringstream lines(find_block(docs, ""));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    ASSERT_EQ(line.rfind("stance ", 0), 0u) << line;
    std::string command = line.substr(0, line.find("  #")).substr(7);
    if (command.rfind("run ", 0) == 0) command += " --duration 0.2";
    const Outcome outcome = run(command, folder.path());
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.errors << outcome.output;
  }
  EXPECT_EQ(count, 5);
  const std::string python = find_python();
  if (python.empty()) GTEST_SKIP() << "h5py is not installed (Debian package python3-h5py)";
  const std::string script =
      folder.write("read.py", find_block(docs, "python") + "\nassert 200 < left[-1] < 400\n");
  EXPECT_EQ(std::system(
                ("cd " + folder.path() + " && " + python + " " + script + " > /dev/null").c_str()),
            0);
}

TEST(RecordingCommands, HelpHasExamples) {
  EXPECT_TRUE(contains(run("replay --help").output, "stance replay stack.h5"));
  EXPECT_TRUE(contains(run("plot --help").output, "stance plot stand.h5 --channel com"));
  EXPECT_TRUE(contains(run("info --help").output, "stance info log.h5"));
  EXPECT_TRUE(contains(run("run --help").output, "--out stand.h5"));
}

}  // namespace
}  // namespace stance::io
