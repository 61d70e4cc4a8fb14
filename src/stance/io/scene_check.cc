#include "stance/io/scene_check.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stance/io/scene_words.h"
#include "stance/io/xml_text.h"
#include "stance/kernel/names.h"
#include "stance/scene/numbers.h"
#include "stance/scene/schema.h"

namespace stance::io {

namespace {

using kernel::find_nearest_name;
using scene::FieldValue;
using scene::scene_schema;
using scene::SceneGroup;
using scene::SceneKey;
using scene::SceneRivals;
using scene::ValueKind;
using Kind = YamlNode::Kind;

constexpr std::size_t kLongestName = 200;

// ---- the checker ------------------------------------------------------------------------------

class SceneChecker {
 public:
  SceneChecker(const scene::Settings& settings, Findings& findings)
      : settings_(settings), findings_(findings), random_(1) {}

  CheckedScene check(const YamlNode& file) {
    CheckedScene out;
    sources_ = scene::Sources({file.file ? *file.file : ""});
    if (file.kind != Kind::kMap) {
      findings_.error(file.place(), fmt::format("a scene begins with keys like 'version: 1'; here "
                                                "stands {}",
                                                kind_text(file)));
      return out;
    }
    read_version(file);
    // variables may be random, the seed may be made of variables: not both
    const bool has_seed = read_seed(file.find("seed"));
    scope_.random = has_seed ? &random_ : nullptr;
    read_variables(file.find("variables"));
    scope_.random = nullptr;
    if (!has_seed) read_seed(file.find("seed"));
    random_ = kernel::Random(seed_);
    scope_.random = &random_;
    check_group(file, scene_schema(), "", &out.spec);
    out.spec.seed = seed_;
    for (const auto& [name, value] : scope_.variables) out.spec.variables.push_back({name, value});
    out.sources = std::move(sources_);
    out.scope = std::move(scope_);
    out.scope.random = nullptr;
    return out;
  }

 private:
  // ---- what must be known first

  void read_version(const YamlNode& file) {
    const YamlNode* node = file.find("version");
    if (!node || node->kind != Kind::kScalar || node->text == std::to_string(scene::kSceneVersion))
      return;
    findings_.error(node->place(), fmt::format("this scene is of version {}, this program reads "
                                               "version {}",
                                               make_printable(node->text), scene::kSceneVersion));
  }

  // False when it cannot be worked out now.
  bool read_seed(const YamlNode* node) {
    if (settings_.seed) {
      seed_ = *settings_.seed;
    } else if (node && node->kind == Kind::kScalar) {
      try {
        const double value = evaluate(node->text, scope_);
        if (value >= 0.0 && value < 0x1p53) seed_ = static_cast<std::uint64_t>(value);
      } catch (const Error&) {
        return false;  // what remains wrong is told by the check of the key
      }
    }
    return true;
  }

  // Every variable draws from numbers of its own, so that --set of one leaves the others alone.
  kernel::Random make_random(const std::string& name) const {
    std::uint64_t mixed = seed_;
    for (const char letter : name) mixed = (mixed ^ std::uint64_t(letter)) * 0x100000001b3ull;
    return kernel::Random(mixed);
  }

  void read_variables(const YamlNode* node) {
    std::vector<std::string_view> names;
    if (node && node->kind == Kind::kMap)
      for (std::size_t k = 0; k < node->keys.size(); ++k) {
        names.push_back(node->keys[k].text);
        read_variable(*node, k);
      }
    for (const auto& [name, value] : settings_.set) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      const std::string_view nearest = find_nearest_name(name, names);
      findings_.error(
          {node && node->file ? *node->file : ""},
          fmt::format("--set {}={}: the scene has no variable '{}'{}", name, value, name,
                      !nearest.empty() ? fmt::format(", did you mean '{}'?", nearest)
                      : names.empty()  ? "; it has none"
                                       : fmt::format("; it has {}", fmt::join(names, ", "))));
    }
  }

  void read_variable(const YamlNode& map, std::size_t k) {
    const std::string& name = map.keys[k].text;
    const YamlNode& item = map.items[k];
    if (!is_variable_name(name))
      return findings_.error(
          map.key_place(k),
          fmt::format("'{}' cannot name a variable; use letters, digits and _, and no word that "
                      "expressions know (pi, i, x, y, sin...)",
                      make_printable(name)));
    if (item.kind != Kind::kScalar)
      return findings_.error(item.place(), fmt::format("the variable '{}' wants a number, an "
                                                       "expression or a text in quotes, not {}",
                                                       name, kind_text(item)));
    std::string text = item.text;
    random_ = make_random(name);
    bool was_set = false;
    for (const auto& [set_name, value] : settings_.set)
      if (set_name == name) text = value, was_set = true;
    try {
      if (item.is_quoted)
        scope_.variables[name] = was_set ? text : substitute(text, scope_);
      else
        scope_.variables[name] = evaluate(text, scope_);
    } catch (const Error& error) {
      scope_.variables[name] = 0.0;  // so that its users do not complain too
      findings_.error(item.place(),
                      was_set ? fmt::format("--set {}={}: {}", name, text, error.what())
                              : fmt::format("the variable '{}': {}; texts stand in quotes", name,
                                            error.what()));
    }
  }

  // ---- groups

  // Fills in `owner`, the struct that the group's keys are fields of.
  void check_group(const YamlNode& map, const SceneGroup& group, const std::string& name,
                   void* owner) {
    sources_.set_here(map.place());
    bool has_strangers = false;
    for (std::size_t k = 0; k < map.keys.size(); ++k) {
      const SceneKey* key = group.find(map.keys[k].text);
      if (!key) {
        has_strangers = true;
        findings_.error(map.key_place(k), fmt::format("there is no key '{}' in {}{}",
                                                      make_printable(map.keys[k].text), group.title,
                                                      suggest_key(map.keys[k].text, group)));
        continue;
      }
      if (map.items[k].kind == Kind::kEmpty && key->kind != ValueKind::kGroups) {
        findings_.error(map.key_place(k), fmt::format("'{}' has no value; it wants {}, or leave "
                                                      "the key out",
                                                      key->name, describe(*key)));
        continue;
      }
      sources_.enter(key->name);
      sources_.set_here(map.items[k].place());
      check_key(map.items[k], *key, owner);
      sources_.leave();
    }
    check_rivals(map, group, name, has_strangers);
  }

  void check_key(const YamlNode& node, const SceneKey& key, void* owner) {
    if (key.kind == ValueKind::kGroup) {
      if (check_kind(node, key, Kind::kMap))
        check_group(node, *key.group, "", key.field.open(owner, ""));
      return;
    }
    if (key.kind == ValueKind::kGroups) {
      if (node.kind != Kind::kEmpty && check_kind(node, key, Kind::kMap))
        check_entries(node, key, owner);
      return;
    }
    FieldValue value;
    const std::size_t errors = findings_.error_count();
    check_value(node, key, value);
    if (findings_.error_count() == errors && key.field.set) key.field.set(owner, value);
  }

  // A key that is missing may stand there misspelt: then that was told already.
  void check_rivals(const YamlNode& map, const SceneGroup& group, const std::string& name,
                    bool has_strangers) {
    const auto stands = [&](std::string_view key) { return map.find(key) != nullptr; };
    const std::string who = name.empty() ? std::string(group.title) : fmt::format("'{}'", name);
    for (const SceneKey& key : group.keys)
      if (key.required && !stands(key.name) && !has_strangers)
        findings_.error(map.place(),
                        fmt::format("{} lacks the key '{}', {}", who, key.name, describe(key)));
    for (const SceneRivals& rivals : group.rivals) {
      std::vector<std::string_view> there;
      for (const std::string_view key : rivals.names)
        if (stands(key)) there.push_back(key);
      if (there.size() > 1)
        findings_.error(map.find(there[1])->place(),
                        fmt::format("{} has '{}' and '{}'; only one of {} can count", who, there[0],
                                    there[1], fmt::join(rivals.names, ", ")));
      if (there.empty() && rivals.required && !has_strangers)
        findings_.error(map.place(), fmt::format("{} lacks one of the keys {}", who,
                                                 fmt::join(rivals.names, ", ")));
    }
  }

  void check_entries(const YamlNode& map, const SceneKey& key, void* owner) {
    for (std::size_t k = 0; k < map.keys.size(); ++k) {
      const std::string& name = map.keys[k].text;
      const YamlNode& item = map.items[k];
      if (!check_entry_name(map, k)) continue;
      if (item.kind != Kind::kMap) {
        if (item.kind == Kind::kEmpty)
          findings_.error(map.key_place(k), fmt::format("'{}' is empty; its keys ({}) stand below "
                                                        "it, further to the right",
                                                        name, join_names(*key.group)));
        else
          findings_.error(item.place(), fmt::format("'{}' wants a group of keys ({}), not {}", name,
                                                    join_names(*key.group), kind_text(item)));
        continue;
      }
      const YamlNode* copies = key.group->has_copies ? item.find("copies") : nullptr;
      if (!copies) {
        add_entry(item, key, name, owner);
        continue;
      }
      double count = 1.0;
      if (!read_number(*copies, *key.group->find("copies"), count)) continue;
      for (int i = 0; i < static_cast<int>(std::min(count, 10000.0)); ++i) {
        scope_.locals["i"] = i;
        const std::size_t errors = findings_.error_count();
        add_entry(item, key, name + std::to_string(i), owner);
        if (findings_.error_count() > errors) break;  // the others have the same
      }
      scope_.locals.erase("i");
    }
  }

  void add_entry(const YamlNode& item, const SceneKey& key, const std::string& name, void* owner) {
    sources_.enter(name);
    check_group(item, *key.group, name, key.field.open(owner, name));
    sources_.leave();
  }

  bool check_entry_name(const YamlNode& map, std::size_t k) {
    const std::string& name = map.keys[k].text;
    if (name.size() <= kLongestName && is_clean_utf8(name) && name != "world") return true;
    findings_.error(map.key_place(k), name == "world"
                                          ? "'world' is the world itself; choose another name"
                                          : "this cannot be a name: too long, or unprintable");
    return false;
  }

  // ---- values

  void check_value(const YamlNode& node, const SceneKey& key, FieldValue& value) {
    switch (key.kind) {
      case ValueKind::kNumber:
      case ValueKind::kInteger: {
        double number = 0.0;
        read_number(node, key, number);
        value.numbers = {number};
        return;
      }
      case ValueKind::kVector: return check_vector(node, key, value);
      case ValueKind::kNumbers: return check_numbers(node, key, value);
      case ValueKind::kPoints: return check_points(node, key, value);
      case ValueKind::kFlag: return check_flag(node, key, value);
      case ValueKind::kChoice: return check_choice(node, key, value);
      case ValueKind::kFormula:
        if (check_scalar(node, key)) value.texts = {node.text};
        return;
      case ValueKind::kName:
      case ValueKind::kText:
      case ValueKind::kPath: return add_text(node, key, value);
      case ValueKind::kTexts:
      case ValueKind::kPaths:
        if (node.kind != Kind::kList) return add_text(node, key, value);
        for (const YamlNode& item : node.items) add_text(item, key, value);
        return;
      case ValueKind::kPairs: return check_pairs(node, key, value);
      case ValueKind::kNumberMap: return check_number_map(node, key, value);
      case ValueKind::kVariables: check_kind(node, key, Kind::kMap); return;  // read before
      case ValueKind::kGroup:
      case ValueKind::kGroups: return;  // check_key
    }
  }

  bool check_kind(const YamlNode& node, const SceneKey& key, Kind kind) {
    if (node.kind == kind) return true;
    findings_.error(node.place(),
                    fmt::format("'{}' wants {}, not {}", key.name, describe(key), kind_text(node)));
    return false;
  }
  bool check_scalar(const YamlNode& node, const SceneKey& key) {
    return check_kind(node, key, Kind::kScalar);
  }

  bool read_number(const YamlNode& node, const SceneKey& key, double& value) {
    if (!check_scalar(node, key)) return false;
    try {
      value = evaluate(node.text, scope_);
    } catch (const Error& error) {
      findings_.error(node.place(), fmt::format("'{}': {}", key.name, error.what()));
      return false;
    }
    const std::string fault = scene::find_fault(key, value);
    if (!fault.empty()) findings_.error(node.place(), fault);
    return fault.empty();
  }

  void check_vector(const YamlNode& node, const SceneKey& key, FieldValue& value) {
    value.numbers.assign(key.count, 0.0);
    if (!check_kind(node, key, Kind::kList)) return;
    if (static_cast<int>(node.items.size()) != key.count)
      return findings_.error(node.place(),
                             fmt::format("'{}' wants {}, here are {}{}", key.name, describe(key),
                                         node.items.size(), find_split(node)));
    for (int k = 0; k < key.count; ++k) read_number(node.items[k], key, value.numbers[k]);
  }

  void check_numbers(const YamlNode& node, const SceneKey& key, FieldValue& value) {
    if (!check_kind(node, key, Kind::kList)) return;
    value.numbers.resize(node.items.size());
    for (std::size_t k = 0; k < node.items.size(); ++k)
      read_number(node.items[k], key, value.numbers[k]);
  }

  void check_points(const YamlNode& node, const SceneKey& key, FieldValue& value) {
    if (!check_kind(node, key, Kind::kList)) return;
    for (const YamlNode& item : node.items) {
      if (item.kind != Kind::kList || item.items.size() != 3)
        return findings_.error(item.place(), fmt::format("'{}' wants {}", key.name, describe(key)));
      for (const YamlNode& number : item.items)
        read_number(number, key, value.numbers.emplace_back());
    }
  }

  void check_flag(const YamlNode& node, const SceneKey& key, FieldValue& value) {
    if (!check_scalar(node, key)) return;
    if (node.text != "true" && node.text != "false")
      return findings_.error(
          node.place(), fmt::format("'{}' wants true or false, not {}", key.name, kind_text(node)));
    value.numbers = {node.text == "true" ? 1.0 : 0.0};
  }

  void check_choice(const YamlNode& node, const SceneKey& key, FieldValue& value) {
    FieldValue word;
    add_text(node, key, word);
    if (word.texts.empty()) return;
    const auto choices = key.choices();
    const auto it = std::find(choices.begin(), choices.end(), word.texts[0]);
    value.numbers = {static_cast<double>(it - choices.begin())};
    if (it != choices.end()) return;
    const std::string_view nearest = find_nearest_name(word.texts[0], choices);
    findings_.error(node.place(),
                    fmt::format("'{}' cannot be '{}'{}", key.name, word.texts[0],
                                nearest.empty() ? "; it is " + describe(key)
                                                : fmt::format(", did you mean '{}'?", nearest)));
  }

  void add_text(const YamlNode& node, const SceneKey& key, FieldValue& value) {
    if (!check_scalar(node, key)) return;
    try {
      std::string text = substitute(node.text, scope_);
      if (text.empty())
        return findings_.error(node.place(), fmt::format("'{}' is empty", key.name));
      if (key.kind == ValueKind::kPath || key.kind == ValueKind::kPaths)
        text = (std::filesystem::path(*node.file).parent_path() / text).string();
      sources_.add(std::to_string(value.texts.size()), node.place());
      value.texts.push_back(std::move(text));
    } catch (const Error& error) {
      findings_.error(node.place(), fmt::format("'{}': {}", key.name, error.what()));
    }
  }

  void check_pairs(const YamlNode& node, const SceneKey& key, FieldValue& value) {
    if (!check_kind(node, key, Kind::kList)) return;
    for (const YamlNode& item : node.items) {
      if (item.kind != Kind::kList || item.items.size() != 2)
        return findings_.error(item.place(), fmt::format("'{}' wants {}", key.name, describe(key)));
      for (const YamlNode& name : item.items) add_text(name, key, value);
    }
  }

  void check_number_map(const YamlNode& node, const SceneKey& key, FieldValue& value) {
    if (!check_kind(node, key, Kind::kMap)) return;
    for (std::size_t k = 0; k < node.keys.size(); ++k) {
      double number = 0.0;
      if (node.items[k].kind == Kind::kEmpty)
        findings_.error(node.key_place(k), fmt::format("'{}' has no value", node.keys[k].text));
      else
        read_number(node.items[k], key, number);
      value.texts.push_back(node.keys[k].text);
      value.numbers.push_back(number);
      sources_.add(node.keys[k].text, node.key_place(k));
    }
  }

  const scene::Settings& settings_;
  Findings& findings_;
  scene::Sources sources_;
  Scope scope_;
  kernel::Random random_;
  std::uint64_t seed_ = 1;
};

}  // namespace

CheckedScene check_scene_tree(const YamlNode& file, const scene::Settings& settings,
                              Findings& findings) {
  return SceneChecker(settings, findings).check(file);
}

}  // namespace stance::io
