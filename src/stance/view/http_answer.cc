#include "stance/view/http_answer.h"

#include <charconv>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "stance/view/page.h"

namespace stance::view {
namespace {

constexpr std::string_view kNoPage =
    "<!doctype html><meta charset=utf-8><title>Stance</title><p>This program was built without its "
    "page: install node and npm (Debian: <code>apt-get install nodejs npm</code>) and start "
    "<code>./stance view</code> in the repository again.\n";

// The page may load nothing but its own files, and no other page may put it in a frame.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: "
    "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

HttpAnswer make_answer(int status, std::string type, std::string body) {
  return {status,
          std::move(type),
          std::move(body),
          {},
          {{"Content-Security-Policy", kPolicy},
           {"X-Content-Type-Options", "nosniff"},
           {"X-Frame-Options", "DENY"},
           {"Referrer-Policy", "no-referrer"},
           {"Cross-Origin-Resource-Policy", "same-origin"},
           {"Cross-Origin-Opener-Policy", "same-origin"}}};
}

HttpAnswer refuse(int status, const char* why) {
  return make_answer(status, "text/plain; charset=utf-8", fmt::format("{}\n", why));
}

// Scripts and styles are asked for by the page without its own address: they get the token along.
std::string add_token(std::string page, const std::string& token) {
  for (const std::string_view file : {"./stance.js", "./stance.css"})
    if (const std::size_t at = page.find(file); at != std::string::npos)
      page.insert(at + file.size(), "?token=" + token);
  return page;
}

HttpAnswer answer_page(const AccessRules& access, const PageFile& file,
                       const HttpRequest& request) {
  const bool is_index = file.path == "/index.html";
  if (is_index && !access.token.empty()) {
    HttpAnswer out =
        make_answer(200, std::string(file.type), add_token(std::string(file.plain), access.token));
    out.headers.emplace_back("Cache-Control", "no-store");
    return out;
  }
  const bool is_known = request.etag.find(file.etag) != std::string_view::npos;
  HttpAnswer out =
      make_answer(is_known ? 304 : 200, std::string(file.type),
                  is_known ? "" : std::string(request.takes_gzip ? file.bytes : file.plain));
  if (!is_known && request.takes_gzip) out.headers.emplace_back("Content-Encoding", "gzip");
  out.headers.emplace_back("ETag", std::string(file.etag));
  out.headers.emplace_back("Cache-Control", "no-cache");
  out.headers.emplace_back("Vary", "Accept-Encoding");
  return out;
}

HttpAnswer answer_mesh(const Hub& hub, std::string_view number) {
  int n = -1;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), n);
  if (problem != std::errc() || end != number.data() + number.size())
    return refuse(404, "a mesh is a number");
  const MeshPointer mesh = hub.find_mesh(n);
  if (!mesh) return refuse(404, "there is no such mesh any more");
  HttpAnswer out = make_answer(200, "application/octet-stream", mesh->bytes);
  out.headers.emplace_back("Cache-Control", "no-store");  // another run gives numbers anew
  return out;
}

HttpAnswer answer_recording(const Hub& hub) {
  const std::string& file = hub.recording_file();
  if (file.empty() || !std::ifstream(file)) return refuse(404, "nothing was recorded yet");
  HttpAnswer out = make_answer(200, "application/x-hdf5", {});
  out.file = file;
  out.headers.emplace_back(
      "Content-Disposition",
      fmt::format("attachment; filename=\"{}\"", std::filesystem::path(file).filename().string()));
  out.headers.emplace_back("Cache-Control", "no-store");
  return out;
}

}  // namespace

bool is_allowed(const AccessRules& access, const HttpRequest& request) {
  return access.allows_host(request.host) && access.allows_origin(request.origin, request.host) &&
         access.allows_target(request.target);
}

HttpAnswer answer_http(const AccessRules& access, const Hub& hub, const HttpRequest& request) {
  if (!access.allows_host(request.host))
    return refuse(403, "this server answers only to the address that it listens on");
  if (!access.allows_origin(request.origin, request.host))
    return refuse(403, "this server answers only to its own page");
  if (!access.allows_target(request.target))
    return refuse(403, "the token is missing or wrong: take the whole address that was printed");
  if (request.method != "GET" && request.method != "HEAD") {
    HttpAnswer out = refuse(405, "only GET and HEAD are answered");
    out.headers.emplace_back("Allow", "GET, HEAD");
    return out;
  }
  const std::string_view path = find_path(request.target);
  constexpr std::string_view kMesh = "/mesh/";
  if (path.starts_with(kMesh)) return answer_mesh(hub, path.substr(kMesh.size()));
  if (path == "/recording.h5") return answer_recording(hub);
  if (path == "/ws") return refuse(426, "this is for WebSockets");
  for (const PageFile& file : page_files())
    if (path == file.path || (path == "/" && file.path == "/index.html"))
      return answer_page(access, file, request);
  if (path == "/" && page_files().empty())
    return make_answer(200, "text/html; charset=utf-8", std::string(kNoPage));
  return refuse(404, "there is nothing here");
}

}  // namespace stance::view
