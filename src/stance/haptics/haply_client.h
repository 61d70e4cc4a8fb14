#pragma once

// An Inverse3 behind the Haply Inverse service. All of it happens on the thread that calls read and
// write, in small pieces: neither waits. Connects again by itself.

#include <memory>

#include "stance/haptics/device.h"

namespace stance::haptics {

struct HaplyOptions {
  std::string host = "127.0.0.1";
  int port = 10001;
  double damping = 2.0;     // N s/m, of the device; the service does not tell
  double max_force = 10.0;  // N
};

class HaplyClient final : public Device {
 public:
  explicit HaplyClient(const HaplyOptions& options);
  ~HaplyClient() override;

  const DeviceFacts& facts() const override { return facts_; }
  Reading read(double now, DeviceSample& sample) override;
  void write(double now, const DeviceForce& force) override;
  std::string trouble() const override;

 private:
  class Link;

  HaplyOptions options_;
  DeviceFacts facts_;
  std::shared_ptr<Link> link_;
  std::string trouble_;
  double retry_ = -1e300;  // s, when it was last tried
  double heard_ = 0.0;     // s, when the link began or was last heard
};

}  // namespace stance::haptics
