#include "stance/io/hdf5_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <hdf5.h>

#include "stance/io/hdf5_handle.h"
#include "stance/kernel/error.h"

namespace stance::io {
namespace {

using Handle = Hdf5Handle;

constexpr hssize_t kMostNumbers = 300'000'000;
constexpr std::uint64_t kMostPacked = 1032;  // bytes that one byte of deflate can stand for

// Whether the file can hold what the data set claims: a false size must not take all memory.
bool is_all_there(hid_t file, hid_t set, hid_t type, hssize_t size) {
  hsize_t file_size = 0;
  if (H5Fget_filesize(file, &file_size) < 0) return false;
  const Handle creation(H5Dget_create_plist(set), H5Pclose);
  const std::uint64_t packed = H5Pget_nfilters(creation.id()) > 0 ? kMostPacked : 1;
  const std::uint64_t stored = std::min<std::uint64_t>(H5Dget_storage_size(set), file_size);
  return static_cast<std::uint64_t>(size) * H5Tget_size(type) <= packed * stored;
}

template <class T>
std::vector<T> read_numbers(const std::string& name, hid_t file, const std::string& path,
                            hid_t type) {
  const Handle set(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.valid()) throw Error(fmt::format("{}: there is no data set {}", name, path));
  const Handle space(H5Dget_space(set.id()), H5Sclose), stored(H5Dget_type(set.id()), H5Tclose);
  const hssize_t size = H5Sget_simple_extent_npoints(space.id());
  const H5T_class_t kind = H5Tget_class(stored.id());
  if (size < 0 || size > kMostNumbers || (kind != H5T_INTEGER && kind != H5T_FLOAT))
    throw Error(fmt::format("{}: the data set {} does not hold numbers", name, path));
  if (!is_all_there(file, set.id(), stored.id(), size))
    throw Error(fmt::format("{}: the data set {} claims {} numbers, which are not in the file",
                            name, path, size));
  std::vector<T> values(size);
  if (size > 0 && H5Dread(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    throw Error(fmt::format("{}: the data set {} is damaged", name, path));
  return values;
}

void write_numbers(const std::string& name, hid_t file, const std::string& path, hid_t stored,
                   hid_t type, const void* values, hsize_t size) {
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links.id(), 1);
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle set(
      H5Dcreate2(file, path.c_str(), stored, space.id(), links.id(), H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  if (!set.valid() || H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
    throw Error(fmt::format("{}: cannot write {}", name, path));
}

}  // namespace

Hdf5File::Hdf5File(const std::string& file, Mode mode) : name_(file) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // we say it ourselves
  // the form of HDF5 1.8, which every reader knows: attributes may be longer than 64 kB
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18);
  file_ = mode == Mode::kRead ? H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)
                              : H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id());
  if (file_ < 0)
    throw Error(file + (mode == Mode::kRead ? ": not an HDF5 file, or damaged"
                                            : ": cannot write the file"));
}

Hdf5File::~Hdf5File() {
  if (file_ >= 0) H5Fclose(file_);
}

bool Hdf5File::has(const std::string& path) const {
  // every group on the way must be there before the next one may be asked for
  for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
    if (H5Lexists(file_, path.substr(0, at).c_str(), H5P_DEFAULT) <= 0) return false;
    if (at == std::string::npos) return true;
  }
}

std::vector<double> Hdf5File::read_doubles(const std::string& path) const {
  return read_numbers<double>(name_, file_, path, H5T_NATIVE_DOUBLE);
}

std::vector<int> Hdf5File::read_ints(const std::string& path) const {
  return read_numbers<int>(name_, file_, path, H5T_NATIVE_INT);
}

std::vector<std::uint64_t> Hdf5File::read_uint64s(const std::string& path) const {
  return read_numbers<std::uint64_t>(name_, file_, path, H5T_NATIVE_UINT64);
}

int Hdf5File::read_int(const std::string& path) const {
  const std::vector<int> values = read_ints(path);
  if (values.size() != 1) throw Error(fmt::format("{}: {} must be one number", name_, path));
  return values[0];
}

void Hdf5File::write(const std::string& path, std::span<const double> values) {
  write_numbers(name_, file_, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(),
                values.size());
}

void Hdf5File::write(const std::string& path, std::span<const int> values) {
  write_numbers(name_, file_, path, H5T_STD_I32LE, H5T_NATIVE_INT, values.data(), values.size());
}

void Hdf5File::write(const std::string& path, std::span<const std::uint64_t> values) {
  write_numbers(name_, file_, path, H5T_STD_U64LE, H5T_NATIVE_UINT64, values.data(), values.size());
}

}  // namespace stance::io
