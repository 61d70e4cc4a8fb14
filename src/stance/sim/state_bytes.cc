#include "stance/sim/state_bytes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "stance/kernel/assert.h"
#include "stance/kernel/byte_stream.h"
#include "stance/kernel/error.h"
#include "stance/sim/state_members.h"

namespace stance::sim {
namespace {

using kernel::append;
using kernel::append_text;

constexpr char kMagic[] = {'S', 'T', 'N', 'C', 'S', 'T', 'A', 'T'};
constexpr const char* kMemory = "memory/";

// Finds every changed byte: a step of it takes two different sums to two different ones.
std::uint64_t calc_checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325ull;
  for (const std::byte byte : bytes) sum = (sum ^ std::uint64_t(byte)) * 0x100000001b3ull;
  return sum;
}

// ---- members as rows of elements --------------------------------------------------------------

// Numbers and structs as spans of one.
template <class T>
std::span<T> as_span(T& value) {
  return {&value, 1};
}
template <class T>
std::span<T> as_span(std::vector<T>& values) {
  return values;
}
template <class T>
std::span<const T> as_span(const std::vector<T>& values) {
  return values;
}

template <class T>
void resize(T&, std::size_t) {}
template <class T>
void resize(std::vector<T>& values, std::size_t size) {
  values.resize(size);
}

template <class Row>
using Element = std::remove_const_t<typename decltype(as_span(std::declval<Row&>()))::element_type>;

// ---- bytes out --------------------------------------------------------------------------------

template <class T>
void append_words(std::span<const T> elements, std::vector<std::byte>& out) {
  append(std::uint64_t(elements.size() * count_words<T>()), out);
  for (const T& element : elements) append(to_words(element), out);
}

template <class T>
void append_entry(const std::string& name, std::span<const T> elements,
                  std::vector<std::byte>& out) {
  append_text(name, out);
  append_words(elements, out);
}

// ---- bytes in ---------------------------------------------------------------------------------

[[noreturn]] void fail(const std::string& what) { throw Error("the state " + what); }

using Reader = kernel::ByteReader;

constexpr std::string_view kWhat = "the state";

struct Entry {
  std::span<const std::byte> words;
  bool is_known = false;  // someone has read it
};
using Entries = std::map<std::string, Entry>;

Entries read_entries(std::span<const std::byte> bytes) {
  Reader in(bytes, kWhat);
  if (bytes.size() < sizeof kMagic ||
      std::memcmp(in.take(sizeof kMagic).data(), kMagic, sizeof kMagic) != 0)
    fail("is none: it does not begin as one");
  if (const auto version = in.take<std::uint32_t>(); version != kStateVersion)
    fail(fmt::format("is of version {}, this program reads version {}", version, kStateVersion));
  constexpr std::size_t kSum = sizeof(std::uint64_t);
  if (bytes.size() < kSum) fail("is damaged: it ends too early");
  Reader sum(bytes.last(kSum), kWhat);
  if (sum.take<std::uint64_t>() != calc_checksum(bytes.first(bytes.size() - kSum)))
    fail("is damaged: its checksum is another");
  const auto count = in.take<std::uint32_t>();
  Entries out;
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::string name(in.take_text());
    const auto words = in.take<std::uint64_t>();
    if (words > bytes.size()) fail(fmt::format("is damaged: '{}' is longer than all", name));
    if (!out.emplace(name, Entry{in.take(8 * words)}).second)
      fail(fmt::format("is damaged: it has '{}' twice", name));
  }
  (void)in.take(kSum);
  if (in.left() > 0) fail("is damaged: it goes on after its end");
  return out;
}

Entry& find_entry(Entries& entries, const std::string& name, const std::string& what) {
  const auto it = entries.find(name);
  if (it == entries.end()) fail(fmt::format("has nothing of {}", what));
  it->second.is_known = true;
  return it->second;
}

// True for what a step can go on from.
template <class T>
bool is_fine(const T& element) {
  if constexpr (std::is_same_v<T, double>)
    return std::isfinite(element);
  else if constexpr (std::is_same_v<T, Vec3d>)
    return std::isfinite(element[0]) && std::isfinite(element[1]) && std::isfinite(element[2]);
  else if constexpr (std::is_same_v<T, std::int8_t>)  // State::at_limit
    return element >= -1 && element <= 1;
  else if constexpr (std::is_same_v<T, int>)  // counts of RestPlan
    return element >= 0;
  else if constexpr (std::is_arithmetic_v<T>)
    return true;
  else
    return std::apply([](const auto&... field) { return (is_fine(field) && ...); },
                      list_fields(element));
}

template <class T>
void read_words(std::span<const std::byte> bytes, std::span<T> elements) {
  for (T& element : elements) {
    Words<T> words;
    std::memcpy(words.data(), bytes.data(), sizeof words);
    bytes = bytes.subspan(sizeof words);
    from_words(words, element);
  }
}

// Into elements whose number is right.
template <class T>
void read_entry(const Entry& entry, const std::string& name, std::span<T> elements) {
  if (entry.words.size() != elements.size() * sizeof(Words<T>))
    fail(fmt::format("is of another world: {} has {} entries, not {}", name,
                     entry.words.size() / sizeof(Words<T>), elements.size()));
  read_words(entry.words, elements);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Words<T> again = to_words(elements[k]);
    if (!is_fine(elements[k]) ||
        std::memcmp(again.data(), entry.words.data() + k * sizeof again, sizeof again) != 0)
      fail(fmt::format("is damaged: {}[{}] is no such number", name, k));
  }
}

void read_memory(Entries& entries, ControllerMemory& memory) {
  const auto [parts, values] = list_fields(memory);
  std::span<double> rest = values;
  for (const ControllerMemory::Part& part : parts) {
    const auto [name, size] = list_fields(part);
    read_entry(find_entry(entries, kMemory + name, fmt::format("the controller '{}'", name)),
               kMemory + name, rest.first(size));
    rest = rest.subspan(size);
  }
}

// ---- comparison -------------------------------------------------------------------------------

template <class T>
std::string to_text(const T& element) {
  if constexpr (std::is_same_v<T, std::int8_t>)
    return fmt::format("{}", int(element));
  else if constexpr (std::is_arithmetic_v<T>)
    return fmt::format("{}", element);
  else if constexpr (std::is_same_v<T, Vec3d>)
    return fmt::format("({}, {}, {})", element[0], element[1], element[2]);
  else
    return std::apply(
        [](const auto&... field) {
          std::string out;
          ((out += (out.empty() ? "(" : ", ") + to_text(field)), ...);
          return out + ")";
        },
        list_fields(element));
}

template <class T>
std::string compare(const std::string& name, std::span<const T> a, std::span<const T> b) {
  if (a.size() != b.size()) return fmt::format("{}: {} entries and {}", name, a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k)
    if (to_words(a[k]) != to_words(b[k]))
      return fmt::format("{}[{}]: {} and {}", name, k, to_text(a[k]), to_text(b[k]));
  return {};
}

std::string compare(const ControllerMemory& a, const ControllerMemory& b) {
  const auto [parts_a, values_a] = list_fields(a);
  const auto [parts_b, values_b] = list_fields(b);
  const auto tell = [](std::span<const ControllerMemory::Part> parts, std::size_t k) {
    return k < parts.size() ? fmt::format("'{}'", parts[k].name) : "none";
  };
  for (std::size_t k = 0; k < std::max(parts_a.size(), parts_b.size()); ++k)
    if (k >= parts_a.size() || k >= parts_b.size() ||
        list_fields(parts_a[k]) != list_fields(parts_b[k]))
      return fmt::format("memory: of {} and of {}, or of other sizes", tell(parts_a, k),
                         tell(parts_b, k));
  for (const ControllerMemory::Part& part : parts_a) {
    const std::string out = compare("memory of " + part.name, a.find(part.name), b.find(part.name));
    if (!out.empty()) return out;
  }
  return compare("memory", as_span(values_a), as_span(values_b));
}

}  // namespace

std::vector<std::byte> write_state(const State& state) {
  std::vector<std::byte> out;
  append(kMagic, out);
  append(kStateVersion, out);
  const std::size_t count_at = out.size();
  std::uint32_t count = 0;
  append(count, out);
  for_each_member(state, [&](const auto& member) {
    if constexpr (std::is_same_v<decltype(member.values), const ControllerMemory&>) {
      const auto [parts, values] = list_fields(member.values);
      std::span<const double> rest = values;
      for (const ControllerMemory::Part& part : parts) {
        const auto [name, size] = list_fields(part);
        append_entry(kMemory + name, rest.first(size), out), ++count;
        rest = rest.subspan(size);
      }
    } else {
      const auto row = as_span(member.values);
      append_entry(member.name, row, out), ++count;
    }
  });
  std::memcpy(out.data() + count_at, &count, sizeof count);
  append(calc_checksum(out), out);
  return out;
}

State read_state(std::span<const std::byte> bytes, const World& world, const State& like) {
  Entries entries = read_entries(bytes);
  State state = like;
  const std::size_t room = world.contact.most_points;
  const std::size_t contacts = find_entry(entries, "warm/id", "warm/id").words.size() / 8;
  if (contacts > room) fail("has more contacts than there is room for");
  for_each_member(state, [&](const auto& member) {
    if constexpr (std::is_same_v<decltype(member.values), ControllerMemory&>) {
      read_memory(entries, member.values);
    } else {
      if (member.per == Per::kContact) resize(member.values, contacts);
      read_entry(find_entry(entries, member.name, member.name), member.name,
                 as_span(member.values));
    }
  });
  for (const auto& [name, entry] : entries)
    if (!entry.is_known) fail(fmt::format("is of another world: nothing here is named {}", name));
  if (state.time < 0.0) fail("is damaged: its time is not");
  return state;
}

void append_bare(const State& state, std::vector<std::byte>& out) {
  for_each_member(state, [&](const auto& member) {
    if constexpr (std::is_same_v<decltype(member.values), const ControllerMemory&>) {
      const auto [parts, values] = list_fields(member.values);
      append(std::uint64_t(parts.size()), out);
      for (const ControllerMemory::Part& part : parts) {
        const auto [name, size] = list_fields(part);
        append_text(name, out), append(size, out);
      }
      append_words(as_span(values), out);
    } else {
      append_words(as_span(member.values), out);
    }
  });
}

void read_bare(std::span<const std::byte> bytes, State& state) {
  Reader in(bytes, kWhat);
  const auto read_row = [&](auto& row) {
    const auto words = in.take<std::uint64_t>();
    resize(row, words / count_words<Element<decltype(row)>>());
    read_words(in.take(8 * words), as_span(row));
  };
  for_each_member(state, [&](const auto& member) {
    if constexpr (std::is_same_v<decltype(member.values), ControllerMemory&>) {
      const auto [parts, values] = list_fields(member.values);
      parts.resize(in.take<std::uint64_t>());
      for (ControllerMemory::Part& part : parts) {
        const auto [name, size] = list_fields(part);
        name = in.take_text(), size = in.take<int>();
      }
      read_row(values);
    } else {
      read_row(member.values);
    }
  });
  STANCE_ASSERT(in.left() == 0);
}

std::string find_misfit(const State& state, const World& world, const State& like) {
  const std::size_t contacts = state.warm.id.size();
  if (contacts > static_cast<std::size_t>(world.contact.most_points))
    return "it has more contacts than there is room for";
  std::string out;
  const auto check = [&](const char* name, const auto& row, std::size_t wanted) {
    if (row.size() != wanted)
      out = fmt::format("{} has {} entries, not {}", name, row.size(), wanted);
    for (std::size_t k = 0; k < row.size() && out.empty(); ++k)
      if (!is_fine(row[k])) out = fmt::format("{}[{}] is no such number", name, k);
  };
  for_each_pair(state, like, [&](const auto& mine, const auto& theirs) {
    if (!out.empty()) return;
    if constexpr (std::is_same_v<decltype(mine.values), const ControllerMemory&>) {
      const auto [parts, values] = list_fields(mine.values);
      const auto [their_parts, their_values] = list_fields(theirs.values);
      if (parts != their_parts)
        out = "its controllers, or the sizes of their memories, are others";
      else
        check(mine.name, values, their_values.size());
    } else {
      const auto wanted = mine.per == Per::kContact ? contacts : as_span(theirs.values).size();
      check(mine.name, as_span(mine.values), wanted);
    }
  });
  return out;
}

std::string find_difference(const State& a, const State& b) {
  std::string out;
  for_each_pair(a, b, [&](const auto& of_a, const auto& of_b) {
    if (!out.empty()) return;
    if constexpr (std::is_same_v<decltype(of_a.values), const ControllerMemory&>)
      out = compare(of_a.values, of_b.values);
    else
      out = compare(of_a.name, as_span(of_a.values), as_span(of_b.values));
  });
  return out;
}

}  // namespace stance::sim
