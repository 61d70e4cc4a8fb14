#include "stance/io/xml_text.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "stance/kernel/error.h"

namespace stance::io {
namespace {

namespace fs = std::filesystem;

int calc_line(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + at, '\n'));
}

// Length of the UTF-8 character at the start of text, 0 when it is not valid (Unicode 15, table
// 3-7).
std::size_t calc_utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(text[k]); };
  const auto follows = [&](std::size_t k, int low, int high) {
    return k < text.size() && byte(k) >= low && byte(k) <= high;
  };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1, 0x80, 0xBF) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const int low = first == 0xE0 ? 0xA0 : 0x80, high = first == 0xED ? 0x9F : 0xBF;
    return follows(1, low, high) && follows(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const int low = first == 0xF0 ? 0x90 : 0x80, high = first == 0xF4 ? 0x8F : 0xBF;
    return follows(1, low, high) && follows(2, 0x80, 0xBF) && follows(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

bool is_control(char c) { return static_cast<std::uint8_t>(c) < 0x20 || c == 0x7F; }

// Position of the first character that is not UTF-8, or npos.
std::size_t find_non_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = calc_utf8_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

// ---- markup that the parser must not see ------------------------------------------------------

constexpr int kMostAttributes = 64;  // the parser's time grows with the square of their number

struct Trouble {
  std::size_t at = std::string_view::npos;
  const char* what = "";

  bool found() const { return at != std::string_view::npos; }
};

// End of the tag that starts at `at`, just behind its '>'; counts its quoted values.
std::size_t find_tag_end(std::string_view text, std::size_t at, int& values) {
  while (true) {
    at = text.find_first_of("\"'>", at);
    if (at == std::string_view::npos) return text.size();
    if (text[at] == '>') return at + 1;
    at = text.find(text[at], at + 1);
    if (at == std::string_view::npos) return text.size();
    ++at;
    ++values;
  }
}

// Looks from tag to tag. What is not closed is left for the parser to complain about.
Trouble find_trouble(std::string_view text) {
  constexpr auto kNone = std::string_view::npos;
  for (std::size_t at = text.find('<'); at != kNone; at = text.find('<', at)) {
    const std::string_view rest = text.substr(at);
    const std::string_view end = rest.starts_with("<!--")        ? "-->"
                                 : rest.starts_with("<![CDATA[") ? "]]>"
                                 : rest.starts_with("<?")        ? "?>"
                                                                 : "";
    if (!end.empty()) {
      const std::size_t closed = text.find(end, at + 2);
      if (closed == kNone) return {};
      at = closed + end.size();
      continue;
    }
    if (rest.starts_with("<!"))
      return {at,
              "document types and entities (<!DOCTYPE, <!ENTITY) are not read, because they can "
              "blow a small file up without end; remove them and write their values out"};
    int values = 0;
    const std::size_t start = at;
    at = find_tag_end(text, at, values);
    if (values > kMostAttributes) return {start, "this element has far too many attributes"};
  }
  return {};
}

// What the parser complains about, in words.
std::string describe(const tinyxml2::XMLDocument& document, std::string_view text) {
  // For a mismatched element the parser's text ends in "XMLElement name=link".
  const std::string raw = document.ErrorStr();
  const std::size_t at = raw.rfind("name=");
  const std::string name = at == std::string::npos ? std::string() : raw.substr(at + 5);

  const std::size_t last = text.find_last_not_of(" \t\r\n");
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && text[start] != '<')
    return "this is not XML; a robot description starts with <robot name=\"...\">";
  const bool cut =
      last == std::string_view::npos || !text.substr(0, last + 1).ends_with("</robot>");
  const std::string hint = cut ? "; the file does not end with </robot>: is it cut short?" : "";
  switch (document.ErrorID()) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "there is no XML in this file; a robot description starts with <robot name=\"...\">";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return fmt::format("<{0}> is not closed by its own </{0}>{1}", name, hint);
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "an attribute here is not of the form name=\"value\", or is given twice" + hint;
    case tinyxml2::XML_ERROR_PARSING_COMMENT: return "a comment here is not closed by -->" + hint;
    case tinyxml2::XML_ERROR_PARSING_CDATA: return "a CDATA section is not closed by ]]>" + hint;
    case tinyxml2::XML_ERROR_PARSING_DECLARATION:
      return "a <?xml ...?> declaration may stand only once, at the very start of the file, and "
             "ends in ?>" +
             hint;
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return fmt::format(
          "elements are nested more than {} deep; links and joints stand side by "
          "side in <robot>, not in each other",
          TINYXML2_MAX_ELEMENT_DEPTH);
    case tinyxml2::XML_ERROR_PARSING_TEXT: return "text stands outside of <robot>" + hint;
    case tinyxml2::XML_ERROR_PARSING: return "this element is not closed" + hint;
    default: return "this is not well-formed XML" + hint;
  }
}

}  // namespace

std::string read_text_file(const std::string& path) {
  const Place place{path};
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) throw Error(place, "there is no such file");
  if (status.type() == fs::file_type::directory)
    throw Error(place, "this is a folder; name the robot description (.urdf) inside it");
  if (status.type() == fs::file_type::none)
    throw Error(place, "the file cannot be looked at: " + code.message());
  if (status.type() != fs::file_type::regular)
    throw Error(place, "this is a device or pipe, not a file; pipe into `stance info -` instead");
  const std::uintmax_t size = fs::file_size(path, code);
  if (!code && size > kMostXmlBytes)
    throw Error(place, fmt::format("the file has {} MB, more than the {} MB that a robot "
                                   "description may have; is it one?",
                                   size >> 20, kMostXmlBytes >> 20));
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw Error(place, fmt::format("the file cannot be opened: {}", std::strerror(errno)));
  std::string text(code ? 0 : size, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad())
    throw Error(place, fmt::format("the file cannot be read: {}", std::strerror(errno)));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

std::string_view check_xml_text(std::string_view text, const std::string& file) {
  if (text.size() > kMostXmlBytes)
    throw Error(Place{file}, fmt::format("the text has {} MB, more than the {} MB that a robot "
                                         "description may have",
                                         text.size() >> 20, kMostXmlBytes >> 20));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw Error(Place{file},
                "the file is empty; a robot description starts with "
                "<robot name=\"...\">");
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw Error(Place{file, 1},
                "the file is in UTF-16; save it as UTF-8 (for example: iconv -f "
                "UTF-16 -t UTF-8 in.urdf > out.urdf)");
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos)
    throw Error(Place{file, calc_line(text, nul)},
                "the file contains NUL characters: it is not a text file, or it is damaged");
  const std::size_t bad = find_non_utf8(text);
  if (bad != std::string_view::npos)
    throw Error(Place{file, calc_line(text, bad)},
                fmt::format("the byte 0x{:02X} is not valid UTF-8; save the file as UTF-8 (for "
                            "example: iconv -f LATIN1 -t UTF-8 in.urdf > out.urdf)",
                            static_cast<std::uint8_t>(text[bad])));
  const Trouble trouble = find_trouble(text);
  if (trouble.found()) throw Error(Place{file, calc_line(text, trouble.at)}, trouble.what);
  return text;
}

void parse_xml(std::string_view text, const std::string& file, tinyxml2::XMLDocument& document) {
  if (document.Parse(text.data(), text.size()) == tinyxml2::XML_SUCCESS) return;
  throw Error(Place{file, document.ErrorLineNum()}, describe(document, text));
}

bool is_utf8(std::string_view text) { return find_non_utf8(text) == std::string_view::npos; }

bool is_clean_utf8(std::string_view text) {
  return is_utf8(text) && std::none_of(text.begin(), text.end(), is_control);
}

std::string make_printable(std::string_view text) {
  std::string printable;
  while (!text.empty()) {
    const std::size_t length = calc_utf8_length(text);
    if (length == 0)
      printable += '?';
    else if (is_control(text.front()))
      printable += ' ';
    else
      printable += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return printable;
}

}  // namespace stance::io
