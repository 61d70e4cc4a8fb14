#pragma once

// From the physics thread to the server's: answers, worlds, events, samples and selections, in the
// order in which they came. Neither waits for the other.

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "stance/run/record_ring.h"
#include "stance/view/order.h"

namespace stance::view {

class Outbox {
 public:
  // `wake` is called on the physics thread when there is something to take; it must not wait.
  explicit Outbox(std::function<void()> wake);
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;
  ~Outbox() { clear(); }

  // ---- by the physics thread

  // These arrive; what finds no room waits for flush().
  void answer(std::unique_ptr<Order> order);
  void describe(std::shared_ptr<const Description> description);
  void flush();

  // These are dropped where nobody takes them.
  void tell(std::string_view json);  // to all viewers
  void send(const Selection& selection);
  void send_samples(int viewer, std::span<const std::byte> frame);

  void wake() const { wake_(); }

  // ---- by the server's thread

  struct Listener {
    virtual ~Listener() = default;
    virtual void on_answer(std::unique_ptr<Order> order) = 0;
    virtual void on_description(std::shared_ptr<const Description> description) = 0;
    virtual void on_event(std::string_view json) = 0;
    virtual void on_samples(int viewer, std::span<const std::byte> frame) = 0;
    virtual void on_selection(const Selection& selection) = 0;
  };
  void drain(Listener& listener);

  // ---- when one of the threads has ended

  void clear();

 private:
  enum Kind : std::uint32_t { kAnswer, kDescription, kEvent, kSamples, kSelection };
  struct Pointer {
    std::uint32_t kind;
    void* pointer;
  };
  void push(std::uint32_t kind, std::span<const std::byte> bytes);
  bool is_crowded() const;

  std::function<void()> wake_;
  run::RecordRing ring_;
  std::vector<Pointer> pending_;  // that found no room in the ring yet
};

}  // namespace stance::view
