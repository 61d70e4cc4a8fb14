#include "stance/io/recording_finish.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "stance/io/hdf5_file.h"
#include "stance/io/recording.h"
#include "stance/kernel/error.h"

namespace stance::io {
namespace {

namespace fs = std::filesystem;

// Rows of a frame: a step number, the time, and the values of all channels.
struct RowLayout {
  std::size_t words;  // of a row

  std::size_t count(std::string_view bytes) const { return bytes.size() / (8 * words); }
};

// All of a journal but its rows.
struct Contents {
  RecordingHeader header;
  std::string header_text, summary, start;
  bool has_start = false;
  std::vector<JournalNote> events, inputs;
  std::size_t rows = 0;
  double end = 0.0;  // s, the time of the last of them
  std::size_t torn_bytes = 0;
};

Contents read_contents(JournalReader& in, const std::string& file) {
  Contents out;
  RowLayout layout{2};
  JournalReader::Frame frame;
  for (bool is_first = true; in.next(frame); is_first = false) {
    JournalNote note;
    switch (frame.kind) {
      case FrameKind::kHeader:
        if (!is_first) break;
        out.header_text = frame.bytes;
        out.header = parse_header(frame.bytes, file);
        layout.words = 2 + out.header.width();
        break;
      case FrameKind::kStart: out.start = frame.bytes, out.has_start = true; break;
      case FrameKind::kRows: {
        const std::size_t rows = layout.count(frame.bytes);
        out.rows += rows;
        if (rows > 0)
          std::memcpy(&out.end, frame.bytes.data() + 8 * (layout.words * (rows - 1) + 1), 8);
        break;
      }
      case FrameKind::kEvent:
        if (unpack_note(frame.bytes, note)) out.events.push_back(note);
        break;
      case FrameKind::kInput:
        if (unpack_note(frame.bytes, note)) out.inputs.push_back(note);
        break;
      case FrameKind::kEnd: out.summary = frame.bytes; break;
    }
  }
  out.torn_bytes = in.size() - in.position();
  return out;
}

// f(rows, words of them) for every frame of rows.
template <class F>
void for_each_block(JournalReader& in, std::size_t words, F&& f) {
  const RowLayout layout{words};
  in.rewind();
  for (JournalReader::Frame frame; in.next(frame);)
    if (frame.kind == FrameKind::kRows)
      f(layout.count(frame.bytes), reinterpret_cast<const double*>(frame.bytes.data()));
}

// ---- HDF5 -------------------------------------------------------------------------------------

void describe_file(const Contents& contents, Hdf5File& out) {
  const RecordingHeader& header = contents.header;
  out.describe("/", "format", std::string("stance recording"));
  out.describe("/", "format_version", std::int64_t{kRecordingVersion});
  out.describe("/", "program", header.program);
  out.describe("/", "feature_level", header.feature_level);
  out.describe("/", "command", header.command);
  out.describe("/", "date", header.date);
  out.describe("/", "scene", header.scene);
  out.describe("/", "about", header.about);
  out.describe("/", "step", header.step);
  out.describe("/", "every", std::int64_t{header.every});
  out.describe("/", "seed", static_cast<std::int64_t>(header.seed));
  out.describe("/", "input_hash", header.calc_input_hash());
  out.describe("/", "complete", std::int64_t{!contents.summary.empty()});
}

void write_scene(const Contents& contents, Hdf5File& out) {
  const RecordingHeader& header = contents.header;
  std::vector<std::string> paths, texts, files, hashes, names;
  for (const SceneTexts::File& file : header.texts)
    paths.push_back(file.path), texts.push_back(file.text);
  for (const scene::FileSpec& file : header.files)
    files.push_back(file.path), hashes.push_back(file.sha256);
  for (const sim::Channel& channel : header.channels) names.push_back(channel.name);
  out.write_text("/header", contents.header_text);
  out.write_texts("/channel_names", names);
  out.write_texts("/scene/path", paths);
  out.write_texts("/scene/text", texts);
  out.write_texts("/files/path", files);
  out.write_texts("/files/sha256", hashes);
  if (contents.has_start) out.write_bytes("/start", contents.start);
  if (!contents.summary.empty()) out.write_text("/summary", contents.summary);
}

void write_notes(const std::vector<JournalNote>& notes, const std::string& group, bool are_inputs,
                 Hdf5File& out) {
  std::vector<std::string> kinds, texts;
  std::vector<double> times, values;
  std::vector<std::uint64_t> steps;
  for (const JournalNote& note : notes) {
    kinds.push_back(note.kind), texts.push_back(note.text);
    times.push_back(note.time), values.push_back(note.value), steps.push_back(note.step);
  }
  out.write_texts(group + "/kind", kinds);
  out.write_texts(group + (are_inputs ? "/data" : "/what"), texts);
  out.write(group + "/time", std::span<const double>(times));
  out.describe(group + "/time", "unit", std::string("s"));
  if (are_inputs)
    out.write(group + "/step", std::span<const std::uint64_t>(steps));
  else
    out.write(group + "/value", std::span<const double>(values));
}

void write_rows(JournalReader& in, const Contents& contents, Hdf5File& out) {
  const RecordingHeader& header = contents.header;
  const std::size_t words = 2 + header.width();
  for (const sim::Channel& channel : header.channels) {
    const std::string path = "/channels/" + channel.name;
    out.make_table(path, contents.rows, channel.columns.size());
    out.describe(path, "unit", channel.unit);
    out.describe(path, "when", std::string(when_name(channel.when)));
    out.describe(path, "columns", std::span<const std::string>(channel.columns));
  }
  // side by side in the journal, one after the other here: gathered for some rows, then written
  constexpr std::size_t kBatch = std::size_t{8} << 20;  // bytes
  const std::size_t most = std::max<std::size_t>(kBatch / (8 * words), 1);
  std::vector<std::vector<double>> parts;
  for (const sim::Channel& channel : header.channels)
    parts.emplace_back(most * channel.columns.size());
  std::vector<double> time;
  std::vector<std::uint64_t> step;
  std::size_t first = 0, held = 0;
  const auto write = [&] {
    for (std::size_t c = 0; c < parts.size(); ++c) {
      const std::size_t columns = header.channels[c].columns.size();
      out.write_rows("/channels/" + header.channels[c].name, first, held,
                     std::span<const double>(parts[c]).first(held * columns));
    }
    first += held, held = 0;
  };
  for_each_block(in, words, [&](std::size_t rows, const double* block) {
    for (std::size_t r = 0; r < rows; ++r, block += words) {
      std::memcpy(&step.emplace_back(), block, 8);
      time.push_back(block[1]);
      const double* from = block + 2;
      for (std::size_t c = 0; c < parts.size(); ++c) {
        const std::size_t columns = header.channels[c].columns.size();
        std::memcpy(&parts[c][held * columns], from, columns * sizeof(double));
        from += columns;
      }
      if (++held == most) write();
    }
  });
  write();
  out.write("/time", std::span<const double>(time));
  out.describe("/time", "unit", std::string("s"));
  out.write("/step", std::span<const std::uint64_t>(step));
}

// ---- CSV --------------------------------------------------------------------------------------

std::string quote_csv(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void write_csv(JournalReader& in, const Contents& contents, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  std::string line = "time [s]";
  for (const sim::Channel& channel : contents.header.channels)
    for (const std::string& column : channel.columns)
      line += "," + quote_csv(channel.columns.size() == 1
                                  ? fmt::format("{} [{}]", channel.name, channel.unit)
                                  : fmt::format("{}:{} [{}]", channel.name, column, channel.unit));
  out << line << "\n";
  const std::size_t words = 2 + contents.header.width();
  fmt::memory_buffer text;
  for_each_block(in, words, [&](std::size_t rows, const double* block) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t k = 1; k < words; ++k)  // the shortest digits that give the same number
        fmt::format_to(std::back_inserter(text), "{}{}", k > 1 ? "," : "", block[r * words + k]);
      text.push_back('\n');
    }
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    text.clear();
  });
  out.flush();
  if (!out) throw Error({file}, "the CSV file cannot be written; is the disk full?");
}

void put_in_place(const std::string& from, const std::string& to) {
  std::error_code code;
  fs::rename(from, to, code);
  if (code) throw Error({to}, "the recording cannot be written: " + code.message());
}

// log.h5 -> log.recovered.h5, log.recovered-2.h5, ...: the first that is free.
std::string find_free_name(const std::string& file) {
  const fs::path path(file);
  for (int n = 1;; ++n) {
    const std::string middle = n == 1 ? ".recovered" : fmt::format(".recovered-{}", n);
    const fs::path name =
        path.parent_path() / (path.stem().string() + middle + path.extension().string());
    if (!fs::exists(name)) return name.string();
  }
}

}  // namespace

std::string find_journal_name(const std::string& file) { return file + ".journal"; }

std::string FinishReport::text() const {
  std::string out = fmt::format("{}: saved {} row{} up to {:g} s of a run that was cut off", file,
                                rows, rows == 1 ? "" : "s", end);
  if (is_complete) out = fmt::format("{}: finished, {} rows up to {:g} s", file, rows, end);
  if (torn_bytes > 0) out += fmt::format(" ({} torn bytes at its end left out)", torn_bytes);
  return out;
}

FinishReport finish_journal(const std::string& journal, const std::string& file) {
  JournalReader in(journal);
  const Contents contents = read_contents(in, journal);
  FinishReport report;
  report.file = file, report.rows = contents.rows;
  report.is_complete = !contents.summary.empty(), report.torn_bytes = contents.torn_bytes;
  report.end = contents.end;
  const std::string unfinished = file + ".part";
  if (contents.header.has_hdf5) {
    {
      Hdf5File out(unfinished, Hdf5File::Mode::kCreate);
      describe_file(contents, out);
      write_scene(contents, out);
      write_notes(contents.events, "/events", false, out);
      write_notes(contents.inputs, "/inputs", true, out);
      write_rows(in, contents, out);
      out.flush();
    }
    put_in_place(unfinished, file);
  }
  if (!contents.header.csv.empty()) {
    // alone it takes the name that was asked for, which may be another than in the header
    write_csv(in, contents, unfinished);
    put_in_place(unfinished, contents.header.has_hdf5 ? contents.header.csv : file);
  }
  std::error_code code;
  fs::remove(journal, code);
  return report;
}

std::optional<FinishReport> finish_orphan(const std::string& file, OrphanPlace place) {
  const std::string journal = find_journal_name(file);
  switch (find_journal(journal)) {
    case JournalState::kNone: return std::nullopt;
    case JournalState::kAlive:
      throw Error({file}, "a run is recording to this file right now; wait for its end");
    case JournalState::kOrphan: break;
  }
  std::error_code code;
  if (fs::file_size(journal, code) == 0 && !code) {  // killed before anything was written
    fs::remove(journal, code);
    return std::nullopt;
  }
  try {
    // an older recording of that name may be worth more than a part of the newer one
    const bool is_free = place == OrphanPlace::kItsName && !fs::exists(file, code);
    return finish_journal(journal, is_free ? file : find_free_name(file));
  } catch (const Error& error) {
    throw Error(fmt::format("{} (a journal left by a run that was cut off; move it away to go on)",
                            error.what()));
  }
}

}  // namespace stance::io
