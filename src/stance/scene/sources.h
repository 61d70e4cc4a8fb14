#pragma once

// Where the parts of a SceneSpec stand in the user's files, for messages. Kept beside the spec and
// not in it: a spec made by code has none, and messages then name the entry and its key.

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "stance/kernel/error.h"

namespace stance::scene {

// {"objects", "ball", "mass"}: keys and names of entries from the top level down. The words belong
// to somebody else.
struct Path {
  std::vector<std::string_view> words;

  Path(std::initializer_list<std::string_view> given) : words(given) {}
  Path operator/(std::string_view word) const {
    Path out = *this;
    out.words.push_back(word);
    return out;
  }
};

// A file of the scene, as it was read.
struct SourceText {
  std::string path;  // absolute, without . and ..
  std::string text;
};

class Sources {
 public:
  Sources() = default;
  explicit Sources(Place whole) : whole_(std::move(whole)) {}

  // Reading goes down into a group and up again; add() is for what stands in it.
  void enter(std::string_view word);
  void leave();
  void add(std::string_view word, Place place);
  void set_here(Place place);

  // Of the path or, where that is not known, of what it is part of.
  Place find(const Path& path) const;
  bool has(const Path& path) const;
  const Place& whole() const { return whole_; }  // of the scene

  // Takes over what is known of entries of another one: something was added to a scene.
  void merge(const Sources& other);

  std::vector<SourceText> texts{};  // the scene's own files

 private:
  Place whole_{};
  std::string here_{};
  std::map<std::string, Place, std::less<>> places_{};
};

// An error at a part of a scene.
Error make_error(const Sources& sources, const Path& path, const std::string& what);

// Runs f, and gives an error that knows no place the one of this path.
template <class F>
auto at_path(const Sources& sources, const Path& path, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    if (!error.place().text().empty()) throw;
    throw make_error(sources, path, error.what());
  }
}

}  // namespace stance::scene
