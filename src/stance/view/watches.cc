#include "stance/view/watches.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "stance/run/simulation.h"
#include "stance/view/frame.h"

namespace stance::view {
namespace {

constexpr double kSampleEvery = 2e-3;                       // s of the simulation
constexpr std::size_t kMostBatch = std::size_t{256} << 10;  // bytes

}  // namespace

BegunWatch Watches::begin(int viewer, const std::vector<std::string>& channels,
                          const run::Simulation& simulation) {
  leave(viewer);
  Watch watch;
  watch.viewer = viewer, watch.number = ++last_;
  watch.names = channels;
  choose_channels(simulation, watch);
  BegunWatch out{static_cast<int>(watch.number), watch.columns};
  if (!watch.reader) return out;
  watch.batch.reserve(kMostBatch);
  watches_.push_back(std::move(watch));
  return out;
}

void Watches::leave(int viewer) {
  std::erase_if(watches_, [&](const Watch& watch) { return watch.viewer == viewer; });
}

void Watches::renew(const run::Simulation& simulation) {
  for (Watch& watch : watches_) choose_channels(simulation, watch), watch.rows = 0;
}

// Channels of the world of now.
void Watches::choose_channels(const run::Simulation& simulation, Watch& watch) {
  watch.reader.reset();
  watch.order.clear(), watch.columns.clear();
  std::vector<std::string> wanted;
  for (const std::string& name : watch.names)
    if (simulation.channels().is_here(name)) wanted.push_back(name);
  if (wanted.empty()) return;
  watch.reader = std::make_unique<run::ChannelReader>(simulation, wanted);
  watch.values.resize(watch.reader->width());
  // values come in the order of the simulation, columns are told in that of the viewer
  std::set<std::string> told;
  for (const std::string& name : watch.names) {
    std::size_t at = 0;
    const bool is_told = !told.insert(name).second;
    for (const sim::Channel& channel : watch.reader->channels()) {
      for (const std::string& column : channel.columns) {
        if (channel.name == name && !is_told) {
          watch.order.push_back(at);
          watch.columns.push_back(column.empty() ? name : name + ":" + column);
        }
        ++at;
      }
    }
  }
}

void Watches::sample(const sim::StepView& view, std::int64_t steps, std::uint32_t scene) {
  const auto every = std::max<std::int64_t>(1, std::llround(kSampleEvery / view.h));
  if (steps % every != 0) return;
  for (Watch& watch : watches_) {
    if (!watch.reader) continue;
    if (watch.rows == 0) begin_samples(scene, watch.number, watch.order.size(), watch.batch);
    if (watch.batch.size() + 8 + 4 * watch.order.size() > kMostBatch) continue;
    watch.reader->read(watch.values);
    put(watch.batch, view.state.time);
    for (const std::size_t k : watch.order) put(watch.batch, static_cast<float>(watch.values[k]));
    ++watch.rows;
  }
}

void Watches::send(Outbox& outbox) {
  for (Watch& watch : watches_) {
    if (watch.rows == 0) continue;
    put_at(watch.batch, kRowsAt, watch.rows);
    watch.rows = 0;
    outbox.send_samples(watch.viewer, watch.batch);
  }
}

}  // namespace stance::view
