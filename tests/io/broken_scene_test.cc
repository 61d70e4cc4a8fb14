// Each scene of tests/data/broken_scenes is refused with exactly the words of its expected.txt.

#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "stance/io/scene.h"

namespace stance::io {
namespace {

const std::filesystem::path kFolder = STANCE_SOURCE_DIR "/tests/data/broken_scenes";

struct Row {
  std::string file, text;
};

std::vector<Row> read_table() {
  std::vector<Row> rows;
  std::ifstream stream(kFolder / "expected.txt");
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t bar = line.find(" | ");
    rows.push_back({line.substr(0, bar), line.substr(bar + 3)});
  }
  return rows;
}

// Without the folder, wherever it stands in a message.
std::string strip(std::string text) {
  const std::string folder = kFolder.string() + "/";
  for (std::size_t at; (at = text.find(folder)) != std::string::npos;)
    text.erase(at, folder.size());
  return text;
}

TEST(BrokenScene, IsRefusedInTheseWords) {
  const std::vector<Row> rows = read_table();
  EXPECT_GE(rows.size(), 30u);
  for (const Row& row : rows) {
    const std::string path = (kFolder / row.file).string();
    const SceneReport report = check_scene(scene::Settings{path});
    std::string found;
    for (const Finding& error : report.errors)
      found += (found.empty() ? "" : " || ") + strip(error.text());
    EXPECT_EQ(found, row.text) << row.file;
    EXPECT_THROW(load_scene(path), Error) << row.file;
  }
}

TEST(BrokenScene, EveryFileIsInTheTable) {
  std::set<std::string> known = {"expected.txt", ".gitattributes"};
  for (const Row& row : read_table()) known.insert(row.file);
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("part_")) continue;  // included by others
    EXPECT_TRUE(known.count(name)) << name;
  }
}

}  // namespace
}  // namespace stance::io
