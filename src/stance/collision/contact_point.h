#pragma once

// What the layer hands out: points where two geometries touch or are about to.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stance/kernel/vec3.h"

namespace stance::collision {

using kernel::Vec3d;

// What names a contact from step to step: the two geometries and the features of them that meet.
// It is kept and compared as one number.
struct ContactName {
  int geometry_a, geometry_b;  // below 65536, a before b
  std::uint32_t features;

  constexpr std::uint64_t pack() const {
    return std::uint64_t(geometry_a) << 48 | std::uint64_t(geometry_b) << 32 | features;
  }
  static constexpr ContactName unpack(std::uint64_t id) {
    return {static_cast<int>(id >> 48), static_cast<int>(id >> 32 & 0xffff),
            static_cast<std::uint32_t>(id)};
  }
};

// The id of the same contact where geometries have other numbers, `numbers` by those of now; none
// where one of the two is gone (-1), or where b comes before a: turned round, the contact's
// directions would be others.
constexpr std::optional<std::uint64_t> renumber_contact(std::uint64_t id,
                                                        std::span<const int> numbers) {
  const ContactName name = ContactName::unpack(id);
  const int a = numbers[name.geometry_a], b = numbers[name.geometry_b];
  if (a < 0 || b < 0 || a > b) return std::nullopt;
  return ContactName{a, b, name.features}.pack();
}

struct ContactPoint {
  Vec3d p_W;         // midway between the two surfaces along the normal, m
  Vec3d n_W;         // unit, from b to a: a positive normal impulse pushes a away from b
  double gap;        // along the normal, m; negative: penetration
  std::uint64_t id;  // ContactName::pack; unique in a buffer
  int geometry_a;    // geometry_a < geometry_b
  int geometry_b;
  int body_a;
  int body_b;
};

// Places for points. What does not fit is left out and counted; it does not grow by itself.
class ContactBuffer {
 public:
  explicit ContactBuffer(int capacity) : points_(capacity) {}

  void clear() { size_ = lacking_ = lost_ = 0; }
  ContactPoint* append() {
    if (size_ == static_cast<int>(points_.size())) return ++lacking_, nullptr;
    return &points_[size_++];
  }
  void lose(int count) { lost_ += count; }  // points that were left out before they came here
  void shrink(int size) { size_ = size; }   // keeps the first ones
  void make_room(int capacity) { points_.resize(capacity); }  // asks for memory

  int size() const { return size_; }
  int capacity() const { return static_cast<int>(points_.size()); }
  int lacking() const { return lacking_; }          // points there was no place for
  int dropped() const { return lacking_ + lost_; }  // all that were left out by find_contacts
  const ContactPoint& operator[](int k) const { return points_[k]; }
  std::span<const ContactPoint> points() const { return {points_.data(), std::size_t(size_)}; }
  std::span<ContactPoint> points() { return {points_.data(), std::size_t(size_)}; }

 private:
  std::vector<ContactPoint> points_;
  int size_ = 0, lacking_ = 0, lost_ = 0;
};

}  // namespace stance::collision
