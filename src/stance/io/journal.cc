#include "stance/io/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "stance/kernel/checksum.h"
#include "stance/kernel/error.h"

namespace stance::io {
namespace {

constexpr char kMagic[9] = "STANCEJ2";
constexpr std::uint32_t kFrameMark = 0x52464a53;             // "SJFR"
constexpr std::size_t kRowsPerFrame = std::size_t{1} << 20;  // bytes

struct FrameHead {
  std::uint32_t mark, kind;
  std::uint64_t length;
  std::uint32_t number, crc;  // crc of what stands before it and of the bytes
};
static_assert(sizeof(FrameHead) == 24);

std::uint32_t calc_frame_crc(const FrameHead& head, std::span<const std::byte> bytes) {
  const auto front = std::as_bytes(std::span(&head, 1)).first(offsetof(FrameHead, crc));
  return kernel::calc_crc32c(bytes, kernel::calc_crc32c(front));
}

std::string last_problem() { return std::strerror(errno); }

// As many bytes as there are, at most `count`.
std::size_t read_at(int handle, std::uint64_t at, char* to, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = pread(handle, to + done, count - done, static_cast<off_t>(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

template <class T>
void append_raw(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

// ---- notes ------------------------------------------------------------------------------------

std::string pack_note(const JournalNote& note) {
  std::string out;
  append_raw(out, note.step), append_raw(out, note.time), append_raw(out, note.value);
  append_raw(out, static_cast<std::uint64_t>(note.kind.size()));
  return out + note.kind + note.text;
}

bool unpack_note(std::string_view bytes, JournalNote& note) {
  constexpr std::size_t kFront = 32;
  if (bytes.size() < kFront) return false;
  std::uint64_t length = 0;
  std::memcpy(&note.step, bytes.data(), 8);
  std::memcpy(&note.time, bytes.data() + 8, 8);
  std::memcpy(&note.value, bytes.data() + 16, 8);
  std::memcpy(&length, bytes.data() + 24, 8);
  bytes.remove_prefix(kFront);
  if (length > bytes.size()) return false;
  note.kind = bytes.substr(0, length);
  note.text = bytes.substr(length);
  return true;
}

// ---- the writer -------------------------------------------------------------------------------

JournalWriter::JournalWriter(const std::string& file) : file_(file) {
  handle_ = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (handle_ < 0)
    throw Error({file}, fmt::format("the recording cannot be written: {}", last_problem()));
  if (flock(handle_, LOCK_EX | LOCK_NB) != 0 || ftruncate(handle_, 0) != 0) {
    close(handle_);
    throw Error({file}, "another run is recording to this file; choose another name");
  }
  const auto magic = std::as_bytes(std::span(kMagic, 8));
  buffer_.assign(magic.begin(), magic.end());
}

JournalWriter::~JournalWriter() {
  if (handle_ >= 0) close(handle_);
}

void JournalWriter::add(FrameKind kind, std::span<const std::byte> bytes) {
  close_rows();  // frames keep their order
  FrameHead head{kFrameMark, static_cast<std::uint32_t>(kind), bytes.size(), count_++, 0};
  head.crc = calc_frame_crc(head, bytes);
  const auto front = std::as_bytes(std::span(&head, 1));
  buffer_.insert(buffer_.end(), front.begin(), front.end());
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

// Rows stand where they will be written from, behind room for the head of their frame.
void JournalWriter::add_row(std::span<const std::byte> row) {
  if (!has_rows_) {
    rows_at_ = buffer_.size(), has_rows_ = true;
    buffer_.resize(rows_at_ + sizeof(FrameHead));
  }
  buffer_.insert(buffer_.end(), row.begin(), row.end());
  if (buffer_.size() - rows_at_ >= kRowsPerFrame) close_rows();
}

void JournalWriter::close_rows() {
  if (!has_rows_) return;
  has_rows_ = false;
  const auto rows = std::span<const std::byte>(buffer_).subspan(rows_at_ + sizeof(FrameHead));
  FrameHead head{kFrameMark, static_cast<std::uint32_t>(FrameKind::kRows), rows.size(), count_++,
                 0};
  head.crc = calc_frame_crc(head, rows);
  std::memcpy(buffer_.data() + rows_at_, &head, sizeof head);
}

void JournalWriter::flush() {
  close_rows();
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t put = write(handle_, buffer_.data() + done, buffer_.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0)
      throw Error({file_}, fmt::format("the recording cannot go on: {}", last_problem()));
    done += static_cast<std::size_t>(put);
  }
  buffer_.clear();
}

// ---- the reader -------------------------------------------------------------------------------

JournalReader::JournalReader(const std::string& file) : file_(file) {
  handle_ = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (handle_ < 0)
    throw Error({file}, fmt::format("the journal cannot be opened: {}", last_problem()));
  // one at a time, and not while it is written
  if (flock(handle_, LOCK_EX | LOCK_NB) != 0) {
    close(handle_);
    throw Error({file}, "another command is at work on this journal right now; try again");
  }
  struct stat status {};
  if (fstat(handle_, &status) == 0 && S_ISREG(status.st_mode))
    size_ = static_cast<std::uint64_t>(status.st_size);
  char magic[8] = {};
  const bool is_ours = read_at(handle_, 0, magic, 8) == 8 && std::memcmp(magic, kMagic, 7) == 0;
  const bool is_readable = is_ours && magic[7] == kMagic[7];
  rewind();
  Frame first;
  const bool has_header = is_readable && next(first) && first.kind == FrameKind::kHeader;
  rewind();
  if (has_header) return;
  close(handle_);
  if (!is_ours) throw Error({file}, "this is not a journal of a recording");
  if (!is_readable)
    throw Error({file}, "this journal was written by another version of stance; finish it there");
  throw Error({file}, "this journal was cut off before it began; nothing in it can be saved");
}

JournalReader::~JournalReader() {
  if (handle_ >= 0) close(handle_);
}

void JournalReader::rewind() { at_ = 8, count_ = 0; }

bool JournalReader::next(Frame& frame) {
  FrameHead head{};
  if (size_ < sizeof head || at_ > size_ - sizeof head) return false;
  if (read_at(handle_, at_, reinterpret_cast<char*>(&head), sizeof head) != sizeof head)
    return false;
  if (head.mark != kFrameMark || head.number != count_ || head.length > size_ - at_ - sizeof head)
    return false;
  buffer_.resize(head.length);
  if (read_at(handle_, at_ + sizeof head, buffer_.data(), head.length) != head.length) return false;
  // once is enough: the file is locked
  if (at_ >= checked_ && calc_frame_crc(head, std::as_bytes(std::span(buffer_))) != head.crc)
    return false;
  frame.kind = static_cast<FrameKind>(head.kind);
  frame.bytes = {buffer_.data(), buffer_.size()};
  at_ += sizeof head + head.length;
  checked_ = std::max(checked_, at_);
  ++count_;
  return true;
}

JournalState find_journal(const std::string& file) {
  const int handle = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (handle < 0) return JournalState::kNone;
  const bool is_free = flock(handle, LOCK_EX | LOCK_NB) == 0;
  close(handle);
  return is_free ? JournalState::kOrphan : JournalState::kAlive;
}

}  // namespace stance::io
