// Any bytes at all as a viewer's message: read or refused with words, never a crash, a hang or an
// exception; what is read has finite numbers only.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "stance/view/access.h"
#include "stance/view/protocol.h"

namespace {

void demand(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "fuzz_message: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace stance::view;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ReadRequest read = read_request(text);
  demand(read.request.has_value() != !read.problem.empty(), "neither read nor refused");
  if (read.request) {
    const Request& request = *read.request;
    for (const Vec3d* v : {&request.point, &request.vector, &request.velocity})
      for (int k = 0; k < 3; ++k) demand(std::isfinite((*v)[k]), "a number that is none");
    demand(!request.number || std::isfinite(*request.number), "a number that is none");
    demand(request.count >= 1, "steps that are none");
    for (const double value : request.size) demand(value > 0.0, "a size that is none");
  }
  // an answer can be written whatever came
  demand(!write_error(read.id, std::string(text.substr(0, 100))).empty(), "no answer");
  // and the text as the head of a request
  const AccessRules rules{"127.0.0.1", "0123456789abcdef0123456789abcdef"};
  (void)rules.allows_target(text);
  (void)AccessRules{"127.0.0.1"}.allows_host(text);
  (void)rules.allows_origin(text, "localhost");
  return 0;
}
