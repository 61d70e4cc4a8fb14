#include "stance/view/access.h"

#include <sys/random.h>

#include <array>

#include <fmt/format.h>

#include "stance/kernel/error.h"

namespace stance::view {
namespace {

// "localhost:8080" to "localhost", "[::1]:8080" to "::1".
std::string_view strip_port(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    return end == std::string_view::npos ? std::string_view() : host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
}

// Takes as long whatever the difference is.
bool is_same_secret(std::string_view a, std::string_view b) {
  unsigned differs = a.size() == b.size() ? 0 : 1;
  for (std::size_t k = 0; k < b.size(); ++k)
    differs |= static_cast<unsigned char>((k < a.size() ? a[k] : '\0') ^ b[k]);
  return differs == 0;
}

}  // namespace

bool is_loopback(std::string_view address) {
  return address == "localhost" || address == "::1" || address.starts_with("127.");
}

bool AccessRules::allows_host(std::string_view host) const {
  if (!token.empty()) return !host.empty();
  const std::string_view name = strip_port(host);
  return name == "localhost" || name == "127.0.0.1" || name == "::1" || name == address;
}

bool AccessRules::allows_origin(std::string_view origin, std::string_view host) const {
  if (origin.empty()) return true;
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme) && origin.substr(scheme.size()) == host) return true;
  return false;
}

bool AccessRules::allows_target(std::string_view target) const {
  if (token.empty()) return true;
  std::size_t at = target.find('?');
  while (at != std::string_view::npos) {
    const std::string_view rest = target.substr(at + 1);
    const std::size_t end = rest.find('&');
    constexpr std::string_view kKey = "token=";
    const std::string_view pair = rest.substr(0, end);
    if (pair.starts_with(kKey)) return is_same_secret(pair.substr(kKey.size()), token);
    at = end == std::string_view::npos ? end : at + 1 + end;
  }
  return false;
}

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error("the system gives no random numbers for a token");
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

std::string_view find_path(std::string_view target) { return target.substr(0, target.find('?')); }

}  // namespace stance::view
