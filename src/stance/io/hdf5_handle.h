#pragma once

// For the files that speak HDF5's own language.

#include <cstdint>

#include <hdf5.h>

namespace stance::io {

static_assert(sizeof(hid_t) <= sizeof(std::int64_t));

// What HDF5 hands out must be closed by the function of its kind.
class Hdf5Handle {
 public:
  Hdf5Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Handle() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  hid_t id() const { return id_; }
  bool valid() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

}  // namespace stance::io
