// Bad input: each file of tests/data/broken_urdf ends as its expected.txt says, and so do inputs
// too large to keep. Never a crash, a hang or a number that is not one.

#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "stance/io/urdf.h"
#include "stance/io/xml_text.h"

#include "finite_robot.h"
#include "support/slow.h"
#include "urdf_text.h"

namespace stance::io {
namespace {

using testing::joint_text;
using testing::link_text;
using testing::robot_text;

const std::filesystem::path kFolder = STANCE_SOURCE_DIR "/tests/data/broken_urdf";

constexpr double kMostSeconds = test::kIsSlow ? 100.0 : 10.0;

struct Row {
  std::string file, outcome, part;
  int line = 0;
};

std::string trim(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<Row> read_table() {
  std::vector<Row> rows;
  std::ifstream stream(kFolder / "expected.txt");
  for (std::string text; std::getline(stream, text);) {
    if (text.empty() || text[0] == '#') continue;
    std::istringstream cells(text);
    std::string file, outcome, line, part;
    std::getline(cells, file, '|');
    std::getline(cells, outcome, '|');
    std::getline(cells, line, '|');
    std::getline(cells, part);
    rows.push_back({trim(file), trim(outcome), trim(part), std::stoi(line)});
  }
  return rows;
}

bool contains(const std::vector<Finding>& findings, const Row& row) {
  for (const Finding& finding : findings)
    if (finding.place.line == row.line && finding.what.find(row.part) != std::string::npos)
      return true;
  return false;
}

std::string list(const UrdfReport& report) {
  std::string text;
  for (const Finding& error : report.errors) text += "\n  error: " + error.text();
  for (const Finding& warning : report.warnings) text += "\n  warning: " + warning.text();
  return text;
}

// Reads with a stopwatch, and checks what must hold for every input.
template <class Read>
UrdfReport read_safely(const Read& read) {
  const std::clock_t start = std::clock();  // processor time: a busy machine is no hang
  UrdfReport report = read();
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, kMostSeconds);
  EXPECT_EQ(report.robot.has_value(), report.errors.empty());
  if (report.robot) {
    EXPECT_EQ(testing::find_non_finite(*report.robot), "");
  }
  return report;
}

UrdfReport check_text(const std::string& text) {
  return read_safely([&] { return check_urdf_text(text, "generated.urdf"); });
}

TEST(BrokenUrdf, EndsAsTheTableSays) {
  const std::vector<Row> rows = read_table();
  EXPECT_GE(rows.size(), 45u);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.file);
    const std::string path = (kFolder / row.file).string();
    const UrdfReport report = read_safely([&] { return check_urdf(path); });
    if (row.outcome == "error") {
      EXPECT_TRUE(contains(report.errors, row)) << list(report);
      try {
        load_urdf(path);
        ADD_FAILURE() << "it was read";
      } catch (const Error& error) {
        EXPECT_EQ(error.place().file, path);
      }
    } else if (row.outcome == "warning") {
      EXPECT_TRUE(report.robot) << list(report);
      EXPECT_TRUE(contains(report.warnings, row)) << list(report);
      EXPECT_THROW(load_urdf(path, {BaseChoice::kAuto, true}), Error);
    } else {
      EXPECT_EQ(row.outcome, "ok");
      EXPECT_TRUE(report.robot) << list(report);
      EXPECT_TRUE(report.warnings.empty()) << list(report);
    }
  }
}

TEST(BrokenUrdf, EveryFileIsInTheTable) {
  std::set<std::string> known = {"expected.txt", ".gitattributes"};
  for (const Row& row : read_table()) known.insert(row.file);
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    EXPECT_TRUE(known.count(entry.path().filename().string())) << entry.path();
}

TEST(BrokenUrdf, CutAnywhereNeverHarms) {
  std::ifstream stream(STANCE_SOURCE_DIR "/models/double_pendulum.urdf");
  std::stringstream text;
  text << stream.rdbuf();
  const std::string whole = text.str();
  ASSERT_FALSE(whole.empty());
  for (std::size_t length = 0; length < whole.rfind("</robot>"); length += 7) {
    const UrdfReport report = check_text(whole.substr(0, length));
    EXPECT_FALSE(report.errors.empty()) << length;
  }
}

// ---- large ones, made here ------------------------------------------------------------------

constexpr int kMany = 20000;  // enough to overflow the stack by recursion, or to show a square law

// Link i is named l0000i, or counted down, so that names sort along the chain or against it.
std::string link_name(int i, bool downwards) {
  return "l" + std::to_string(downwards ? 2000000 - i : 1000000 + i);
}

std::string chain_text(int count, const std::string& type, bool downwards = false) {
  std::string body;
  for (int i = 0; i < count; ++i) body += link_text(link_name(i, downwards));
  for (int i = 1; i < count; ++i)
    body += joint_text("j" + std::to_string(i), type, link_name(i - 1, downwards),
                       link_name(i, downwards), "<origin xyz=\"0 0 1\"/>");
  return robot_text(body);
}

TEST(BrokenUrdf, AChainOfAHundredThousandLinksIsRead) {
  const UrdfReport report = check_text(chain_text(100000, "continuous"));
  ASSERT_TRUE(report.robot) << list(report);
  EXPECT_EQ(report.robot->model.nbody, 100001);
}

TEST(BrokenUrdf, ALongChainInAnyOrderOfNamesIsRead) {
  const UrdfReport report = check_text(chain_text(kMany, "continuous", true));
  ASSERT_TRUE(report.robot) << list(report);
  EXPECT_EQ(report.robot->model.nbody, kMany + 1);
}

TEST(BrokenUrdf, ManyFixedLinksAreOneBody) {
  const UrdfReport report = check_text(chain_text(kMany, "fixed"));
  ASSERT_TRUE(report.robot) << list(report);
  EXPECT_EQ(report.robot->model.nbody, 2);
  EXPECT_NEAR(report.robot->model.total_mass(), kMany, 1e-6 * kMany);
}

TEST(BrokenUrdf, ALoopOfManyLinksIsAnError) {
  std::string text = chain_text(kMany, "continuous");
  text.insert(text.rfind("</robot>"),
              joint_text("back", "continuous", link_name(kMany - 1, false), link_name(0, false)));
  const UrdfReport report = check_text(text);
  ASSERT_EQ(report.errors.size(), 1u) << list(report);
  EXPECT_NE(report.errors[0].what.find("loop"), std::string::npos);
}

TEST(BrokenUrdf, EndlessMimicsOfMimicsAreAnError) {
  std::string body = link_text("l0");
  for (int i = 1; i < kMany; ++i)
    body += link_text("l" + std::to_string(i)) +
            joint_text("j" + std::to_string(i), "continuous", "l0", "l" + std::to_string(i),
                       i > 1 ? "<mimic joint=\"j" + std::to_string(i - 1) + "\"/>" : "");
  const UrdfReport report = check_text(robot_text(body));
  EXPECT_FALSE(report.errors.empty());
}

TEST(BrokenUrdf, ManyMistakesAreCutShort) {
  std::string body = link_text("base");
  for (int i = 0; i < 10 * kMany; ++i) body += "<x y=\"1\"/>\n";
  const UrdfReport report = check_text(robot_text(body));
  EXPECT_TRUE(report.robot);
  ASSERT_GT(report.warnings.size(), 100u);
  EXPECT_LT(report.warnings.size(), 10000u);
  EXPECT_NE(report.warnings.back().what.find("more follow"), std::string::npos);
}

TEST(BrokenUrdf, MoreThanSixtyFourMegabytesAreRefused) {
  std::string text = robot_text(link_text("base"));
  text.append(kMostXmlBytes, ' ');
  const UrdfReport report = check_text(text);
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_NE(report.errors[0].what.find("MB"), std::string::npos);
}

TEST(BrokenUrdf, ManyAttributesDoNotStallTheParser) {
  std::string link = "<link name=\"a\"";
  for (int i = 0; i < 1000000; ++i) link += " a" + std::to_string(i) + "='1'";
  EXPECT_FALSE(check_text(robot_text(link + "/>\n")).errors.empty());
}

}  // namespace
}  // namespace stance::io
