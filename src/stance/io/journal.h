#pragma once

// A recording while it grows: an append-only file of framed, checksummed records. Whatever was
// written before a process was killed can be read; a torn end is found and left out. Finished into
// HDF5 by recording_finish.h; docs/recording.md has the format.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stance::io {

inline constexpr int kJournalVersion = 2;

enum class FrameKind : std::uint32_t {
  kHeader = 1,  // JSON: what is recorded, and all inputs (recording.h)
  kStart = 2,   // the snapshot file that the run went on from
  kRows = 3,    // rows of `width` doubles with their step number before them
  kEvent = 4,   // time, value, kind, what
  kInput = 5,   // step number, kind, data: what people and devices did
  kEnd = 6,     // JSON: the summary; the run came to its end
};

// Of things that happen: two numbers and two texts.
struct JournalNote {
  std::uint64_t step = 0;  // kInput: it acts on this step and later ones
  double time = 0.0, value = 0.0;
  std::string kind, text;  // kInput: text is JSON, by kind
};
std::string pack_note(const JournalNote& note);
bool unpack_note(std::string_view bytes, JournalNote& note);  // false when the bytes are none

// Writes frames. The file is locked as long as this lives, so that others see that it is alive.
class JournalWriter {
 public:
  explicit JournalWriter(const std::string& file);  // throws stance::Error
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  void add(FrameKind kind, std::span<const std::byte> bytes);
  void add_row(std::span<const std::byte> row);  // rows in a row become one frame
  std::size_t waiting() const { return buffer_.size(); }

  // Hands all to the system: from then on it survives the death of this process. Throws
  // stance::Error when the disk takes no more.
  void flush();

 private:
  void close_rows();

  std::string file_;
  int handle_ = -1;
  std::uint32_t count_ = 0;  // frames so far
  std::vector<std::byte> buffer_;
  bool has_rows_ = false;  // a frame of rows is open, from rows_at_ on
  std::size_t rows_at_ = 0;
};

// Reads frames, of any file whatever. The first must be the header. Locked as above.
class JournalReader {
 public:
  // Throws stance::Error when the file is no journal, of another version, or has no header.
  explicit JournalReader(const std::string& file);
  ~JournalReader();
  JournalReader(const JournalReader&) = delete;
  JournalReader& operator=(const JournalReader&) = delete;

  struct Frame {
    FrameKind kind = FrameKind::kHeader;
    std::string_view bytes;  // until the next call
  };
  // False at the end, or where frames are torn.
  bool next(Frame& frame);
  void rewind();  // to the first frame

  std::uint64_t size() const { return size_; }
  std::uint64_t position() const { return at_; }  // after the last good frame

 private:
  std::string file_;
  int handle_ = -1;
  std::uint64_t at_ = 0, size_ = 0;
  std::uint64_t checked_ = 0;  // frames before this were found whole
  std::uint32_t count_ = 0;
  std::vector<char> buffer_;
};

enum class JournalState { kNone, kOrphan, kAlive };

// Whether there is a journal, and whether some process writes it now.
JournalState find_journal(const std::string& file);

}  // namespace stance::io
