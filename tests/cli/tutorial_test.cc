// docs/tutorial.md works as it stands: its files are written, its commands run in their order.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "recording_support.h"
#include "run_program.h"

namespace stance::io {
namespace {

using testing::read_file;
using testing::TemporaryFolder;

const std::string kRoot = STANCE_SOURCE_DIR;

struct Block {
  std::string language, text;
};

std::vector<Block> find_blocks(const std::string& text) {
  std::vector<Block> blocks;
  std::istringstream lines(text);
  bool is_inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("```", 0) == 0) {
      if (!is_inside) blocks.push_back({line.substr(3), ""});
      is_inside = !is_inside;
    } else if (is_inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

TEST(Tutorial, Works) {
  if (std::system("gnuplot --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "gnuplot is not installed (Debian package gnuplot-nox)";
  const TemporaryFolder folder;
  std::filesystem::create_directory_symlink(kRoot + "/models", folder.path("models"));
  std::filesystem::create_symlink(STANCE_PROGRAM, folder.path("stance"));
  const std::string python = testing::find_python();
  const auto execute = [&](const std::string& command) {
    const std::string all = "cd '" + folder.path() + "' && " + command + " > output 2>&1";
    EXPECT_EQ(std::system(all.c_str()), 0) << command << "\n" << read_file(folder.path("output"));
  };
  int scenes = 0, scripts = 0;
  std::string swept;
  for (const Block& block : find_blocks(read_file(kRoot + "/docs/tutorial.md"))) {
    if (block.language == "yaml") {
      ASSERT_EQ(block.text.rfind("# ", 0), 0u) << "a scene begins with its file's name";
      folder.write(block.text.substr(2, block.text.find('\n') - 2), block.text);
      ++scenes;
    } else if (block.language == "sh") {
      folder.write("script.sh", block.text);
      execute("sh -eu script.sh");
      if (block.text.rfind("for ", 0) == 0) swept = read_file(folder.path("output"));
      ++scripts;
    } else if (block.language == "python") {
      folder.write("script.py", block.text);
      if (!python.empty()) execute(python + " script.py");
    } else {
      ADD_FAILURE() << "a block of " << block.language;
    }
  }
  EXPECT_EQ(scenes, 2);
  EXPECT_GE(scripts, 5);
  EXPECT_GT(std::filesystem::file_size(folder.path("drop.png")), 10000u);

  // what the page says of the sweep (A27): left, right, and not as far
  std::vector<double> x, y;
  std::istringstream lines(swept);
  for (std::string line; std::getline(lines, line);) {
    double time = 0.0, ball[2] = {};
    ASSERT_EQ(std::sscanf(line.c_str(), "%*[^:]: %lf,%lf,%lf", &time, &ball[0], &ball[1]), 3);
    x.push_back(ball[0]), y.push_back(ball[1]);
  }
  ASSERT_EQ(x.size(), 5u);
  EXPECT_LT(y[0], -0.2);
  EXPECT_LT(y[1], -0.2);
  EXPECT_NEAR(y[2], 0.0, 0.01);
  EXPECT_GT(y[3], 0.2);
  EXPECT_GT(y[4], 0.2);
  EXPECT_LT(x[2], 0.5 * x[0]);
}

}  // namespace
}  // namespace stance::io
