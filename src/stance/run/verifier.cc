#include "stance/run/verifier.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace stance::run {
namespace {

bool is_same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

}  // namespace

Verifier::Verifier(Recorded recorded, Simulation& simulation) : recorded_(std::move(recorded)) {
  std::vector<std::string> names;
  for (const sim::Channel& channel : recorded_.channels) names.push_back(channel.name);
  try {
    reader_.emplace(simulation, names);
  } catch (const Error& error) {
    throw Error({recorded_.file},
                fmt::format("this program does not offer what was recorded: {}", error.what()));
  }
  values_.resize(reader_->width());
  std::size_t at = 0;
  for (const sim::Channel& channel : reader_->channels()) {
    add_table(channel, at);
    at += channel.columns.size();
  }
}

void Verifier::add_table(const sim::Channel& channel, std::size_t at) {
  for (std::size_t k = 0; k < recorded_.channels.size(); ++k) {
    if (recorded_.channels[k].name != channel.name) continue;
    if (recorded_.channels[k].columns != channel.columns)
      throw Error({recorded_.file},
                  fmt::format("'{}' has other columns in this program; replay it with {}",
                              channel.name, recorded_.program));
    tables_.push_back({&channel, at, recorded_.values[k].data()});
  }
}

bool Verifier::after_step(const Simulation& simulation, const sim::StepView& view) {
  const auto step = static_cast<std::uint64_t>(simulation.steps());
  const std::size_t rows = recorded_.step.size();
  if (row_ >= rows) return recorded_.is_complete;
  if (step < recorded_.step[row_]) return true;
  compare(step, view);
  ++row_;
  return !difference_ && (row_ < rows || recorded_.is_complete);
}

void Verifier::compare(std::uint64_t step, const sim::StepView& view) {
  const double time = recorded_.time[row_];
  if (step != recorded_.step[row_] || !is_same(time, view.state.time)) {
    difference_ = {time, "time", "", fmt::format("{}", time), fmt::format("{}", view.state.time)};
    return;
  }
  reader_->read(values_);
  for (const Table& table : tables_) {
    const std::size_t columns = table.channel->columns.size();
    const double* recorded = table.recorded + row_ * columns;
    if (std::memcmp(recorded, &values_[table.at], columns * sizeof(double)) == 0) continue;
    for (std::size_t c = 0; c < columns; ++c) {
      if (is_same(recorded[c], values_[table.at + c])) continue;
      difference_ = {time, table.channel->name, table.channel->columns[c],
                     fmt::format("{}", recorded[c]), fmt::format("{}", values_[table.at + c])};
      return;
    }
  }
}

void Verifier::compare_end(const Outcome& outcome) {
  if (difference_) return;
  if (row_ < recorded_.step.size()) {
    difference_ = {recorded_.time[row_], "time", "", fmt::format("{}", recorded_.time[row_]),
                   "the run ended before"};
    return;
  }
  for (std::size_t k = 0; k < recorded_.events.size() && !difference_; ++k) {
    const sim::Event* event = k < outcome.events.size() ? &outcome.events[k] : nullptr;
    const Recorded::EventText& wanted = recorded_.events[k];
    if (event && wanted.kind == event_name(event->kind) && wanted.what == event->what &&
        is_same(wanted.time, event->time) && is_same(wanted.value, event->value))
      continue;
    difference_ = {wanted.time, "events", wanted.kind, wanted.what,
                   event ? fmt::format("{} {}", event_name(event->kind), event->what) : "nothing"};
  }
}

}  // namespace stance::run
