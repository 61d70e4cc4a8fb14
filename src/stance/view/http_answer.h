#pragma once

// What the server answers to plain HTTP: the page, meshes, the recording.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stance/view/access.h"
#include "stance/view/hub.h"

namespace stance::view {

struct HttpRequest {
  std::string_view method, target, host, origin, etag;
  bool takes_gzip = false;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain";
  std::string body = {};
  std::string file = {};  // what is sent instead of the body, where given
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// Host, origin and token are what they should be.
bool is_allowed(const AccessRules& access, const HttpRequest& request);

HttpAnswer answer_http(const AccessRules& access, const Hub& hub, const HttpRequest& request);

}  // namespace stance::view
