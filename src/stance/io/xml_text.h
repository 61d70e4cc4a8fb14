#pragma once

// From a file to a parsed XML document, refusing early what no parser should be given.
// Everything here throws stance::Error at the file and line.

#include <cstddef>
#include <string>
#include <string_view>

#include <tinyxml2.h>

namespace stance::io {

// A robot of a hundred thousand links fits twice; meshes are files of their own.
inline constexpr std::size_t kMostXmlBytes = std::size_t{64} << 20;

// The whole of a regular file. Says so when there is none, or when it is a folder or too large.
std::string read_text_file(const std::string& path);

// Checks that the text is UTF-8 without NUL characters, document types or entities of its own, and
// of bearable size. Returns it without a byte order mark.
std::string_view check_xml_text(std::string_view text, const std::string& file);

// Parses checked text. Errors of the parser are told in words, with the line.
void parse_xml(std::string_view text, const std::string& file, tinyxml2::XMLDocument& document);

// Whether every character is valid UTF-8 and none is a control character.
bool is_utf8(std::string_view text);
bool is_clean_utf8(std::string_view text);

// The text as one line of valid UTF-8 that cannot play tricks on a terminal.
std::string make_printable(std::string_view text);

}  // namespace stance::io
