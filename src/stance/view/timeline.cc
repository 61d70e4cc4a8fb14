#include "stance/view/timeline.h"

#include <cmath>

namespace stance::view {

Timeline::Timeline(std::size_t bytes, double seconds, std::size_t most_entries)
    : bytes_(bytes), block_(new std::byte[bytes]), seconds_(seconds), entries_(most_entries) {}

bool Timeline::add(const Entry& wanted, std::span<const std::byte> frame,
                   std::span<const std::byte> state) {
  const std::size_t need = frame.size() + state.size();
  if (need > bytes_) return false;
  while (count_ > 0 && (count_ == entries_.size() || wanted.time - entry(0).time > seconds_))
    drop_first();
  // after the newest, or at the beginning of the block where the rest of it is too short
  std::size_t at = 0;
  if (count_ > 0) {
    const Entry& last = entry(count_ - 1);
    at = last.at + last.frame + last.state;
    if (at + need > bytes_) {
      // what lies between there and the end is older than all at the beginning
      while (count_ > 0 && entry(0).at >= at) drop_first();
      at = 0;
    }
  }
  const auto is_hit = [&](const Entry& e) {
    return e.at < at + need && at < e.at + e.frame + e.state;
  };
  while (count_ > 0 && is_hit(entry(0))) drop_first();
  Entry& out = entry(count_++);
  out = wanted;
  out.at = at, out.frame = frame.size(), out.state = state.size();
  std::memcpy(block_.get() + at, frame.data(), frame.size());
  std::memcpy(block_.get() + at + frame.size(), state.data(), state.size());
  return true;
}

const Timeline::Entry* Timeline::find(double time) const {
  if (count_ == 0) return nullptr;
  std::size_t low = 0, high = count_;  // the first entry that is later lies in [low, high]
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (entry(middle).time > time)
      high = middle;
    else
      low = middle + 1;
  }
  if (low == count_) return &entry(count_ - 1);
  if (low == 0) return &entry(0);
  const bool is_before = time - entry(low - 1).time <= entry(low).time - time;
  return &entry(is_before ? low - 1 : low);
}

std::span<const std::byte> Timeline::frame(const Entry& e) const {
  return {block_.get() + e.at, e.frame};
}
std::span<const std::byte> Timeline::state(const Entry& e) const {
  return {block_.get() + e.at + e.frame, e.state};
}

void Timeline::cut_after(double time) {
  while (count_ > 0 && entry(count_ - 1).time > time) --count_;
}

void Timeline::cut_before_scene(std::uint32_t scene) {
  while (count_ > 0 && entry(0).scene < scene) drop_first();
}

bool Timeline::has_scene(std::uint32_t scene) const {
  for (std::size_t k = 0; k < count_; ++k)
    if (entry(k).scene == scene) return true;
  return false;
}

}  // namespace stance::view
