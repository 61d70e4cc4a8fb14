#include "stance/io/findings.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "stance/io/xml_text.h"

namespace stance::io {
namespace {

// Nobody reads on; a broken file of many megabytes must not fill the memory with sentences.
constexpr std::size_t kMostFindings = 1000;
constexpr int kEndOfList = std::numeric_limits<int>::max();  // line of the sentence that says so

void sort_by_line(std::vector<Finding>& list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const Finding& a, const Finding& b) { return a.place.line < b.place.line; });
}

}  // namespace

void Findings::add(std::vector<Finding>& list, Place place, std::string what) {
  if (list.size() > kMostFindings) return;
  if (list.size() == kMostFindings) {
    place.line = kEndOfList;  // behind all others when sorted
    place.element.clear();
    what = fmt::format("these are the first {}; more follow", kMostFindings);
  }
  // what is quoted from a file may be anything
  place.element = make_printable(place.element);
  list.push_back({std::move(place), make_printable(what)});
}

void Findings::error(const Error& error) { this->error(error.place(), bare_message(error)); }

void Findings::make_strict() {
  error_count_ += warnings_.size();
  std::move(warnings_.begin(), warnings_.end(), std::back_inserter(errors_));
  warnings_.clear();
}

void Findings::sort() {
  for (std::vector<Finding>* list : {&errors_, &warnings_}) {
    sort_by_line(*list);
    if (!list->empty() && list->back().place.line == kEndOfList) list->back().place.line = 0;
  }
}

void Findings::throw_if_any() const {
  if (errors_.empty()) return;
  const Finding& first = errors_.front();
  const std::size_t more = error_count_ - 1;
  if (more == 0) throw Error(first.place, first.what);
  throw Error(first.place,
              fmt::format("{} (and {} more problem{} in this file; `stance check` lists them all)",
                          first.what, more, more == 1 ? "" : "s"));
}

std::string bare_message(const Error& error) {
  const std::string what = error.what();
  const std::string place = error.place().text() + ": ";
  const bool prefixed = place.size() > 2 && what.compare(0, place.size(), place) == 0;
  return prefixed ? what.substr(place.size()) : what;
}

}  // namespace stance::io
