// The journal keeps what was written, and nothing that it cannot vouch for.

#include "stance/io/journal.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "stance/io/hdf5_file.h"
#include "stance/io/recording.h"
#include "stance/io/recording_finish.h"
#include "stance/kernel/checksum.h"
#include "stance/kernel/error.h"
#include "stance/kernel/random.h"
#include "stance/run/record_ring.h"

#include "run_program.h"

namespace stance::io {
namespace {

using testing::read_file;
using testing::TemporaryFolder;

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

RecordingHeader make_header() {
  RecordingHeader header;
  header.program = "stance test", header.scene = "a \"scene\", with ünicode";
  header.feature_level = find_feature_level();
  header.step = 0.002;
  header.every = 5;
  header.seed = 77;
  header.settings.file = "/somewhere/scene.yaml";
  header.settings.set = {{"a", "1"}, {"b", "2"}};
  header.settings.duration = 0.1 + 0.2;
  header.texts = {{"/somewhere/scene.yaml", "version: 1\n# tab\tand \"quotes\"\n"}};
  header.files = {{"/somewhere/robot.urdf", std::string(64, 'a')}};
  header.channels = {{"ball/position", "m", {"x", "y", "z"}},
                     {"energy/kinetic", "J", {"kinetic"}, sim::When::kStart}};
  return header;
}

// A row as the recorder makes it.
std::vector<double> make_row(std::uint64_t step) {
  std::vector<double> row(6);
  std::memcpy(row.data(), &step, 8);
  row[1] = 0.002 * static_cast<double>(step);
  for (int k = 2; k < 6; ++k) row[k] = 10.0 * static_cast<double>(step) + k;
  return row;
}

// A journal of `rows` rows in frames of three; whole or without its end.
void write_journal(const std::string& file, int rows, bool has_end,
                   RecordingHeader header = make_header()) {
  JournalWriter out(file);
  out.add(FrameKind::kHeader, as_bytes(write_header(header)));
  for (int k = 1; k <= rows; ++k) {
    const std::vector<double> row = make_row(5 * static_cast<std::uint64_t>(k));
    out.add_row(std::as_bytes(std::span(row)));
    if (k % 3 == 0) out.flush();
  }
  out.add(FrameKind::kEvent, as_bytes(pack_note({0, 0.5, 1.5, "slip", "ball on floor"})));
  out.add(FrameKind::kInput, as_bytes(pack_note({42, 0.084, 0.0, "push", "{\"force\":[1,0,0]}"})));
  if (has_end) out.add(FrameKind::kEnd, as_bytes(write_summary({})));
  out.flush();
}

// ---- checksums and the ring -------------------------------------------------------------------

TEST(Checksum, AgreesWithPublishedValues) {
  EXPECT_EQ(kernel::calc_crc32c(as_bytes(std::string("123456789"))), 0xe3069283u);
  EXPECT_EQ(kernel::calc_crc32c(as_bytes(std::string("56789")),
                                kernel::calc_crc32c(as_bytes(std::string("1234")))),
            0xe3069283u);
  EXPECT_EQ(kernel::calc_sha256(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(kernel::calc_sha256("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(kernel::calc_sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(RecordRing, CarriesEveryRecordInOrder) {
  run::RecordRing ring(4096);
  constexpr std::uint32_t kCount = 200000;
  std::thread writer([&] {
    kernel::Random random(3);
    for (std::uint32_t n = 0; n < kCount; ++n) {
      std::vector<std::uint32_t> record(1 + random.next() % 100, n);
      while (!ring.push(n, std::as_bytes(std::span(record)))) std::this_thread::yield();
    }
  });
  std::uint32_t next = 0;
  bool is_right = true;
  while (next < kCount)
    if (!ring.drain([&](std::uint32_t kind, std::span<const std::byte> bytes) {
          is_right = is_right && kind == next && bytes.size() % 4 == 0 && !bytes.empty();
          for (std::size_t k = 0; k + 4 <= bytes.size(); k += 4) {
            std::uint32_t word;
            std::memcpy(&word, bytes.data() + k, 4);
            is_right = is_right && word == next;
          }
          ++next;
        }))
      std::this_thread::yield();
  writer.join();
  EXPECT_TRUE(is_right);
  EXPECT_EQ(ring.used(), 0u);
}

TEST(RecordRing, RefusesWhatDoesNotFitNow) {
  run::RecordRing ring(256);
  const std::string record(56, 'x');  // 64 bytes with its head
  for (int k = 0; k < 4; ++k) EXPECT_TRUE(ring.push(1, as_bytes(record)));
  EXPECT_FALSE(ring.push(1, as_bytes(record)));
  ring.drain([](auto, auto) {});
  EXPECT_TRUE(ring.push(1, as_bytes(record)));
}

// ---- the header -------------------------------------------------------------------------------

TEST(RecordingHeader, SurvivesItsText) {
  const RecordingHeader header = make_header();
  const RecordingHeader again = parse_header(write_header(header), "file");
  EXPECT_EQ(write_header(again), write_header(header));
  EXPECT_EQ(again.settings.duration, header.settings.duration) << "every bit of a number";
  EXPECT_EQ(again.texts[0].text, header.texts[0].text);
  EXPECT_EQ(again.channels[1].when, sim::When::kStart);
  EXPECT_EQ(again.width(), 4u);
}

TEST(RecordingHeader, HashFollowsEveryInput) {
  const std::string hash = make_header().calc_input_hash();
  RecordingHeader other = make_header();
  EXPECT_EQ(other.calc_input_hash(), hash);
  other.texts[0].text += " ";
  EXPECT_NE(other.calc_input_hash(), hash);
  other = make_header();
  other.files[0].sha256[3] = 'b';
  EXPECT_NE(other.calc_input_hash(), hash);
  other = make_header();
  other.settings.set.pop_back();
  EXPECT_NE(other.calc_input_hash(), hash);
}

TEST(RecordingHeader, DamageIsASentence) {
  for (const char* text : {"", "{", "[]", "{\"recording_version\": 1}", "null", "\xff\xfe"}) {
    try {
      parse_header(text, "log.h5");
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "log.h5: the header of the recording is damaged");
    }
  }
}

// ---- journals ---------------------------------------------------------------------------------

TEST(Journal, FinishesIntoWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5"), journal = find_journal_name(file);
  write_journal(journal, 10, true);
  const FinishReport report = finish_journal(journal, file);
  EXPECT_EQ(report.rows, 10u);
  EXPECT_TRUE(report.is_complete);
  EXPECT_EQ(report.torn_bytes, 0u);
  EXPECT_DOUBLE_EQ(report.end, 0.1);
  EXPECT_FALSE(std::filesystem::exists(journal));

  const Recording log(file);
  EXPECT_EQ(write_header(log.header()), write_header(make_header()));
  ASSERT_EQ(log.rows(), 10u);
  EXPECT_TRUE(log.is_complete());
  EXPECT_EQ(log.step()[9], 50u);
  const std::vector<double> position = log.read(0), energy = log.read(1);
  for (int r = 0; r < 10; ++r) {
    const std::vector<double> row = make_row(5 * (static_cast<std::uint64_t>(r) + 1));
    EXPECT_EQ(log.time()[r], row[1]);
    for (int k = 0; k < 3; ++k) EXPECT_EQ(position[3 * r + k], row[2 + k]);
    EXPECT_EQ(energy[r], row[5]);
  }
  ASSERT_EQ(log.events().size(), 1u);
  EXPECT_EQ(log.events()[0].text, "ball on floor");
  EXPECT_EQ(log.events()[0].value, 1.5);
}

// The place that inputs of people and devices are kept in.
TEST(Journal, KeepsInputsWithTheirStep) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  write_journal(find_journal_name(file), 1, true);
  finish_journal(find_journal_name(file), file);
  const Recording log(file);
  ASSERT_EQ(log.inputs().size(), 1u);
  EXPECT_EQ(log.inputs()[0].step, 42u);
  EXPECT_EQ(log.inputs()[0].kind, "push");
  EXPECT_EQ(log.inputs()[0].text, "{\"force\":[1,0,0]}");
}

TEST(Journal, WritesCsvThatGivesTheSameNumbers) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.csv");
  RecordingHeader header = make_header();
  header.has_hdf5 = false, header.csv = file;
  header.channels[0].columns[1] = "y, \"up\"";
  write_journal(find_journal_name(file), 2, true, header);
  finish_journal(find_journal_name(file), file);
  EXPECT_EQ(read_file(file),
            "time [s],ball/position:x [m],\"ball/position:y, \"\"up\"\" [m]\",ball/position:z "
            "[m],energy/kinetic [J]\n0.01,52,53,54,55\n0.02,102,103,104,105\n");
}

// Cut off anywhere, every whole frame before the cut is there, and nothing after it.
TEST(Journal, SavesWhatIsWholeWhereverItIsCut) {
  const TemporaryFolder folder;
  const std::string whole = folder.path("whole.journal");
  write_journal(whole, 9, false);
  const std::string bytes = read_file(whole);
  const std::size_t header_end = 8 + 24 + write_header(make_header()).size();
  std::size_t most = 0;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const std::string cut = folder.write("cut.journal", bytes.substr(0, size));
    std::size_t rows = 0;
    try {
      JournalReader in(cut);
      JournalReader::Frame frame;
      while (in.next(frame))
        if (frame.kind == FrameKind::kRows) {
          ASSERT_EQ(frame.bytes.size(), 3u * 6u * 8u);
          double first;
          std::memcpy(&first, frame.bytes.data() + 16, 8);
          EXPECT_EQ(first, make_row(5 * (rows + 1))[2]);
          rows += 3;
        }
    } catch (const Error& error) {
      EXPECT_LT(size, header_end) << error.what();
    }
    EXPECT_GE(rows, most) << "at " << size;
    most = rows;
  }
  EXPECT_EQ(most, 9u);
}

// A frame that was written in part, then other bytes: not one wrong number is believed.
TEST(Journal, BelievesNoFrameWithAWrongBit) {
  const TemporaryFolder folder;
  const std::string whole = folder.path("whole.journal");
  write_journal(whole, 3, true);
  const std::string bytes = read_file(whole);
  JournalReader good(whole);
  std::vector<std::string> frames;
  JournalReader::Frame frame;
  while (good.next(frame)) frames.emplace_back(frame.bytes);
  kernel::Random random(11);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string bad = bytes;
    const std::size_t at = random.next() % bad.size();
    bad[at] = static_cast<char>(bad[at] ^ (1 << random.next() % 8));
    try {
      JournalReader in(folder.write("bad.journal", bad));
      for (std::size_t k = 0; in.next(frame); ++k) {
        ASSERT_LT(k, frames.size());
        EXPECT_EQ(frame.bytes, frames[k]) << "bit flipped in byte " << at;
      }
    } catch (const Error&) {
      // the header was hit
    }
  }
}

TEST(Journal, RandomBytesAreRefusedInASentence) {
  const TemporaryFolder folder;
  kernel::Random random(5);
  for (int trial = 0; trial < 500; ++trial) {
    std::string bytes = trial % 2 ? "STANCEJ2" : "";
    const std::size_t size = random.next() % 300;
    for (std::size_t k = 0; k < size; ++k) bytes += static_cast<char>(random.next());
    const std::string file = folder.path("log.h5");
    folder.write("log.h5.journal", bytes);
    if (bytes.empty()) continue;
    try {
      finish_orphan(file, OrphanPlace::kItsName);
      FAIL() << trial;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("a journal left by a run"), std::string::npos);
    }
    EXPECT_TRUE(std::filesystem::exists(file + ".journal")) << "nothing is thrown away";
  }
}

TEST(Journal, AnUnfinishedOneKeepsItsRows) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  write_journal(find_journal_name(file), 7, false);
  {
    std::ofstream torn(find_journal_name(file), std::ios::binary | std::ios::app);
    torn << "SJFR and then the power went";
  }
  const auto report = finish_orphan(file, OrphanPlace::kItsName);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->rows, 7u);
  EXPECT_EQ(report->torn_bytes, 28u);
  EXPECT_FALSE(report->is_complete);
  const Recording log(file);
  EXPECT_EQ(log.rows(), 7u);
  EXPECT_FALSE(log.is_complete());
  EXPECT_FALSE(finish_orphan(file, OrphanPlace::kItsName)) << "once is enough";
}

TEST(Journal, OneThatIsAliveIsLeftAlone) {
  const TemporaryFolder folder;
  const std::string file = folder.path("log.h5");
  JournalWriter alive(find_journal_name(file));
  alive.add(FrameKind::kHeader, as_bytes(write_header(make_header())));
  alive.flush();
  EXPECT_EQ(find_journal(find_journal_name(file)), JournalState::kAlive);
  EXPECT_THROW(finish_orphan(file, OrphanPlace::kItsName), Error);
  EXPECT_THROW(JournalWriter second(find_journal_name(file)), Error);
}

TEST(Journal, AFullDiskIsASentence) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  try {
    JournalWriter out("/dev/full");
    out.add(FrameKind::kHeader, as_bytes(write_header(make_header())));
    out.flush();
    FAIL();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_TRUE(what.find("recording") != std::string::npos) << what;
  }
}

TEST(Recording, RefusesWhatIsNone) {
  const TemporaryFolder folder;
  EXPECT_THROW(Recording(folder.path("none.h5")), Error);
  EXPECT_THROW(Recording(folder.path()), Error);
  EXPECT_THROW(Recording(folder.write("text.h5", "hello")), Error);
  const std::string other = folder.path("other.h5");
  { Hdf5File(other, Hdf5File::Mode::kCreate).write_text("/something", "else"); }
  try {
    const Recording log(other);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("is not a recording"), std::string::npos);
  }
}

}  // namespace
}  // namespace stance::io
