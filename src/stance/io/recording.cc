#include "stance/io/recording.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "stance/io/hdf5_file.h"
#include "stance/kernel/error.h"
#include "stance/run/channel_choice.h"

namespace stance::io {
namespace {

std::vector<JournalNote> read_notes(const Hdf5File& in, const std::string& group, bool are_inputs) {
  const std::vector<std::string> kinds = in.read_texts(group + "/kind");
  const std::vector<std::string> texts = in.read_texts(group + (are_inputs ? "/data" : "/what"));
  const std::vector<double> times = in.read_doubles(group + "/time");
  const std::vector<std::uint64_t> steps =
      are_inputs ? in.read_uint64s(group + "/step") : std::vector<std::uint64_t>(kinds.size());
  const std::vector<double> values =
      are_inputs ? std::vector<double>(kinds.size()) : in.read_doubles(group + "/value");
  const std::size_t count =
      std::min({kinds.size(), texts.size(), times.size(), steps.size(), values.size()});
  std::vector<JournalNote> notes;
  for (std::size_t k = 0; k < count; ++k)
    notes.push_back({steps[k], times[k], values[k], kinds[k], texts[k]});
  return notes;
}

}  // namespace

Recording::Recording(const std::string& file) : file_(file) {
  std::error_code code;
  if (!std::filesystem::exists(file, code)) throw Error({file}, "there is no such file");
  if (std::filesystem::is_directory(file, code))
    throw Error({file}, "this is a folder; name a recording (.h5) inside it");
  try {
    in_ = std::make_unique<Hdf5File>(file, Hdf5File::Mode::kRead);
  } catch (const Error& error) {
    throw Error(fmt::format("{}; `stance run --out` writes recordings", error.what()));
  }
  if (!in_->has("/header"))
    throw Error({file}, "this HDF5 file is not a recording; `stance run --out` writes them");
  header_ = parse_header(in_->read_text("/header"), file);
  time_ = in_->read_doubles("/time");
  step_ = in_->read_uint64s("/step");
  if (step_.size() != time_.size())
    throw Error({file}, "the recording is damaged: times and steps do not fit");
  if (in_->has("/summary")) summary_ = parse_summary(in_->read_text("/summary"));
  events_ = read_notes(*in_, "/events", false);
  inputs_ = read_notes(*in_, "/inputs", true);
}

Recording::~Recording() = default;

std::vector<double> Recording::read(std::size_t channel) const {
  const sim::Channel& wanted = header_.channels.at(channel);
  std::vector<double> values = in_->read_doubles("/channels/" + wanted.name);
  if (values.size() != rows() * wanted.columns.size())
    throw Error({file_}, fmt::format("the recording is damaged: '{}' has {} values, not {}",
                                     wanted.name, values.size(), rows() * wanted.columns.size()));
  return values;
}

std::vector<double> Recording::read(std::string_view channel) const {
  std::vector<std::string> known;
  for (const sim::Channel& other : header_.channels) known.push_back(other.name);
  const auto it = std::find(known.begin(), known.end(), channel);
  if (it == known.end())
    throw Error({file_}, fmt::format("it has no channel '{}'{}", channel,
                                     run::suggest_channel(channel, known)));
  return read(static_cast<std::size_t>(it - known.begin()));
}

std::string Recording::read_start() const { return in_->read_bytes("/start"); }

bool is_recording(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  char magic[8] = {};
  stream.read(magic, 8);
  const bool is_hdf5 = stream.gcount() == 8 && std::equal(magic, magic + 8, "\x89HDF\r\n\x1a\n");
  return is_hdf5 || find_journal(file + ".journal") != JournalState::kNone;
}

}  // namespace stance::io
