#include "stance/io/scene_text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "stance/io/xml_text.h"

namespace stance::io {
namespace {

namespace fs = std::filesystem;

using File = std::shared_ptr<const std::string>;

// ---- before the parser ----------------------------------------------------------------------

std::string read_scene_file(const std::string& path) {
  const Place place{path};
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (status.type() == fs::file_type::not_found) throw Error(place, "there is no such file");
  if (status.type() == fs::file_type::directory)
    throw Error(place, "this is a folder; name the scene (.yaml) inside it");
  if (status.type() != fs::file_type::regular) throw Error(place, "this is not a file");
  const std::uintmax_t size = fs::file_size(path, code);
  if (!code && size > kMostSceneBytes)
    throw Error(place, fmt::format("the file has {} MB, more than the {} MB that a scene may have; "
                                   "large surfaces belong in mesh files",
                                   size >> 20, kMostSceneBytes >> 20));
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw Error(place, fmt::format("the file cannot be opened: {}", std::strerror(errno)));
  std::string text(code ? 0 : size, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.starts_with("\x89HDF"))
    throw Error(place,
                "this is an HDF5 file, no scene; `stance replay` runs a recording again, and "
                "--from goes on from a snapshot");
  return text;
}

// A parser's view of tabs is hard to explain, so they are found first.
void check_line(std::string_view line, const std::string& file, int number) {
  const std::size_t start = line.find_first_not_of(" \t\r");
  if (start == std::string_view::npos) return;
  const std::size_t tab = line.substr(0, start).find('\t');
  if (tab != std::string_view::npos && line[start] != '#')
    throw Error({file, number, {}, static_cast<int>(tab) + 1},
                "there is a tab in the indentation; YAML wants spaces there");
  for (std::size_t k = 0; k < line.size(); ++k) {
    const auto c = static_cast<unsigned char>(line[k]);
    if (c < 0x20 && c != '\t' && c != '\r')
      throw Error({file, number, {}, static_cast<int>(k) + 1},
                  fmt::format("there is a control character (code {}); is this a text file?", c));
  }
  if (!is_utf8(line)) throw Error({file, number}, "this line is not UTF-8; save the file as UTF-8");
}

void check_text(std::string_view text, const std::string& file) {
  if (text.size() > kMostSceneBytes)
    throw Error({file}, fmt::format("a scene may have {} MB", kMostSceneBytes >> 20));
  int number = 1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    check_line(text.substr(0, end), file, number++);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// ---- the parser's events ----------------------------------------------------------------------

class TreeMaker : public YAML::EventHandler {
 public:
  TreeMaker(File file, std::string_view text) : file_(std::move(file)), text_(text) {
    lines_.push_back(0);
    for (std::size_t k = 0; k < text.size(); ++k)
      if (text[k] == '\n') lines_.push_back(k + 1);
  }

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(make(mark, YamlNode::Kind::kEmpty));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    fail(mark, "scenes have no aliases (*name); give the value a name under variables: instead");
  }
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    fail(mark, fmt::format("scenes have no anchors (&{}); give the value a name under variables: "
                           "instead",
                           name));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    YamlNode node = make(mark, YamlNode::Kind::kScalar);
    if (tag != "?" && tag != "!" && !tag.empty()) refuse_tag(mark, tag);
    node.is_quoted = tag == "!";
    if (node.is_quoted) check_closed(mark);
    node.text = value;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, YamlNode::Kind::kList);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, YamlNode::Kind::kMap);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    std::set<std::string> names;
    bool has_key = false;  // a key waits for its value
  };

  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
    throw Error({*file_, mark.line + 1, {}, mark.column + 1}, what);
  }
  [[noreturn]] void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    fail(mark, fmt::format("scenes have no tags ({}); leave it out", make_printable(tag)));
  }

  // yaml-cpp takes the end of the file for the end of a quote.
  void check_closed(const YAML::Mark& mark) const {
    if (mark.line < 0 || static_cast<std::size_t>(mark.line) >= lines_.size()) return;
    std::size_t k = lines_[mark.line] + mark.column;
    if (k >= text_.size() || (text_[k] != '"' && text_[k] != '\'')) return;
    const char quote = text_[k];
    for (++k; k < text_.size(); ++k) {
      if (quote == '"' && text_[k] == '\\')
        ++k;
      else if (text_[k] == quote && quote == '\'' && text_.substr(k, 2) == "''")
        ++k;
      else if (text_[k] == quote)
        return;
    }
    fail(mark, "a quote is opened but not closed");
  }

  YamlNode make(const YAML::Mark& mark, YamlNode::Kind kind) const {
    YamlNode node;
    node.kind = kind;
    node.file = file_;
    node.line = mark.line + 1, node.column = mark.column + 1;
    return node;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YamlNode::Kind kind) {
    if (tag != "?" && tag != "!" && !tag.empty()) refuse_tag(mark, tag);
    if (static_cast<int>(stack_.size()) >= kMostSceneDepth)
      fail(mark,
           fmt::format("this is nested {} levels deep; no scene needs that", kMostSceneDepth));
    if (!stack_.empty() && wants_key())
      fail(mark, "a list or a group stands where a key should; is a ':' missing or too many?");
    stack_.push_back({make(mark, kind), {}, false});
  }

  void close() {
    YamlNode node = std::move(stack_.back().node);
    stack_.pop_back();
    add(std::move(node));
  }

  bool wants_key() const {
    return stack_.back().node.kind == YamlNode::Kind::kMap && !stack_.back().has_key;
  }

  void add(YamlNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& top = stack_.back();
    if (!wants_key()) {
      top.node.items.push_back(std::move(node));
      top.has_key = false;
      return;
    }
    const YAML::Mark mark = make_mark(node);
    if (node.kind != YamlNode::Kind::kScalar || node.text.empty()) fail(mark, "a key has no name");
    if (node.text == "<<")
      fail(mark, "scenes have no merge keys (<<); put what is shared into a file and include: it");
    if (!top.names.insert(node.text).second)
      fail(mark, fmt::format("the key '{}' stands here twice (first in line {}); only one of them "
                             "can count",
                             make_printable(node.text), find_line(top.node, node.text)));
    top.node.keys.push_back({node.text, node.line, node.column});
    top.has_key = true;
  }

  static YAML::Mark make_mark(const YamlNode& node) {
    YAML::Mark mark;
    mark.line = node.line - 1, mark.column = node.column - 1;
    return mark;
  }
  static int find_line(const YamlNode& map, const std::string& key) {
    for (const YamlNode::Key& known : map.keys)
      if (known.text == key) return known.line;
    return 0;
  }

  File file_;
  std::string_view text_;
  std::vector<std::size_t> lines_;  // where they begin in the text
  std::vector<Open> stack_;
  YamlNode root_;
};

// What yaml-cpp says, in words of people who write scenes.
std::string explain(const std::string& message) {
  const auto has = [&](const char* part) { return message.find(part) != std::string::npos; };
  if (has("end of map flow not found")) return "a '{' is not closed by '}', or a ',' is missing";
  if (has("end of sequence flow not found"))
    return "a '[' is not closed by ']', or a ',' is missing";
  if (has("end of map not found") || has("end of sequence not found"))
    return "the indentation does not fit the lines above, or a ':' is missing";
  if (has("illegal map value"))
    return "a ':' where none can stand; is one missing in the line above? Texts with ': ' in them "
           "need quotes";
  if (has("unknown token"))
    return "a character that cannot begin a value; texts like this need quotes";
  if (has("illegal block entry")) return "a '-' where no list can begin";
  if (has("illegal flow end")) return "a ']' or '}' that nothing opened";
  return "this is not YAML: " + make_printable(message);
}

// ---- includes ---------------------------------------------------------------------------------

constexpr int kMostIncludes = 100;

void put_over(YamlNode over, YamlNode& base, int levels) {
  for (std::size_t k = 0; k < over.keys.size(); ++k) {
    const auto same = std::find_if(base.keys.begin(), base.keys.end(),
                                   [&](const auto& key) { return key.text == over.keys[k].text; });
    if (same == base.keys.end()) {
      base.keys.push_back(over.keys[k]);
      base.items.push_back(std::move(over.items[k]));
      continue;
    }
    YamlNode& old = base.items[same - base.keys.begin()];
    const bool are_maps =
        old.kind == YamlNode::Kind::kMap && over.items[k].kind == YamlNode::Kind::kMap;
    if (levels > 1 && are_maps) {
      put_over(std::move(over.items[k]), old, levels - 1);
    } else {
      *same = over.keys[k];
      old = std::move(over.items[k]);
    }
  }
}

class IncludeReader {
 public:
  explicit IncludeReader(SceneTexts& texts) : texts_(texts) {}

  YamlNode read(const std::string& path) {
    if (!texts_.are_given) return parse(read_scene_file(path), path);
    const SceneTexts::File* file = texts_.find(path);
    if (!file) throw Error({path}, "this file of the scene is not in the recording");
    return parse(std::string(file->text), path);
  }

  YamlNode parse(std::string_view text, const std::string& path) {
    if (!texts_.find(path)) texts_.files.push_back({make_absolute(path), std::string(text)});
    bytes_ += text.size();
    if (bytes_ > 4 * kMostSceneBytes)
      throw Error({path}, "the scene and what it includes is too large altogether");
    YamlNode node = parse_scene_text(text, path);
    const YamlNode* include = node.find("include");
    if (!include) return node;

    open_.push_back(fs::weakly_canonical(path).string());
    YamlNode whole;
    whole.kind = YamlNode::Kind::kMap;
    whole.file = node.file, whole.line = node.line, whole.column = node.column;
    if (include->kind == YamlNode::Kind::kList)
      for (const YamlNode& item : include->items) add_file(item, path, whole);
    else
      add_file(*include, path, whole);
    open_.pop_back();
    put_over(std::move(node), whole, 2);
    return whole;
  }

 private:
  void add_file(const YamlNode& item, const std::string& from, YamlNode& whole) {
    if (item.kind != YamlNode::Kind::kScalar || item.text.empty())
      throw Error(item.place(), "include: wants the name of a file, or a list of them");
    if (item.text.find("${") != std::string::npos)
      throw Error(item.place(), "include: cannot use variables, they are not known yet");
    const std::string path = (fs::path(from).parent_path() / item.text).string();
    std::error_code code;
    if (!texts_.are_given && !fs::exists(path, code))
      throw Error(item.place(), fmt::format("the file to include is not there: {}", path));
    const std::string name = fs::weakly_canonical(path).string();
    if (const auto again = std::find(open_.begin(), open_.end(), name); again != open_.end()) {
      std::string way;
      for (auto it = again; it != open_.end(); ++it)
        way += fs::path(*it).filename().string() + " -> ";
      throw Error(item.place(), fmt::format("files include each other in a circle: {}{}", way,
                                            fs::path(name).filename().string()));
    }
    if (++count_ > kMostIncludes)
      throw Error(item.place(), fmt::format("more than {} files are included", kMostIncludes));
    YamlNode part = read(path);
    if (part.kind != YamlNode::Kind::kMap) throw Error(part.place(), "the file holds no keys");
    put_over(std::move(part), whole, 2);
  }

  SceneTexts& texts_;
  std::vector<std::string> open_;
  int count_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (keys[k].text == key) return &items[k];
  return nullptr;
}

YamlNode parse_scene_text(std::string_view text, const std::string& file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  check_text(text, file);
  TreeMaker maker(std::make_shared<const std::string>(file), text);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(maker)) throw Error({file}, "the file is empty");
    YamlNode root = maker.take();
    TreeMaker rest(root.file, text);
    if (parser.HandleNextDocument(rest))
      throw Error(rest.take().place(), "a second document begins here (---); a scene is one");
    return root;
  } catch (const YAML::Exception& error) {
    throw Error({file, error.mark.line + 1, {}, error.mark.column + 1}, explain(error.msg));
  }
}

std::string make_absolute(const std::string& path) {
  std::error_code code;
  const fs::path absolute = fs::absolute(path, code);
  return (code ? fs::path(path) : absolute).lexically_normal().string();
}

const SceneTexts::File* SceneTexts::find(const std::string& path) const {
  const std::string name = make_absolute(path);
  for (const File& file : files)
    if (file.path == name) return &file;
  return nullptr;
}

YamlNode read_scene_files(const std::string& path, SceneTexts& texts) {
  return IncludeReader(texts).read(path);
}

YamlNode parse_scene_files(std::string_view text, const std::string& file, SceneTexts& texts) {
  return IncludeReader(texts).parse(text, file);
}

}  // namespace stance::io
