// Words on the command line that cannot be meant: a sentence that names the word, exit code 2 (or 1
// where a file is to blame), and nothing run before.

#include <sys/stat.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "run_program.h"

namespace stance::io::testing {
namespace {

const std::string kStack = STANCE_SOURCE_DIR "/scenes/stack.yaml ";

struct Row {
  std::string arguments, said;
  int code = 2;
};

void expect_refused(const std::vector<Row>& rows, const std::string& folder) {
  for (const Row& row : rows) {
    const Outcome outcome = run(row.arguments, folder);
    EXPECT_EQ(outcome.code, row.code) << row.arguments;
    EXPECT_TRUE(contains(outcome.errors, row.said)) << row.arguments << ": " << outcome.errors;
    EXPECT_EQ(outcome.output, "") << row.arguments;
    EXPECT_LT(outcome.errors.size(), 300u) << outcome.errors;
  }
}

TEST(Arguments, NumbersAreNumbers) {
  const TemporaryFolder folder;
  expect_refused(
      {
          {"run " + kStack + "--duration 0", "--duration: '0' is not a number above 0 to 1e+07"},
          {"run " + kStack + "--duration nan", "'nan' is not a number above 0"},
          {"run " + kStack + "--duration 1,5", "'1,5' is not a number above 0"},
          {"run " + kStack + "--duration '1 s'", "'1 s' is not a number above 0"},
          {"run " + kStack + "--seed -1", "--seed: '-1' is not a whole number from 0 to"},
          {"run " + kStack + "--seed 99999999999999999999", "is not a whole number from 0 to"},
          {"run " + kStack + "--seed 1.5", "'1.5' is not a whole number"},
          {"run " + kStack + "--threads 0", "'0' is not a whole number from 1 to 256"},
          {"solve none.dat --tol 0", "--tol: '0' is not a number above 0"},
          {"solve none.dat --tol nan", "--tol: 'nan' is not a number above 0"},
          {"solve none.dat --max-seconds inf", "'inf' is not a number above 0"},
          {"solve none.dat --facets 3", "'3' is not a whole number from 4 to 64"},
          {"plot none.h5 --channel com -o a.svg --from nan", "--from: 'nan' is not a number"},
          {"view " + kStack + "--port abc", "'abc' is not a whole number from 1 to 65535"},
          {"device-emulator --mass nan", "--mass: 'nan' is not a number from 0.001 to 100"},
          {"device-emulator --live 1", "--live: it needs --check"},
      },
      folder.path(""));
}

TEST(Arguments, ThatAreEmptyOrMeanNothingAreRefused) {
  const TemporaryFolder folder;
  std::vector<Row> rows;
  for (const char* flag : {"--out", "--csv", "--from", "--inputs", "--law", "--snapshot"})
    rows.push_back({"run " + kStack + flag + " ''", std::string(flag) + ": it is empty"});
  rows.push_back({"run " + kStack + "--snapshot s.h5", "name a time too: --snapshot-at"});
  rows.push_back({"run " + kStack + "--no-record --out a.h5", "leave out --out and --csv"});
  expect_refused(rows, folder.path(""));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

// Where a file cannot be written, the run does not begin.
TEST(Arguments, TargetsAreLookedAtBeforeTheWork) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("d"));
  ASSERT_EQ(mkfifo(folder.path("fifo").c_str(), 0600), 0);
  expect_refused(
      {
          {"run " + kStack + "--csv d", "d: this is a folder; name a file", 1},
          {"run " + kStack + "--csv fifo", "fifo: this is a device or pipe; name a file", 1},
          {"run " + kStack + "--csv no/a.csv", "no/a.csv: there is no folder no to write it to", 1},
          {"run " + kStack + "--out no/a.h5", "no/a.h5: there is no folder no", 1},
          {"run " + kStack + "--snapshot-at 1 --snapshot no/a.h5", "no/a.h5: there is no folder",
           1},
          {"run " + kStack + "--from d", "d: this is a folder; name a snapshot", 1},
      },
      folder.path(""));
}

TEST(Arguments, OtherKindsOfFilesAreRecognised) {
  const TemporaryFolder folder;
  ASSERT_EQ(run("run " + kStack + "--duration 0.01 --out log.h5", folder.path("")).code, 0);
  folder.write("empty.dat", "");
  expect_refused(
      {
          {"run log.h5", "log.h5: this is an HDF5 file, no scene; `stance replay`", 1},
          {"info " + kStack, "use `stance check` for scenes", 1},
          {"solve log.h5", "holds none of /fclib_local, /fclib_global", 1},
          {"solve empty.dat", "empty.dat: the file is empty", 1},
          {"solve /dev/zero", "/dev/zero: this is a device or pipe, not a file", 1},
      },
      folder.path(""));
}

}  // namespace
}  // namespace stance::io::testing
