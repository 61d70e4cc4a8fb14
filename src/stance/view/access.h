#pragma once

// Who may talk to the server (docs/protocol.md, HTTP).

#include <string>
#include <string_view>

namespace stance::view {

struct AccessRules {
  std::string address;     // that the server listens on: "127.0.0.1", "::1", "0.0.0.0"
  std::string token = {};  // empty: none is asked for; listening to loopback only

  // A page of another site could reach a server on loopback through a name that leads there (DNS
  // rebinding): so only names that mean this machine count, whatever the port, since a tunnel may
  // have another one. Behind a token any name will do.
  bool allows_host(std::string_view host) const;

  // Browsers say which page a request comes from: only this server's own. Programs say nothing.
  bool allows_origin(std::string_view origin, std::string_view host) const;

  // The token in a request's target, "/ws?token=...".
  bool allows_target(std::string_view target) const;
};

bool is_loopback(std::string_view address);

// 128 random bits in hex, from the system.
std::string make_token();

// The path of a target, without what follows '?'.
std::string_view find_path(std::string_view target);

}  // namespace stance::view
