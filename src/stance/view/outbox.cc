#include "stance/view/outbox.h"

#include <cstring>

#include "stance/view/bytes.h"

namespace stance::view {
namespace {

constexpr std::size_t kRingBytes = std::size_t{8} << 20;

using DescriptionPointer = std::shared_ptr<const Description>;

// Those who listen when nobody does.
struct Nobody final : Outbox::Listener {
  void on_answer(std::unique_ptr<Order>) override {}
  void on_description(DescriptionPointer) override {}
  void on_event(std::string_view) override {}
  void on_samples(int, std::span<const std::byte>) override {}
  void on_selection(const Selection&) override {}
};

}  // namespace

Outbox::Outbox(std::function<void()> wake) : wake_(std::move(wake)), ring_(kRingBytes) {}

void Outbox::answer(std::unique_ptr<Order> order) {
  pending_.push_back({kAnswer, order.release()});
  flush();
}

void Outbox::describe(DescriptionPointer description) {
  pending_.push_back({kDescription, new DescriptionPointer(std::move(description))});
  flush();
}

// In their order; what finds no room stays.
void Outbox::flush() {
  std::size_t sent = 0;
  while (sent < pending_.size() &&
         ring_.push(pending_[sent].kind, std::as_bytes(std::span(&pending_[sent].pointer, 1))))
    ++sent;
  if (sent == 0) return;
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(sent));
  wake_();
}

bool Outbox::is_crowded() const { return ring_.used() >= kRingBytes / 2; }

void Outbox::push(std::uint32_t kind, std::span<const std::byte> bytes) {
  if (!is_crowded()) ring_.push(kind, bytes);
}

void Outbox::tell(std::string_view json) { push(kEvent, std::as_bytes(std::span(json))); }

void Outbox::send(const Selection& selection) {
  push(kSelection, std::as_bytes(std::span(&selection, 1)));
}

void Outbox::send_samples(int viewer, std::span<const std::byte> frame) {
  if (is_crowded()) return;
  const auto number = static_cast<std::uint32_t>(viewer);
  std::byte* to = ring_.reserve(kSamples, sizeof number + frame.size());
  if (!to) return;
  std::memcpy(to, &number, sizeof number);
  std::memcpy(to + sizeof number, frame.data(), frame.size());
  ring_.commit();
}

void Outbox::drain(Listener& listener) {
  const auto pointer = [](std::span<const std::byte> bytes) {
    return get_at<void*>(bytes.data(), 0);
  };
  ring_.drain([&](std::uint32_t kind, std::span<const std::byte> bytes) {
    switch (static_cast<Kind>(kind)) {
      case kAnswer:
        listener.on_answer(std::unique_ptr<Order>(static_cast<Order*>(pointer(bytes))));
        return;
      case kDescription: {
        const std::unique_ptr<DescriptionPointer> description(
            static_cast<DescriptionPointer*>(pointer(bytes)));
        listener.on_description(*description);
        return;
      }
      case kEvent:
        listener.on_event({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        return;
      case kSamples:
        listener.on_samples(static_cast<int>(get_at<std::uint32_t>(bytes.data(), 0)),
                            bytes.subspan(4));
        return;
      case kSelection: {
        Selection selection;
        std::memcpy(&selection, bytes.data(), sizeof selection);
        listener.on_selection(selection);
        return;
      }
    }
  });
}

void Outbox::clear() {
  Nobody nobody;
  drain(nobody);
  for (const Pointer& waiting : pending_) {
    if (waiting.kind == kAnswer)
      delete static_cast<Order*>(waiting.pointer);
    else
      delete static_cast<DescriptionPointer*>(waiting.pointer);
  }
  pending_.clear();
}

}  // namespace stance::view
