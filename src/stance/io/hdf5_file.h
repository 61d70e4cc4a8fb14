#pragma once

// A small face for HDF5: arrays of numbers by path, errors as sentences.

#include <cstdint>
#include <span>
#include <string>
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

 private:
  std::string name_;
  std::int64_t file_ = -1;  // hid_t
};

}  // namespace stance::io
