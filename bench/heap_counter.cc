#include "heap_counter.h"

#include <errno.h>
#include <stddef.h>

#include <atomic>

// g++ and clang tell in different words that a sanitizer owns malloc.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STANCE_SANITIZER_OWNS_MALLOC 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STANCE_SANITIZER_OWNS_MALLOC 1
#endif
#endif

namespace {

// constant-initialised: malloc runs before any constructor of ours
constinit std::atomic<int> counters{0};
constinit std::atomic<long long> tally{0};

void note() {
  if (counters.load(std::memory_order_relaxed) > 0) tally.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

extern "C" {

#ifdef STANCE_SANITIZER_OWNS_MALLOC

int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void*, size_t),
                                              void (*on_free)(const volatile void*));

#else

// glibc's own functions under their second names
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) { return note(), __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return note(), __libc_calloc(count, size); }
void* realloc(void* old, size_t size) { return note(), __libc_realloc(old, size); }
void* memalign(size_t alignment, size_t size) { return note(), __libc_memalign(alignment, size); }
void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** out, size_t alignment, size_t size) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
    return EINVAL;
  void* memory = memalign(alignment, size);
  if (memory == nullptr) return ENOMEM;
  *out = memory;
  return 0;
}

#endif

}  // extern "C"

namespace stance::bench {

#ifdef STANCE_SANITIZER_OWNS_MALLOC
static const int kHooksInstalled = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, size_t) { note(); }, [](const volatile void*) {});
#endif

HeapCounter::HeapCounter() : start_(tally.load()) { ++counters; }
HeapCounter::~HeapCounter() { --counters; }
long long HeapCounter::calls() const { return tally.load() - start_; }

}  // namespace stance::bench
