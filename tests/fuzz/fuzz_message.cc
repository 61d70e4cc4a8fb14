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
  namespace scene = stance::scene;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const ReadRequest read = read_request(text);
  demand(read.request.has_value() != !read.problem.empty(), "neither read nor refused");
  if (read.request) {
    const auto check = [](const Vec3d& v) {
      for (int k = 0; k < 3; ++k) demand(std::isfinite(v[k]), "a number that is none");
    };
    const Ask& what = read.request->what;
    if (const auto* drag = std::get_if<ask::Drag>(&what)) check(drag->point), check(drag->target);
    if (const auto* push = std::get_if<ask::Push>(&what)) check(push->point), check(push->force);
    if (const auto* gravity = std::get_if<ask::Gravity>(&what)) check(gravity->value);
    const auto check_number = [](std::optional<double> x) {
      demand(!x || std::isfinite(*x), "a number that is none");
    };
    if (const auto* speed = std::get_if<ask::Speed>(&what)) check_number(speed->factor);
    if (const auto* set = std::get_if<ask::Set>(&what)) check_number(set->value);
    if (const auto* target = std::get_if<ask::Target>(&what)) check_number(target->value);
    if (const auto* seek = std::get_if<ask::Seek>(&what)) check_number(seek->time);
    if (const auto* past = std::get_if<ask::Continue>(&what)) check_number(past->time);
    if (const auto* step = std::get_if<ask::Step>(&what))
      demand(step->count >= 1, "steps that are none");
    if (const auto* add = std::get_if<ask::Add>(&what)) {
      check(add->position), check(add->velocity);
      demand(add->mass > 0.0, "a mass that is none");
      if (const auto* box = std::get_if<scene::BoxSpec>(&add->shape)) check(box->size);
    }
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
