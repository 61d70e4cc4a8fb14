#pragma once

// How a key of the schema reaches its field, whatever the type of that: Field holds plain functions
// made from pointers to members, so that the table stays constexpr.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "stance/kernel/vec3.h"

namespace stance::scene {

// A value without its meaning: numbers, texts, or named numbers (both, side by side).
struct FieldValue {
  std::vector<double> numbers{};
  std::vector<std::string> texts{};
};

struct Field {
  // Whose argument is the struct that has the field. `get` is false where nothing is said.
  void (*set)(void* owner, const FieldValue& value) = nullptr;
  bool (*get)(const void* owner, FieldValue& value) = nullptr;

  // Of groups. `open` makes the part (of named entries: another one, with this name) to be filled
  // in; `count`, `part` and `name` look at those that are there.
  void* (*open)(void* owner, const std::string& name) = nullptr;
  std::size_t (*count)(const void* owner) = nullptr;
  const void* (*part)(const void* owner, std::size_t k) = nullptr;
  const std::string* (*name)(const void* owner, std::size_t k) = nullptr;
};

// ---- values -------------------------------------------------------------------------------------

inline void put(double from, FieldValue& to) { to.numbers.push_back(from); }
inline void put(int from, FieldValue& to) { to.numbers.push_back(from); }
inline void put(bool from, FieldValue& to) { to.numbers.push_back(from ? 1.0 : 0.0); }
inline void put(std::uint64_t from, FieldValue& to) {  // at most 2^53, see the schema
  to.numbers.push_back(static_cast<double>(from));
}
inline void put(const std::string& from, FieldValue& to) { to.texts.push_back(from); }
inline void put(const kernel::Vec3d& from, FieldValue& to) {
  for (int k = 0; k < 3; ++k) to.numbers.push_back(from[k]);
}
template <class E>
requires std::is_enum_v<E>
void put(E from, FieldValue& to) { to.numbers.push_back(static_cast<double>(from)); }
template <std::size_t N>
void put(const std::array<double, N>& from, FieldValue& to) {
  to.numbers.insert(to.numbers.end(), from.begin(), from.end());
}
template <class A, class B>
void put(const std::pair<A, B>& from, FieldValue& to) {
  put(from.first, to), put(from.second, to);
}
template <class T>
void put(const std::vector<T>& from, FieldValue& to) {
  for (const T& each : from) put(each, to);
}

// An integer that fits, as the bounds of its key see to. Any other number becomes the nearest that
// fits, and none the lowest: whoever sets a field unchecked meets no undefined conversion.
template <class Int>
Int to_integer(double number) {
  using Limits = std::numeric_limits<Int>;
  if (!(number > static_cast<double>(Limits::lowest()))) return Limits::lowest();
  if (number >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<Int>(number);
}

inline void take(const FieldValue& from, double& to) { to = from.numbers.at(0); }
inline void take(const FieldValue& from, int& to) { to = to_integer<int>(from.numbers.at(0)); }
inline void take(const FieldValue& from, bool& to) { to = from.numbers.at(0) != 0.0; }
inline void take(const FieldValue& from, std::uint64_t& to) {
  to = to_integer<std::uint64_t>(from.numbers.at(0));
}
inline void take(const FieldValue& from, std::string& to) { to = from.texts.at(0); }
inline void take(const FieldValue& from, kernel::Vec3d& to) {
  to = {from.numbers.at(0), from.numbers.at(1), from.numbers.at(2)};
}
template <class E>
requires std::is_enum_v<E>
void take(const FieldValue& from, E& to) {
  to = static_cast<E>(to_integer<std::underlying_type_t<E>>(from.numbers.at(0)));
}
template <std::size_t N>
void take(const FieldValue& from, std::array<double, N>& to) {
  for (std::size_t k = 0; k < N; ++k) to[k] = from.numbers.at(k);
}
inline void take(const FieldValue& from, std::vector<double>& to) { to = from.numbers; }
inline void take(const FieldValue& from, std::vector<std::string>& to) { to = from.texts; }
inline void take(const FieldValue& from, std::vector<kernel::Vec3d>& to) {
  to.clear();
  for (std::size_t k = 0; k + 2 < from.numbers.size(); k += 3)
    to.emplace_back(from.numbers[k], from.numbers[k + 1], from.numbers[k + 2]);
}
inline void take(const FieldValue& from, std::vector<std::pair<std::string, double>>& to) {
  to.clear();
  for (std::size_t k = 0; k < from.texts.size(); ++k)
    to.emplace_back(from.texts[k], from.numbers.at(k));
}
inline void take(const FieldValue& from, std::vector<std::pair<std::string, std::string>>& to) {
  to.clear();
  for (std::size_t k = 0; k + 1 < from.texts.size(); k += 2)
    to.emplace_back(from.texts[k], from.texts[k + 1]);
}
template <class T>
void take(const FieldValue& from, std::optional<T>& to) {
  take(from, to.emplace());
}

// ---- members ------------------------------------------------------------------------------------

template <class T>
struct MemberOf;
template <class S, class T>
struct MemberOf<T S::*> {
  using Owner = S;
  using Type = T;
};
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
inline constexpr bool kIsVector = false;
template <class T>
inline constexpr bool kIsVector<std::vector<T>> = true;

// A member, or a member of a member: where an optional stands between, writing makes it.
template <auto First, auto... Rest>
auto& reach(typename MemberOf<decltype(First)>::Owner& owner) {
  auto& member = owner.*First;
  if constexpr (sizeof...(Rest) == 0) {
    return member;
  } else if constexpr (kIsOptional<std::remove_reference_t<decltype(member)>>) {
    if (!member) member.emplace();
    return reach<Rest...>(*member);
  } else {
    return reach<Rest...>(member);
  }
}
template <auto First, auto... Rest>
const auto* look(const typename MemberOf<decltype(First)>::Owner& owner) {
  const auto& member = owner.*First;
  if constexpr (sizeof...(Rest) == 0) {
    return &member;
  } else if constexpr (kIsOptional<std::remove_cvref_t<decltype(member)>>) {
    return member ? look<Rest...>(*member) : nullptr;
  } else {
    return look<Rest...>(member);
  }
}

// A field that holds a value.
template <auto First, auto... Rest>
constexpr Field field() {
  using Owner = typename MemberOf<decltype(First)>::Owner;
  return {.set =
              [](void* owner, const FieldValue& value) {
                take(value, reach<First, Rest...>(*static_cast<Owner*>(owner)));
              },
          .get =
              [](const void* owner, FieldValue& value) {
                const auto* member = look<First, Rest...>(*static_cast<const Owner*>(owner));
                if (!member) return false;
                using T = std::remove_cvref_t<decltype(*member)>;
                if constexpr (kIsOptional<T>) {
                  if (!*member) return false;
                  put(**member, value);
                } else {
                  if constexpr (kIsVector<T> || std::is_same_v<T, std::string>)
                    if (member->empty()) return false;
                  put(*member, value);
                }
                return true;
              }};
}

// A field with keys of its own: a struct, one that may be missing, or a list of named ones.
template <auto First, auto... Rest>
constexpr Field part() {
  using Owner = typename MemberOf<decltype(First)>::Owner;
  using T = std::remove_reference_t<decltype(reach<First, Rest...>(std::declval<Owner&>()))>;
  Field out;
  out.open = [](void* owner, const std::string& name) -> void* {
    T& member = reach<First, Rest...>(*static_cast<Owner*>(owner));
    (void)name;
    if constexpr (kIsVector<T>) {
      member.emplace_back().name = name;
      return &member.back();
    } else if constexpr (kIsOptional<T>) {
      return &member.emplace();
    } else {
      return &member;
    }
  };
  out.count = [](const void* owner) -> std::size_t {
    const T* member = look<First, Rest...>(*static_cast<const Owner*>(owner));
    if (!member) return 0;
    if constexpr (kIsVector<T>)
      return member->size();
    else if constexpr (kIsOptional<T>)
      return *member ? 1 : 0;
    else
      return 1;
  };
  out.part = [](const void* owner, [[maybe_unused]] std::size_t k) -> const void* {
    const T* member = look<First, Rest...>(*static_cast<const Owner*>(owner));
    if constexpr (kIsVector<T>)
      return &(*member)[k];
    else if constexpr (kIsOptional<T>)
      return &**member;
    else
      return member;
  };
  if constexpr (kIsVector<T>)
    out.name = [](const void* owner, std::size_t k) -> const std::string* {
      return &(*look<First, Rest...>(*static_cast<const Owner*>(owner)))[k].name;
    };
  return out;
}

// One of the alternatives of a variant, which is what the group fills in.
template <class Variant, class T>
constexpr Field alternative() {
  Field out;
  out.open = [](void* owner, const std::string&) -> void* {
    return &static_cast<Variant*>(owner)->template emplace<T>();
  };
  out.count = [](const void* owner) -> std::size_t {
    return std::holds_alternative<T>(*static_cast<const Variant*>(owner)) ? 1 : 0;
  };
  out.part = [](const void* owner, std::size_t) -> const void* {
    return &std::get<T>(*static_cast<const Variant*>(owner));
  };
  return out;
}

// What a group's keys fill in, with nothing said.
template <class S>
const void* blank() {
  static const S kBlank{};
  return &kBlank;
}

}  // namespace stance::scene
