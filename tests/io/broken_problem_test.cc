// Contact problems that are none: every one is refused by a sentence that names the file, and the
// line where there are lines.

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "stance/io/contact_problem.h"
#include "stance/io/hdf5_file.h"
#include "stance/kernel/error.h"

#include "problem_text.h"
#include "urdf_text.h"

namespace stance::io {
namespace {

using testing::TemporaryFolder;

// The sentence with which a file is refused; empty when it is not.
std::string find_complaint(const std::string& file) {
  try {
    (void)read_contact_problem(file);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

void expect_complaint(const std::string& file, const std::string& words) {
  const std::string complaint = find_complaint(file);
  EXPECT_EQ(complaint.rfind(file, 0), 0u) << "got: " << complaint;
  EXPECT_NE(complaint.find(words), std::string::npos)
      << "expected: " << words << "\n     got: " << complaint;
}

// ---------------------------------------------------------------------------------------------
// Text.

struct BrokenText {
  const char* name;
  std::string text;
  const char* words;  // of the complaint, which starts with file and line
};

void PrintTo(const BrokenText& broken, std::ostream* os) { *os << broken.name; }

class BrokenDat : public ::testing::TestWithParam<BrokenText> {};

TEST_P(BrokenDat, IsRefusedWithFileAndLine) {
  const TemporaryFolder folder;
  expect_complaint(folder.write("p.dat", GetParam().text), GetParam().words);
}

const std::string kOneBlock = "0 1 0 0 0 1 0 0 0 1\n";  // its number and entries
const std::string kHead = "3\n1\n1\n3\n3\n1\n1 1\n3\n3\n2 1\n";
const std::string kUnit5 = "1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1\n";
const std::string kTail = "-1 0 0\n0.5\n";

INSTANTIATE_TEST_SUITE_P(
    Text, BrokenDat,
    ::testing::Values(
        BrokenText{"Empty", "", ": the file is empty"},
        BrokenText{"OnlySpace", " \n\t\r\n \n", ":4: the file ends where the dimension"},
        BrokenText{"Letters", "three\n1\n",
                   ":1: expected a whole number for the dimension, found "
                   "'three'"},
        BrokenText{"Binary", std::string("\x01\xff\xfe\x80", 4), ":1: expected a whole number"},
        BrokenText{"NulBytes", std::string("3\0 1", 4), ":1: expected a whole number"},
        BrokenText{"PlaneProblem", "2\n1\n", ":1: problems of dimension 2 are not solved"},
        BrokenText{"NegativeContacts", "3\n-1\n", ":2: the number of contacts is -1"},
        BrokenText{"HugeContacts", "3\n2000000000\n", ":2: the number of contacts is 2000000000"},
        BrokenText{"OverflowingContacts", "3\n99999999999999999999\n",
                   ":2: expected a whole number"},
        BrokenText{"FractionalContacts", "3\n1.5\n", ":2: expected a whole number"},
        BrokenText{"UnknownStorage", "3\n1\n3\n",
                   ":3: the storage (0 dense, 1 block rows, 2 sparse) of W is 3"},
        BrokenText{"WrongRows", "3\n1\n0\n6\n3\n",
                   ":5: the number of columns of W is 3, expected 6"},
        BrokenText{"WrongColumns", "3\n1\n0\n3\n4\n", ":5: the number of columns of W is 4"},
        BrokenText{"WrongRowsAgain", "3\n1\n0\n3\n3\n9 3\n", ":6: the number of rows of W is 9"},
        BrokenText{"HugeDenseWithoutData", "3\n1000000\n0\n3000000 3000000\n3000000 3000000\n1 2 3",
                   ":6: the file ends where an entry of W should stand"},
        BrokenText{"HugeBlockRowsWithoutData",
                   "3\n1000000\n1\n3000000 3000000\n2000000000\n1000000 1000000\n3 6",
                   ":7: the file ends where a cumulative row size"},
        BrokenText{"NegativeBlocks", "3\n1\n1\n3\n3\n-4\n", ":6: the number of blocks of W is -4"},
        BrokenText{"BlocksDoNotFill", "3\n2\n1\n6\n6\n1\n2 2\n2 5\n3 6\n",
                   ":8: the blocks do not fill the whole of W"},
        BrokenText{"BlocksGoBack", "3\n2\n1\n6\n6\n1\n2 2\n4 3\n3 6\n",
                   ":8: a cumulative row size of W is 3"},
        BrokenText{"TooManyBlockRows", "3\n2\n1\n6\n6\n1\n7 2\n", ":7: the number of block rows"},
        BrokenText{"RowPointersMissing", "3\n1\n1\n3\n3\n1\n1 1\n3\n3\n3 1\n",
                   ":10: the number of row pointers of W is 3"},
        BrokenText{"RowPointersFall", "3\n2\n1\n6\n6\n2\n2 2\n3 6\n3 6\n3 2\n0 2 1\n",
                   ":11: the row pointers must not fall"},
        BrokenText{"RowPointersStopEarly", "3\n2\n1\n6\n6\n2\n2 2\n3 6\n3 6\n3 2\n0 1 1\n",
                   ":11: the row pointers must run from 0"},
        BrokenText{"RowPointerPastTheEnd", kHead + "0 7\n", ":11: a row pointer of W is 7"},
        BrokenText{"ColumnOutOfRange", kHead + "0 1\n1\n", ":12: a block column of W is 1"},
        BrokenText{"NegativeColumn", kHead + "0 1\n-1\n", ":12: a block column of W is -1"},
        BrokenText{"BlocksOutOfOrder", kHead + "0 1\n0\n5 1 0 0 0 1 0 0 0 1\n" + kTail,
                   ":13: the number of a block of W is 5"},
        BrokenText{"TruncatedBlock", kHead + "0 1\n0\n0 1 0 0",
                   ":13: the file ends where an entry"},
        BrokenText{"TruncatedQ", kHead + "0 1\n0\n" + kOneBlock + "-1 0\n",
                   ":15: the file ends where q should stand"},
        BrokenText{"TruncatedMu", kHead + "0 1\n0\n" + kOneBlock + "-1 0 0\n",
                   ":15: the file ends where mu should stand"},
        BrokenText{"NegativeMu", kHead + "0 1\n0\n" + kOneBlock + "-1 0 0\n-0.5\n",
                   ":15: mu is -0.5"},
        BrokenText{"InfiniteMu", kHead + "0 1\n0\n" + kOneBlock + "-1 0 0\ninf\n",
                   ":15: mu is inf, which is not finite"},
        BrokenText{"NanInQ", kHead + "0 1\n0\n" + kOneBlock + "-1 nan 0\n0.5\n", ":14: q is nan"},
        BrokenText{"NanInW", kHead + "0 1\n0\n0 1 0 0 0 nan 0 0 0 1\n" + kTail,
                   ":13: an entry of W is nan"},
        BrokenText{"TooLargeForADouble", kHead + "0 1\n0\n0 1e999 0 0 0 1 0 0 0 1\n" + kTail,
                   ":13: expected a number for an entry of W, found '1e999'"},
        BrokenText{"TwoSigns", kHead + "0 1\n0\n0 +-1 0 0 0 1 0 0 0 1\n" + kTail,
                   ":13: expected a number for an entry of W, found '+-1'"},
        BrokenText{"GluedLetters", kHead + "0 1\n0\n0 1x 0 0 0 1 0 0 0 1\n" + kTail,
                   ":13: expected a number for an entry of W, found '1x'"},
        BrokenText{"TrailingNumber", kHead + "0 1\n0\n" + kOneBlock + kTail + "7\n",
                   ":16: the file should end after the last coefficient of friction, found '7'"},
        BrokenText{
            "TrailingWord", kHead + "0 1\n0\n" + kOneBlock + kTail + "0\nrubbish\n",
            ":17: the file should end after the last coefficient of friction, found 'rubbish'"},
        BrokenText{"TrailingNumbers", kHead + "0 1\n0\n" + kOneBlock + kTail + "1 2 3 4 5\n",
                   ":16: the file should end after"},
        BrokenText{"NeitherLocalNorGlobal", "3\n1\n0\n2 2\n2 2\n1 0 0 1\n0 0 0 0.5\n",
                   "the first matrix is 2 by 2 and no H of 2 by 3 follows"},
        BrokenText{"SingularMass",
                   "3\n1\n0\n3 3\n3 3\n1 0 0 0 1 0 0 0 0\n0\n3 3\n3 3\n1 0 0 0 1 0 0 0 1\n"
                   "-1 0 0\n0 0 0\n0.5\n",
                   "the mass matrix M is singular"},
        BrokenText{"GlobalCutOff",
                   "3\n1\n0\n3 3\n3 3\n1 0 0 0 1 0 0 0 1\n0\n3 3\n3 3\n1 0 0 0 1 0 0 0 1\n"
                   "-1 0 0\n0 0\n",
                   "the file ends where"},
        BrokenText{"GlobalTrailing",
                   "3\n1\n0\n3 3\n3 3\n1 0 0 0 1 0 0 0 1\n0\n3 3\n3 3\n1 0 0 0 1 0 0 0 1\n"
                   "-1 0 0\n0 0 0\n0.5\n0\n",
                   "the file should end after"},
        BrokenText{"SparseOfUnknownKind", "3\n1\n2\n3\n3\n3\nCSparse\n3-by-3, nzmax: 1\n",
                   "the sparse matrix W is of kind 3"},
        BrokenText{"SparseOfAnotherSize",
                   "3\n1\n2\n3\n3\n1\nCSparse\ntriplet: 4-by-3, nzmax: 1 nnz: 1\n 0 0 : 1\n",
                   "expected '3-by-3,', found '4-by-3,'"},
        BrokenText{"RollingWithoutCoefficient",
                   "5\n1\n0\n5 5\n5 5\n" + kUnit5 + "-1 0 0 0 0\n0.5\n",
                   "the file ends where a coefficient of rolling friction should stand"},
        BrokenText{"NegativeInverseInertia", kHead + "0 1\n0\n0 -1 0 0 0 1 0 0 0 1\n" + kTail,
                   "block 0: its own inverse inertia in W is negative"}),
    [](const auto& broken) { return broken.param.name; });

// The text that the broken ones are made from is whole.
TEST(BrokenDatItself, IsMadeFromAGoodOne) {
  const TemporaryFolder folder;
  EXPECT_EQ(find_complaint(folder.write("p.dat", kHead + "0 1\n0\n" + kOneBlock + kTail)), "");
}

// Wherever a good file is cut off, something is missing.
TEST(BrokenDatItself, IsRefusedWhereverItIsCutOff) {
  const TemporaryFolder folder;
  const std::string whole = folder.path("whole.dat");
  write_contact_problem(testing::make_asymmetric(2, 3), whole);
  std::ifstream in(whole);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  // the last number may lose digits and still be one
  for (std::size_t size = 0; size < text.find_last_of('\n', text.size() - 2); ++size)
    EXPECT_NE(find_complaint(folder.write("cut.dat", text.substr(0, size))), "") << size;
}

TEST(BrokenDatItself, IsNoFolderAndNotMissing) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("folder.dat"));
  expect_complaint(folder.path("folder.dat"), "this is a folder, expected a file");
  expect_complaint(folder.path("none.dat"), "there is no such file");
  for (const char* name : {"none/p.dat", "none/p.hdf5"})
    EXPECT_THROW(write_contact_problem(testing::make_asymmetric(1, 1), folder.path(name)), Error);
}

// ---------------------------------------------------------------------------------------------
// HDF5: a good problem with one data set put in the place of another.

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Every data set of a local problem of two contacts, all laws spelled out.
struct Sets {
  std::map<std::string, std::vector<double>> doubles = {
      {"/fclib_local/W/x", {1, 1, 1, 1, 1, 1}},
      {"/fclib_local/vectors/q", {-1, 0, 0, -1, 0, 0}},
      {"/fclib_local/vectors/mu", {0.5, 0.5}},
      {"/stance/law", {0, 1}},
      {"/stance/rows", {3, 3}},
      {"/stance/mu_rolling", {0, 0.1}},
      {"/stance/bound", {0, 0}},
      {"/stance/normal", {-1, 0}}};
  std::map<std::string, std::vector<int>> ints = {{"/fclib_local/spacedim", {3}},
                                                  {"/fclib_local/W/m", {6}},
                                                  {"/fclib_local/W/n", {6}},
                                                  {"/fclib_local/W/nz", {6}},
                                                  {"/fclib_local/W/nzmax", {6}},
                                                  {"/fclib_local/W/i", {0, 1, 2, 3, 4, 5}},
                                                  {"/fclib_local/W/p", {0, 1, 2, 3, 4, 5}}};

  void write(const std::string& file) const {
    Hdf5File out(file, Hdf5File::Mode::kCreate);
    for (const auto& [path, values] : doubles) out.write(path, values);
    for (const auto& [path, values] : ints) out.write(path, values);
  }
};

struct BrokenSets {
  const char* name;
  std::function<void(Sets&)> harm;
  const char* words;
};

void PrintTo(const BrokenSets& broken, std::ostream* os) { *os << broken.name; }

class BrokenHdf5 : public ::testing::TestWithParam<BrokenSets> {};

TEST_P(BrokenHdf5, IsRefusedWithFileAndDataSet) {
  const TemporaryFolder folder;
  Sets sets;
  GetParam().harm(sets);
  sets.write(folder.path("p.hdf5"));
  expect_complaint(folder.path("p.hdf5"), GetParam().words);
}

// What to do to the good problem.
auto set(const char* path, std::vector<double> values) {
  return [path, values](Sets& sets) { sets.doubles.at(path) = values; };
}
auto set_ints(const char* path, std::vector<int> values) {
  return [path, values](Sets& sets) { sets.ints.at(path) = values; };
}
auto drop(const char* path) {
  return [path](Sets& sets) { EXPECT_EQ(sets.doubles.erase(path) + sets.ints.erase(path), 1u); };
}
auto compress(int nz, std::vector<int> p) {
  return [nz, p](Sets& sets) {
    sets.ints.at("/fclib_local/W/nz") = {nz};
    sets.ints.at("/fclib_local/W/p") = p;
  };
}

INSTANTIATE_TEST_SUITE_P(
    Hdf5, BrokenHdf5,
    ::testing::Values(
        BrokenSets{"NoDimension", drop("/fclib_local/spacedim"),
                   "there is no data set /fclib_local/spacedim"},
        BrokenSets{"PlaneProblem", set_ints("/fclib_local/spacedim", {2}), "problems of dimension 2 are not solved"},
        BrokenSets{"TwoDimensions", set_ints("/fclib_local/spacedim", {3, 3}),
                   "/fclib_local/spacedim must be one number"},
        BrokenSets{"NoFriction", drop("/fclib_local/vectors/mu"), "/fclib_local/vectors/mu"},
        BrokenSets{"NoQ", drop("/fclib_local/vectors/q"), "/fclib_local/vectors/q"},
        BrokenSets{"ShortQ", set("/fclib_local/vectors/q", {-1, 0, 0}),
                   "/fclib_local/vectors/q has 3 entries, expected 6"},
        BrokenSets{"NanInQ", set("/fclib_local/vectors/q", {-1, 0, kNan, 0, 0, 0}),
                   "/fclib_local/vectors/q holds nan"},
        BrokenSets{"NegativeMu", set("/fclib_local/vectors/mu", {-0.5, 0.5}), "contact 0: mu is -0.5"},
        BrokenSets{"NanMu", set("/fclib_local/vectors/mu", {0.5, kNan}), "contact 1: mu is nan"},
        BrokenSets{"MuOfAnother", set("/fclib_local/vectors/mu", {0.5}),
                   "/fclib_local/vectors/q has 6 entries, expected 3"},
        BrokenSets{"NoRows", drop("/fclib_local/W/m"), "/fclib_local/W/m"},
        BrokenSets{"NegativeRows", set_ints("/fclib_local/W/m", {-6}), "m and n must be sizes"},
        BrokenSets{"HugeColumns", set_ints("/fclib_local/W/n", {2'000'000'000}),
                   "m and n must be sizes"},
        BrokenSets{"NotSquare", set_ints("/fclib_local/W/n", {9}), "number of columns of W is 9"},
        BrokenSets{"UnknownStorage", set_ints("/fclib_local/W/nz", {-3}), "nz must be"},
        BrokenSets{"MoreTripletsThanStored", set_ints("/fclib_local/W/nz", {2'000'000'000}),
                   "i, p and x are shorter than nz"},
        BrokenSets{"RowOutOfRange", set_ints("/fclib_local/W/i", {0, 1, 2, 3, 4, 6}),
                   "an index lies outside the matrix"},
        BrokenSets{"NegativeColumn", set_ints("/fclib_local/W/p", {-1, 1, 2, 3, 4, 5}),
                   "an index lies outside the matrix"},
        BrokenSets{"NanInW", set("/fclib_local/W/x", {1, 1, kNan, 1, 1, 1}),
                   "/fclib_local/W: an entry is not finite"},
        BrokenSets{"ColumnPointersMissing", compress(-1, {0, 1, 2}), "p must have one entry more"},
        BrokenSets{"ColumnPointersFall", compress(-1, {0, 1, 2, 1, 4, 5, 6}), "p must not fall"},
        BrokenSets{"RowPointersPastTheEnd", compress(-2, {0, 1, 2, 3, 4, 5, 2'000'000'000}),
                   "nor point past the end"},
        BrokenSets{"PointersDoNotStartAtZero", compress(-1, {1, 1, 2, 3, 4, 5, 6}), "p must have"},
        BrokenSets{"EmptyPointers", compress(-1, {}), "p must have one entry more"},
        BrokenSets{"UnknownLaw", set("/stance/law", {0, 5}), "/stance/law holds 5"},
        BrokenSets{"LawBetweenTwo", set("/stance/law", {0, 1.5}), "/stance/law holds 1.5"},
        BrokenSets{"FourRows", set("/stance/rows", {3, 4}), "/stance/rows holds 4"},
        BrokenSets{"HugeRows", set("/stance/rows", {3, 1e300}), "/stance/rows holds 1e+300"},
        BrokenSets{"NormalOfNobody", set("/stance/normal", {-1, 2}), "/stance/normal holds 2"},
        BrokenSets{"SpinsAboutItself", set("/stance/normal", {-1, 1}), "block 1: it spins"},
        BrokenSets{"NegativeBound",
                   [](Sets& sets) {
                     sets.doubles.at("/stance/law") = {0, 4};
                     sets.doubles.at("/stance/bound") = {0, -1};
                   },
                   "block 1: its bound is negative"},
        BrokenSets{"NanBound",
                   [](Sets& sets) {
                     sets.doubles.at("/stance/law") = {0, 4};
                     sets.doubles.at("/stance/bound") = {0, kNan};
                   },
                   "block 1: its bound is negative"},
        BrokenSets{"LawsOfAnother", set("/stance/law", {0}), "/stance/law has 1 entries"},
        BrokenSets{"NoRowsOfLaws", drop("/stance/rows"), "there is no data set /stance/rows"},
        BrokenSets{"NothingKnown",
                   [](Sets& sets) {
                     sets.ints = {{"/something/else", {1}}};
                     sets.doubles.clear();
                   },
                   "holds none of /fclib_local, /fclib_global"},
        BrokenSets{"GroupIsADataSet",
                   [](Sets& sets) {
                     sets.ints = {{"/fclib_local", {1}}};
                     sets.doubles.clear();
                   },
                   "there is no data set /fclib_local/spacedim"},
        BrokenSets{"LocalEqualities",
                   [](Sets& sets) { sets.ints["/fclib_local/V/m"] = {1}; },
                   "equality constraints (V, R) of a local problem are not read"}),
    [](const auto& broken) { return broken.param.name; });

TEST(BrokenHdf5Itself, IsMadeFromAGoodOne) {
  const TemporaryFolder folder;
  Sets().write(folder.path("p.hdf5"));
  EXPECT_EQ(find_complaint(folder.path("p.hdf5")), "");
}

// A file that says it is HDF5 and stops, anywhere.
TEST(BrokenHdf5Itself, IsRefusedWhereverItIsCutOff) {
  const TemporaryFolder folder;
  Sets().write(folder.path("p.hdf5"));
  std::ifstream in(folder.path("p.hdf5"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  ASSERT_GT(bytes.size(), 1000u);
  for (std::size_t size = 4; size < bytes.size(); size += 97)
    expect_complaint(folder.write("cut.hdf5", bytes.substr(0, size)), "");
  expect_complaint(folder.write("sign.hdf5", "\x89HDF\r\n\x1a\nand nothing more"),
                   "not an HDF5 file");
  // what does not start as HDF5 does is taken for text, whatever its name says
  expect_complaint(folder.write("text.hdf5", "hello"), ":1: expected a whole number");
  expect_complaint(folder.write("empty.hdf5", ""), "the file is empty");
}

// Global problems: M and H that do not fit, and sizes that would take hours.
TEST(BrokenHdf5Itself, GlobalProblemsMustFit) {
  const TemporaryFolder folder;
  const std::string file = folder.path("global.hdf5"), root = "/fclib_global";
  const auto write = [&](int rows, int columns, std::vector<double> mu, std::vector<double> w) {
    Hdf5File out(file, Hdf5File::Mode::kCreate);
    const auto write_int = [&](const std::string& path, int value) {
      out.write(root + path, std::span<const int>(&value, 1));
    };
    write_int("/spacedim", 3);
    for (const char* matrix : {"/M", "/H"}) {
      const bool is_mass = std::string(matrix) == "/M";
      const std::string path = matrix;
      write_int(path + "/m", is_mass ? 3 : rows), write_int(path + "/n", is_mass ? 3 : columns);
      write_int(path + "/nz", 3);
      out.write(root + path + "/i", std::vector<int>{0, 1, 2});
      out.write(root + path + "/p", std::vector<int>{0, 1, 2});
      out.write(root + path + "/x", std::vector<double>{1, 2, 3});
    }
    out.write(root + "/vectors/f", std::vector<double>{1, 2, 3});
    out.write(root + "/vectors/w", w), out.write(root + "/vectors/mu", mu);
  };
  write(3, 3, {0.5}, {0, 0, 0});
  EXPECT_EQ(find_complaint(file), "");
  write(6, 3, {0.5}, {0, 0, 0});
  expect_complaint(file, "the number of rows of H is 6, expected 3");
  write(3, 6, {0.5}, {0, 0, 0});
  expect_complaint(file, "the number of columns of H is 6, expected 3");
  write(3, 3, {0.5}, {0, 0});
  expect_complaint(file, "/fclib_global/vectors/w has 2 entries, expected 3");
  write(3, 3 * 100'000, std::vector<double>(100'000), std::vector<double>(300'000));
  expect_complaint(file, "a global problem of 300000 rows is too large");
}

// ---------------------------------------------------------------------------------------------

TEST(BrokenSolution, IsRefused) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& file, const std::string& words) {
    try {
      (void)read_contact_solution(file);
      ADD_FAILURE() << file << " was read";
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.rfind(file, 0), 0u) << what;
      EXPECT_NE(what.find(words), std::string::npos) << what;
    }
  };
  expect(folder.path("none.txt"), "there is no such file");
  expect(folder.path(), "this is a folder");
  expect(folder.write("a.txt", ""), "the file is empty");
  expect(folder.write("b.txt", "# head\n1 2 3 4 5\n"), ":2: expected six numbers");
  expect(folder.write("c.txt", "1 2 3 4 5 6\n1 2 3 4 5 6 7\n"), ":2: expected six numbers and no");
  expect(folder.write("d.txt", "1 2 x 4 5 6\n"), ":1: expected six numbers");
  const auto write = [&](std::vector<double> r, std::vector<double> u) {
    Hdf5File out(folder.path("s.hdf5"), Hdf5File::Mode::kCreate);
    out.write("/solution/r", r);
    if (!u.empty()) out.write("/solution/u", u);
    return folder.path("s.hdf5");
  };
  expect(write({1, 2, 3}, {}), "there is no data set /solution/u");
  expect(write({1, 2, 3, 4}, {1, 2, 3}), "three numbers a block");
  expect(write({1, 2, 3}, {1, 2, 3, 4, 5, 6}), "differ in size");
}

// None of the refusals above may have asked for much memory: sizes are only believed as far as the
// file goes. Run last in its own process by ctest, so the figure is that of these two files.
TEST(BrokenSize, TakesLittleMemory) {
  const TemporaryFolder folder;
  const auto peak = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;  // MB
  };
  const long before = peak();
  for (const char* text : {"3\n1000000\n0\n3000000 3000000\n3000000 3000000\n1 2 3",
                           "3\n1000000\n1\n3000000 3000000\n2000000000\n1000000 1000000\n3 6"})
    EXPECT_NE(find_complaint(folder.write("p.dat", text)), "");
  EXPECT_LT(peak() - before, 100);
}

}  // namespace
}  // namespace stance::io
