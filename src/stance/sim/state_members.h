#pragma once

// The one list of what a State consists of. Going over to another world (transfer.h), bytes and
// back, comparison and hash (state_bytes.h) all go through it.
//
// A member that is added to State, WarmStart, RestPlan, EnergyAccount or ControllerMemory and its
// Part and forgotten here does not compile: structured bindings must name every member, and what
// they name must add up to the size of the whole.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "stance/sim/world.h"

namespace stance::sim {

// What the values of a member belong to; so they go over to another world with it.
enum class Per {
  kWorld,       // the whole: goes on as it is
  kPosition,    // coordinates of joints (nq)
  kVelocity,    // velocity coordinates of joints (nv)
  kContact,     // contact points of the last step, as many in every such member
  kMimic,       // joints that follow others
  kLoop,        // loops, two entries each
  kTree,        // trees; begins anew in another world, whose groups are others
  kController,  // controllers, by name
};

template <class T>
struct Member {
  const char* name;
  Per per;
  T& values;  // a number, a struct of numbers, a vector of these, or the ControllerMemory
};
template <class T>
Member(const char*, Per, T&) -> Member<T>;

// The members of a State or const State, as a tuple.
template <class AnyState>
constexpr auto list_members(AnyState& state) {
  auto& [q, v, time, warm, energy, at_limit, memory] = state;
  auto& [id, p, spin, stretch, limit, friction, mimic, loop, rest] = warm;
  return std::tuple(Member{"q", Per::kPosition, q},                     //
                    Member{"v", Per::kVelocity, v},                     //
                    Member{"time", Per::kWorld, time},                  //
                    Member{"warm/id", Per::kContact, id},               //
                    Member{"warm/p", Per::kContact, p},                 //
                    Member{"warm/spin", Per::kContact, spin},           //
                    Member{"warm/stretch", Per::kContact, stretch},     //
                    Member{"warm/limit", Per::kVelocity, limit},        //
                    Member{"warm/friction", Per::kVelocity, friction},  //
                    Member{"warm/mimic", Per::kMimic, mimic},           //
                    Member{"warm/loop", Per::kLoop, loop},              //
                    Member{"warm/rest", Per::kTree, rest},              //
                    Member{"energy", Per::kWorld, energy},              //
                    Member{"at_limit", Per::kVelocity, at_limit},       //
                    Member{"memory", Per::kController, memory});
}

// f(member) for each.
template <class AnyState, class F>
void for_each_member(AnyState& state, F&& f) {
  std::apply([&](const auto&... member) { (f(member), ...); }, list_members(state));
}

// f(member of a, the same of b) for each.
template <class A, class B, class F>
void for_each_pair(A& a, B& b, F&& f) {
  const auto of_a = list_members(a);
  const auto of_b = list_members(b);
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (f(std::get<k>(of_a), std::get<k>(of_b)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(of_a)>>());
}

// ---- elements ---------------------------------------------------------------------------------

// The fields of those elements that are structs of numbers.
template <class Plan>
requires std::is_same_v<std::remove_const_t<Plan>, contact::RestPlan>
constexpr auto list_fields(Plan& plan) {
  auto& [is_halfway, wait, span] = plan;
  return std::tie(is_halfway, wait, span);
}
template <class Account>
requires std::is_same_v<std::remove_const_t<Account>, EnergyAccount>
constexpr auto list_fields(Account& account) {
  auto& [is_open, start, contact, joints, input, drift] = account;
  return std::tie(is_open, start, contact, joints, input, drift);
}

// The parts and the values of a ControllerMemory, and the name and the size of a part: as tuples of
// references, whose elements are bound by name where they are used.
template <class Memory>
requires std::is_same_v<std::remove_const_t<Memory>, ControllerMemory>
constexpr auto list_fields(Memory& memory) {
  auto& [parts, values] = memory;
  return std::tie(parts, values);
}
template <class Part>
requires std::is_same_v<std::remove_const_t<Part>, ControllerMemory::Part>
constexpr auto list_fields(Part& part) {
  auto& [name, size] = part;
  return std::tie(name, size);
}

// Elements as 64-bit words: doubles by their bits, whole numbers and truths as signed numbers.
template <class T>
constexpr std::size_t count_words() {
  if constexpr (std::is_arithmetic_v<T>)
    return 1;
  else if constexpr (std::is_same_v<T, Vec3d>)
    return 3;
  else
    return std::tuple_size_v<decltype(list_fields(std::declval<T&>()))>;
}
template <class T>
using Words = std::array<std::uint64_t, count_words<T>()>;

template <class T>
Words<T> to_words(const T& value) {
  if constexpr (std::is_same_v<T, double>)
    return {std::bit_cast<std::uint64_t>(value)};
  else if constexpr (std::is_arithmetic_v<T>)
    return {static_cast<std::uint64_t>(static_cast<std::int64_t>(value))};
  else if constexpr (std::is_same_v<T, Vec3d>)
    return {std::bit_cast<std::uint64_t>(value[0]), std::bit_cast<std::uint64_t>(value[1]),
            std::bit_cast<std::uint64_t>(value[2])};
  else
    return std::apply([](const auto&... field) { return Words<T>{to_words(field)[0]...}; },
                      list_fields(value));
}

template <class T>
void from_words(const Words<T>& words, T& value) {
  if constexpr (std::is_same_v<T, double>) {
    value = std::bit_cast<double>(words[0]);
  } else if constexpr (std::is_arithmetic_v<T>) {
    value = static_cast<T>(static_cast<std::int64_t>(words[0]));
  } else if constexpr (std::is_same_v<T, Vec3d>) {
    for (int k = 0; k < 3; ++k) value.set(k, std::bit_cast<double>(words[k]));
  } else {
    std::size_t k = 0;
    std::apply([&](auto&... field) { (from_words({words[k++]}, field), ...); }, list_fields(value));
  }
}

// ---- that nothing is forgotten ----------------------------------------------------------------

namespace detail {

// Size of a struct with these members in this order.
template <class... T>
constexpr std::size_t calc_size() {
  std::size_t end = 0, widest = 1;
  const auto align = [](std::size_t at, std::size_t to) { return (at + to - 1) / to * to; };
  ((end = align(end, alignof(T)) + sizeof(T), widest = std::max(widest, alignof(T))), ...);
  return align(end, widest);
}
template <class... T>
constexpr std::size_t calc_size(std::tuple<Member<T>...>*) {
  return calc_size<T...>();
}
template <class... T>
constexpr std::size_t calc_size(std::tuple<T&...>*) {
  return calc_size<T...>();
}
template <class T>
using Fields = decltype(list_fields(std::declval<T&>()));

static_assert(calc_size(static_cast<decltype(list_members(std::declval<State&>()))*>(nullptr)) ==
                  sizeof(State),
              "a member of State or WarmStart is missing in list_members");
static_assert(calc_size(static_cast<Fields<contact::RestPlan>*>(nullptr)) ==
                  sizeof(contact::RestPlan),
              "a member of RestPlan is missing in list_fields");
static_assert(calc_size(static_cast<Fields<EnergyAccount>*>(nullptr)) == sizeof(EnergyAccount),
              "a member of EnergyAccount is missing in list_fields");
static_assert(calc_size(static_cast<Fields<ControllerMemory>*>(nullptr)) ==
                  sizeof(ControllerMemory),
              "a member of ControllerMemory is missing in list_fields");
static_assert(calc_size(static_cast<Fields<ControllerMemory::Part>*>(nullptr)) ==
                  sizeof(ControllerMemory::Part),
              "a member of ControllerMemory::Part is missing in list_fields");

}  // namespace detail
}  // namespace stance::sim
