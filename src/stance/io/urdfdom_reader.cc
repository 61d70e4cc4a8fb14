#include "stance/io/urdfdom_reader.h"

#include <exception>
#include <mutex>

#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

namespace stance::io {
namespace {

// Collects what urdfdom says while it lives. The handler is a global of console_bridge, hence the
// lock: one urdfdom at a time.
class Listener : public console_bridge::OutputHandler {
 public:
  Listener() : lock_(mutex()), before_(console_bridge::getOutputHandler()) {
    console_bridge::useOutputHandler(this);
  }
  ~Listener() override { console_bridge::useOutputHandler(before_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level < console_bridge::CONSOLE_BRIDGE_LOG_WARN) return;
    heard_ += (heard_.empty() ? "" : "; ") + text;
  }
  const std::string& heard() const { return heard_; }

 private:
  static std::mutex& mutex() {
    static std::mutex instance;
    return instance;
  }

  std::lock_guard<std::mutex> lock_;
  console_bridge::OutputHandler* before_;
  std::string heard_;
};

// Cuts every pointer from link to link and joint, so that each is destroyed alone.
void dismantle(urdf::ModelInterface& model) {
  for (auto& [name, link] : model.links_) {
    link->child_links.clear();
    link->child_joints.clear();
    link->parent_joint.reset();
  }
  model.clear();
}

}  // namespace

std::shared_ptr<const urdf::ModelInterface> read_with_urdfdom(const std::string& text,
                                                              const Place& place) {
  Listener listener;
  urdf::ModelInterfaceSharedPtr model;
  std::string thrown;
  try {
    model = urdf::parseURDF(text);
  } catch (const std::exception& error) {
    thrown = error.what();
  }
  if (!model)
    throw Error(place, "urdfdom refuses the description: " +
                           (listener.heard().empty() ? thrown : listener.heard()));
  urdf::ModelInterface* raw = model.get();
  return {raw, [held = std::move(model)](const urdf::ModelInterface*) mutable {
            dismantle(*held);
            held.reset();
          }};
}

}  // namespace stance::io
