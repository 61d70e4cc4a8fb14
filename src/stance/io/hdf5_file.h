#pragma once

// A small face for HDF5: arrays of numbers, tables and texts by path, errors as sentences.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stance::io {

class Hdf5File {
 public:
  enum class Mode { kRead, kCreate };

  // Throws stance::Error when the file cannot be opened or is not HDF5.
  Hdf5File(const std::string& file, Mode mode);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  bool has(const std::string& path) const;

  // The whole of a data set, whatever its shape; Error naming file and path when there is none or
  // it does not hold numbers.
  std::vector<double> read_doubles(const std::string& path) const;
  std::vector<int> read_ints(const std::string& path) const;
  std::vector<std::uint64_t> read_uint64s(const std::string& path) const;
  int read_int(const std::string& path) const;  // of a data set of one

  // Writes a one-dimensional data set; groups on the way are made.
  void write(const std::string& path, std::span<const double> values);
  void write(const std::string& path, std::span<const int> values);
  void write(const std::string& path, std::span<const std::uint64_t> values);

  // Bytes, and texts (UTF-8): one alone, or a list.
  std::string read_bytes(const std::string& path) const;
  std::vector<std::string> read_texts(const std::string& path) const;
  std::string read_text(const std::string& path) const;
  void write_bytes(const std::string& path, std::string_view bytes);
  void write_text(const std::string& path, const std::string& text);
  void write_texts(const std::string& path, std::span<const std::string> texts);

  // A table of doubles, filled by blocks of rows. What is not filled is zero.
  void make_table(const std::string& path, std::size_t rows, std::size_t columns);
  void write_rows(const std::string& path, std::size_t first, std::size_t rows,
                  std::span<const double> values);

  // Attributes of what stands at a path; "/" is the file.
  void describe(const std::string& path, const char* name, const std::string& text);
  void describe(const std::string& path, const char* name, std::span<const std::string> texts);
  void describe(const std::string& path, const char* name, double value);
  void describe(const std::string& path, const char* name, std::int64_t value);

  // Makes sure that what was written is in the file.
  void flush();

 private:
  std::string name_;
  std::int64_t file_ = -1;  // hid_t
};

}  // namespace stance::io
