#pragma once

namespace stance::test {

// Sanitizers make everything some twenty times slower: fewer seeds, shorter runs there.
#if defined(STANCE_IS_SANITIZED)
inline constexpr bool kIsSlow = true;
#else
inline constexpr bool kIsSlow = false;
#endif

}  // namespace stance::test
