#pragma once

// Functions for the alternatives of a std::variant, to visit it with: the compiler wants one for
// each of them.

namespace stance::kernel {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

}  // namespace stance::kernel
