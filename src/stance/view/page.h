#pragma once

// The page of web/, which the build puts into the program (web/embed.mjs writes the list).

#include <span>
#include <string_view>

namespace stance::view {

struct PageFile {
  std::string_view path;  // "/index.html"
  std::string_view type;  // of its content
  std::string_view etag;
  std::string_view bytes;  // compressed by gzip
  std::string_view plain;  // as it is
};

// Empty where there was no npm to build it.
std::span<const PageFile> page_files();

}  // namespace stance::view
