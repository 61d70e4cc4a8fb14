#pragma once

// A probe that moves along a recorded trajectory: positions over time from a CSV file, straight in
// between. It feels nothing, as it gives no force; its time starts with the first tick.

#include <vector>

#include "stance/haptics/device.h"

namespace stance::haptics {

class RecordedDevice final : public Device {
 public:
  // A line of names, `time,x,y,z` and, if wanted, `button`; then numbers (s, m, 0 or 1), times
  // ascending. Throws stance::Error at the line.
  explicit RecordedDevice(const std::string& file);
  RecordedDevice(std::string_view text, const std::string& name);

  const DeviceFacts& facts() const override { return facts_; }
  Reading read(double now, DeviceSample& sample) override;
  void write(double now, const DeviceForce& force) override;
  double duration() const { return rows_.back().time; }

 private:
  struct Row {
    double time = 0.0;
    Vec3d position{};
    std::uint32_t buttons = 0;
  };
  void parse(std::string_view text, const std::string& name);

  DeviceFacts facts_;
  std::vector<Row> rows_;
  double began_ = 0.0;
  bool has_begun_ = false;
  std::size_t row_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace stance::haptics
