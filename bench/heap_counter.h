#pragma once

// Counts calls of the heap: malloc, calloc, realloc, posix_memalign, aligned_alloc, memalign and
// with them operator new, by standing in for them. Counting operator new alone would miss Eigen,
// which calls malloc itself.
//
// Link heap_counter.cc into the executable; it needs nothing else of this folder. Where an address
// or thread sanitizer has taken the place of malloc, its hooks are used instead; those of the
// thread sanitizer do not tell of posix_memalign and aligned_alloc.

#include <utility>

namespace stance::bench {

// While one of these lives, requests for memory by any thread of the process are counted.
class HeapCounter {
 public:
  HeapCounter();
  ~HeapCounter();
  HeapCounter(const HeapCounter&) = delete;
  HeapCounter& operator=(const HeapCounter&) = delete;

  long long calls() const;  // since this counter was made; frees are not counted

 private:
  long long start_;
};

// Requests for memory while `call` runs.
template <class Call>
long long count_heap_calls(Call&& call) {
  const HeapCounter counter;
  std::forward<Call>(call)();
  return counter.calls();
}

}  // namespace stance::bench
