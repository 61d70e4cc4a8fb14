// Texts, tables and attributes of HDF5 files.

#include <algorithm>

#include <fmt/format.h>

#include "stance/io/hdf5_file.h"
#include "stance/io/hdf5_handle.h"
#include "stance/kernel/error.h"

namespace stance::io {
namespace {

using Handle = Hdf5Handle;

constexpr hssize_t kMostTexts = 10'000'000;
constexpr hssize_t kMostBytes = hssize_t{1} << 30;

// Texts of any length, UTF-8: what h5py gives as str.
hid_t make_text_type() {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

hid_t make_links() {
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  return links;
}

std::vector<const char*> list_pointers(std::span<const std::string> texts) {
  std::vector<const char*> out;
  for (const std::string& text : texts) out.push_back(text.c_str());
  return out;
}

}  // namespace

// ---- texts ------------------------------------------------------------------------------------

std::vector<std::string> Hdf5File::read_texts(const std::string& path) const {
  const Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.valid()) throw Error(fmt::format("{}: there is no data set {}", name_, path));
  const Handle space(H5Dget_space(set.id()), H5Sclose), stored(H5Dget_type(set.id()), H5Tclose);
  const hssize_t size = H5Sget_simple_extent_npoints(space.id());
  if (size < 0 || size > kMostTexts || H5Tis_variable_str(stored.id()) <= 0)
    throw Error(fmt::format("{}: the data set {} does not hold texts", name_, path));
  const Handle type(make_text_type(), H5Tclose);
  std::vector<char*> pointers(size, nullptr);
  if (size > 0 && H5Dread(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()) < 0)
    throw Error(fmt::format("{}: the data set {} is damaged", name_, path));
  std::vector<std::string> texts;
  for (const char* text : pointers) texts.emplace_back(text ? text : "");
  if (size > 0) H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, pointers.data());
  return texts;
}

std::string Hdf5File::read_text(const std::string& path) const {
  const std::vector<std::string> texts = read_texts(path);
  if (texts.size() != 1) throw Error(fmt::format("{}: {} must be one text", name_, path));
  return texts[0];
}

void Hdf5File::write_texts(const std::string& path, std::span<const std::string> texts) {
  const Handle type(make_text_type(), H5Tclose), links(make_links(), H5Pclose);
  const hsize_t size = texts.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle set(
      H5Dcreate2(file_, path.c_str(), type.id(), space.id(), links.id(), H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  const std::vector<const char*> pointers = list_pointers(texts);
  if (!set.valid() || (size > 0 && H5Dwrite(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                            pointers.data()) < 0))
    throw Error(fmt::format("{}: cannot write {}", name_, path));
}

void Hdf5File::write_text(const std::string& path, const std::string& text) {
  const Handle type(make_text_type(), H5Tclose), links(make_links(), H5Pclose);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle set(
      H5Dcreate2(file_, path.c_str(), type.id(), space.id(), links.id(), H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  const char* pointer = text.c_str();
  if (!set.valid() || H5Dwrite(set.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer) < 0)
    throw Error(fmt::format("{}: cannot write {}", name_, path));
}

// ---- bytes ------------------------------------------------------------------------------------

std::string Hdf5File::read_bytes(const std::string& path) const {
  const Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.valid()) throw Error(fmt::format("{}: there is no data set {}", name_, path));
  const Handle space(H5Dget_space(set.id()), H5Sclose);
  const hssize_t size = H5Sget_simple_extent_npoints(space.id());
  if (size < 0 || size > kMostBytes)
    throw Error(fmt::format("{}: the data set {} does not hold bytes", name_, path));
  std::string bytes(size, '\0');
  if (size > 0 &&
      H5Dread(set.id(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
    throw Error(fmt::format("{}: the data set {} is damaged", name_, path));
  return bytes;
}

void Hdf5File::write_bytes(const std::string& path, std::string_view bytes) {
  const Handle links(make_links(), H5Pclose);
  const hsize_t size = bytes.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle set(H5Dcreate2(file_, path.c_str(), H5T_STD_U8LE, space.id(), links.id(),
                              H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose);
  if (!set.valid() ||
      H5Dwrite(set.id(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
    throw Error(fmt::format("{}: cannot write {}", name_, path));
}

// ---- tables -----------------------------------------------------------------------------------

void Hdf5File::make_table(const std::string& path, std::size_t rows, std::size_t columns) {
  const Handle links(make_links(), H5Pclose);
  const hsize_t size[] = {rows, columns};
  const Handle space(H5Screate_simple(2, size, nullptr), H5Sclose);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_IFSET);
  const Handle set(H5Dcreate2(file_, path.c_str(), H5T_IEEE_F64LE, space.id(), links.id(),
                              creation.id(), H5P_DEFAULT),
                   H5Dclose);
  if (!set.valid()) throw Error(fmt::format("{}: cannot write {}", name_, path));
}

void Hdf5File::write_rows(const std::string& path, std::size_t first, std::size_t rows,
                          std::span<const double> values) {
  if (rows == 0 || values.empty()) return;
  const Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.valid()) throw Error(fmt::format("{}: there is no table {}", name_, path));
  const Handle space(H5Dget_space(set.id()), H5Sclose);
  const hsize_t start[] = {first, 0}, count[] = {rows, values.size() / rows};
  const Handle memory(H5Screate_simple(2, count, nullptr), H5Sclose);
  if (H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
      H5Dwrite(set.id(), H5T_NATIVE_DOUBLE, memory.id(), space.id(), H5P_DEFAULT, values.data()) <
          0)
    throw Error(fmt::format("{}: cannot write {}; is the disk full?", name_, path));
}

// ---- attributes -------------------------------------------------------------------------------

namespace {

void write_attribute(hid_t file, const std::string& file_name, const std::string& path,
                     const char* name, hid_t stored, hid_t type, hid_t space, const void* value) {
  const Handle attribute(H5Acreate_by_name(file, path.c_str(), name, stored, space, H5P_DEFAULT,
                                           H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  if (!attribute.valid() || H5Awrite(attribute.id(), type, value) < 0)
    throw Error(fmt::format("{}: cannot write the attribute {} of {}", file_name, name, path));
}

}  // namespace

void Hdf5File::describe(const std::string& path, const char* name, const std::string& text) {
  const Handle type(make_text_type(), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  const char* pointer = text.c_str();
  write_attribute(file_, name_, path, name, type.id(), type.id(), space.id(), &pointer);
}

void Hdf5File::describe(const std::string& path, const char* name,
                        std::span<const std::string> texts) {
  const Handle type(make_text_type(), H5Tclose);
  const hsize_t size = texts.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const std::vector<const char*> pointers = list_pointers(texts);
  write_attribute(file_, name_, path, name, type.id(), type.id(), space.id(), pointers.data());
}

void Hdf5File::describe(const std::string& path, const char* name, double value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  write_attribute(file_, name_, path, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space.id(), &value);
}

void Hdf5File::describe(const std::string& path, const char* name, std::int64_t value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  write_attribute(file_, name_, path, name, H5T_STD_I64LE, H5T_NATIVE_INT64, space.id(), &value);
}

void Hdf5File::flush() {
  if (H5Fflush(file_, H5F_SCOPE_GLOBAL) < 0)
    throw Error(fmt::format("{}: cannot write the file; is the disk full?", name_));
}

}  // namespace stance::io
