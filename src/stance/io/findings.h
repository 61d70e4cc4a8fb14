#pragma once

// What reading a file brought to light. Errors are collected rather than thrown one at a time, so
// that a user mends a file in one go; the reader throws, or reports, when it can go no further.

#include <cstddef>
#include <string>
#include <vector>

#include "stance/kernel/error.h"

namespace stance::io {

using Finding = Warning;  // a place and a sentence; whether it is an error says the list it is in

class Findings {
 public:
  void error(Place place, std::string what) {
    ++error_count_;
    add(errors_, std::move(place), std::move(what));
  }
  void warn(Place place, std::string what) { add(warnings_, std::move(place), std::move(what)); }
  void error(const Error& error);  // takes over what another layer threw

  const std::vector<Finding>& errors() const { return errors_; }
  const std::vector<Finding>& warnings() const { return warnings_; }
  std::size_t error_count() const { return error_count_; }  // also of those beyond the list's end

  // Under --strict: every warning becomes an error.
  void make_strict();

  // By line, those of one line in the order they were found.
  void sort();

  // Throws the first error, telling how many follow; does nothing when there is none.
  void throw_if_any() const;

 private:
  void add(std::vector<Finding>& list, Place place, std::string what);

  std::vector<Finding> errors_, warnings_;
  std::size_t error_count_ = 0;
};

// The sentence of an error without the place that stands before it in what().
std::string bare_message(const Error& error);

}  // namespace stance::io
