#pragma once

// The last minutes of a simulation: frames as they were shown, each with the state to go on from.
// All of it lies in one block of memory, the oldest making room for the newest, so that keeping
// asks for none.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stance/view/bytes.h"
#include "stance/view/frame.h"

namespace stance::view {

class Timeline {
 public:
  struct Entry {
    double time = 0.0;
    std::uint32_t scene = 0;
    std::uint32_t holds = 0;  // which joint targets held (hands.h)
    std::size_t edits = 0;    // that people had made of the scene
    JointBlock joints;
    std::size_t at = 0, frame = 0, state = 0;  // where its bytes begin; how many
  };

  Timeline(std::size_t bytes, double seconds, std::size_t most_entries);

  // Keeps one later than all others; it gives its bytes a place. False when they are more than
  // there is room for in all.
  bool add(const Entry& entry, std::span<const std::byte> frame, std::span<const std::byte> state);

  // The entry nearest in time; null when there is none.
  const Entry* find(double time) const;
  std::span<const std::byte> frame(const Entry& entry) const;
  std::span<const std::byte> state(const Entry& entry) const;

  void cut_after(double time);                 // forgets what is later
  void cut_before_scene(std::uint32_t scene);  // and what is of earlier scenes
  bool has_scene(std::uint32_t scene) const;
  void clear() { count_ = 0; }
  bool is_empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  double from() const { return count_ > 0 ? entry(0).time : 0.0; }
  double to() const { return count_ > 0 ? entry(count_ - 1).time : 0.0; }

 private:
  const Entry& entry(std::size_t k) const { return entries_[(first_ + k) % entries_.size()]; }
  Entry& entry(std::size_t k) { return entries_[(first_ + k) % entries_.size()]; }
  void drop_first() { first_ = (first_ + 1) % entries_.size(), --count_; }

  std::size_t bytes_;
  std::unique_ptr<std::byte[]> block_;  // touched only as it fills
  double seconds_;
  std::vector<Entry> entries_;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace stance::view
