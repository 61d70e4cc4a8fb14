#pragma once

// From the journal of a recording to what people read: HDF5, and CSV where it was asked for.

#include <cstddef>
#include <optional>
#include <string>

namespace stance::io {

// The journal that grows beside a recording: FILE.journal.
std::string find_journal_name(const std::string& file);

struct FinishReport {
  std::string file;            // the HDF5 or CSV file
  std::size_t rows = 0;        //
  double end = 0.0;            // s, the time of the last row
  bool is_complete = false;    // the run came to its end
  std::size_t torn_bytes = 0;  // at the end of the journal, that were left out
  std::string text() const;    // for people: what was saved of an orphan
};

// Writes `file` from its journal, and then removes the journal. The file appears whole or not at
// all. Throws stance::Error.
FinishReport finish_journal(const std::string& journal, const std::string& file);

// Where a run was killed and left its journal: finishes it to FILE, or, when there is one already
// or the name is about to be used for another recording, to the next free FILE.recovered.h5.
// Nothing when there is no journal. Throws stance::Error when it is being written by a run that
// lives, or cannot be read.
enum class OrphanPlace { kItsName, kAnotherName };
std::optional<FinishReport> finish_orphan(const std::string& file, OrphanPlace place);

}  // namespace stance::io
