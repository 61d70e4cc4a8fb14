#pragma once

// Errors at the edges: what went wrong, where in the user's file, and what to try.

#include <stdexcept>
#include <string>
#include <utility>

namespace stance {

// A place in a file the user wrote: robot description, scene, recording.
struct Place {
  std::string file;          // as the user named it; empty when there is no file
  int line = 0;              // 1-based; 0 when unknown
  std::string element = {};  // e.g. <joint name="knee">; empty when unknown
  int column = 0;            // 1-based; 0 when unknown

  // "robot.urdf:12: <joint name="knee">", "scene.yaml:12:5", leaving out what is unknown.
  std::string text() const;
};

// Thrown by io, the model builder, cli and server; never inside a step.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& what) : std::runtime_error(what) {}
  Error(const Place& place, const std::string& what)
      : std::runtime_error(place.text().empty() ? what : place.text() + ": " + what),
        place_(place) {}

  const Place& place() const { return place_; }

 private:
  Place place_;
};

// Something odd that does not stop the work; collected and shown, never swallowed.
struct Warning {
  Place place;
  std::string what;

  std::string text() const { return place.text().empty() ? what : place.text() + ": " + what; }
};

}  // namespace stance
