#include "stance/io/scene_check.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stance/io/nearest_name.h"
#include "stance/io/xml_text.h"

namespace stance::io {

namespace {

using Kind = YamlNode::Kind;

constexpr std::size_t kLongestName = 200;

std::string kind_text(const YamlNode& node) {
  switch (node.kind) {
    case Kind::kEmpty: return "nothing";
    case Kind::kScalar: return fmt::format("'{}'", make_printable(node.text.substr(0, 60)));
    case Kind::kList: return "a list";
    case Kind::kMap: return "a group of keys";
  }
  return "";
}

std::string join_names(const SceneGroup& group) {
  std::vector<std::string_view> names;
  for (const SceneKey& key : group.keys) names.push_back(key.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string describe(const SceneKey& key) {
  switch (key.kind) {
    case SceneValue::kNumber: return "a number";
    case SceneValue::kInteger: return "an integer";
    case SceneValue::kFlag: return "true or false";
    case SceneValue::kName: return "a name";
    case SceneValue::kText: return "a text";
    case SceneValue::kTexts: return "a text, or a list of them";
    case SceneValue::kPath: return "the name of a file";
    case SceneValue::kPaths: return "the name of a file, or a list of them";
    case SceneValue::kChoice: return fmt::format("one of {}", fmt::join(key.choices(), ", "));
    case SceneValue::kFormula: return "an expression of x and y";
    case SceneValue::kVector: return fmt::format("a list of {} numbers", key.count);
    case SceneValue::kNumbers: return "a list of numbers";
    case SceneValue::kPoints: return "a list of points, [x, y, z] each";
    case SceneValue::kPairs: return "a list of pairs of names, [a, b] each";
    case SceneValue::kGroup:
      return key.group->keys.empty() ? "{}"
                                     : fmt::format("a group of keys ({})", join_names(*key.group));
    case SceneValue::kGroups: return "named entries, each a group of keys";
    case SceneValue::kNumberMap: return "names with a number each";
    case SceneValue::kVariables: return "names with a value each";
  }
  return "";
}

// A list cuts "max(1, 2)" in two.
std::string find_split(const YamlNode& list) {
  for (const YamlNode& item : list.items)
    if (std::count(item.text.begin(), item.text.end(), '(') >
        std::count(item.text.begin(), item.text.end(), ')'))
      return fmt::format("; '{}' was cut at its comma, put quotes around the expression",
                         make_printable(item.text));
  return "";
}

// The group that has a key of this name, the first on the way down.
const SceneGroup* find_owner(std::string_view word, const SceneGroup& group) {
  if (group.find(word)) return &group;
  for (const SceneKey& key : group.keys)
    if (key.group)
      if (const SceneGroup* found = find_owner(word, *key.group)) return found;
  return nullptr;
}

// "did you mean" among the keys of a group.
std::string suggest_key(std::string_view word, const SceneGroup& group) {
  std::vector<std::string_view> names;
  for (const SceneKey& key : group.keys) names.push_back(key.name);
  const std::string_view nearest = find_nearest_name(word, names);
  if (!nearest.empty()) return fmt::format(", did you mean '{}'?", nearest);
  if (const SceneGroup* other = find_owner(word, scene_schema()))
    return fmt::format("; it belongs to {}", other->title);
  return names.empty() ? "; it has none" : fmt::format("; it has {}", join_names(group));
}

}  // namespace

// ---- the checker ------------------------------------------------------------------------------

class SceneChecker {
 public:
  SceneChecker(const SceneSettings& settings, Findings& findings)
      : settings_(settings), findings_(findings), random_(1) {}

  CheckedScene check(const YamlNode& file) {
    CheckedScene out;
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
    out.root = check_group(file, scene_schema(), "");
    out.scope = std::move(scope_);
    out.scope.random = nullptr;
    out.seed = seed_;
    return out;
  }

 private:
  // ---- what must be known first

  void read_version(const YamlNode& file) {
    const YamlNode* node = file.find("version");
    if (!node || node->kind != Kind::kScalar || node->text == std::to_string(kSceneVersion)) return;
    findings_.error(node->place(), fmt::format("this scene is of version {}, this program reads "
                                               "version {}",
                                               make_printable(node->text), kSceneVersion));
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

  SceneNode check_group(const YamlNode& map, const SceneGroup& group, const std::string& name) {
    SceneNode node;
    node.group_ = &group;
    node.name_ = name;
    node.place_ = map.place();
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
      if (map.items[k].kind == Kind::kEmpty && key->kind != SceneValue::kGroups) {
        findings_.error(map.key_place(k), fmt::format("'{}' has no value; it wants {}, or leave "
                                                      "the key out",
                                                      key->name, describe(*key)));
        continue;
      }
      SceneNode::Value value;
      value.key = key;
      value.place = map.items[k].place();
      check_value(map.items[k], *key, value);
      node.values_.push_back(std::move(value));
    }
    check_rivals(map, group, node, has_strangers);
    return node;
  }

  // A key that is missing may stand there misspelt: then that was told already.
  void check_rivals(const YamlNode& map, const SceneGroup& group, const SceneNode& node,
                    bool has_strangers) {
    const auto stands = [&](std::string_view name) { return map.find(name) != nullptr; };
    const std::string who =
        node.name_.empty() ? std::string(group.title) : fmt::format("'{}'", node.name_);
    for (const SceneKey& key : group.keys)
      if (key.required && !stands(key.name) && !has_strangers)
        findings_.error(map.place(),
                        fmt::format("{} lacks the key '{}', {}", who, key.name, describe(key)));
    for (const SceneRivals& rivals : group.rivals) {
      std::vector<std::string_view> there;
      for (const std::string_view name : rivals.names)
        if (stands(name)) there.push_back(name);
      if (there.size() > 1)
        findings_.error(map.find(there[1])->place(),
                        fmt::format("{} has '{}' and '{}'; only one of {} can count", who, there[0],
                                    there[1], fmt::join(rivals.names, ", ")));
      if (there.empty() && rivals.required && !has_strangers)
        findings_.error(map.place(), fmt::format("{} lacks one of the keys {}", who,
                                                 fmt::join(rivals.names, ", ")));
    }
  }

  void check_entries(const YamlNode& map, const SceneKey& key, SceneNode::Value& value) {
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
        value.nodes.push_back(check_group(item, *key.group, name));
        continue;
      }
      double count = 1.0;
      if (!read_number(*copies, *key.group->find("copies"), count)) continue;
      for (int i = 0; i < static_cast<int>(std::min(count, 10000.0)); ++i) {
        scope_.locals["i"] = i;
        const std::size_t errors = findings_.error_count();
        value.nodes.push_back(check_group(item, *key.group, name + std::to_string(i)));
        if (findings_.error_count() > errors) break;  // the others have the same
      }
      scope_.locals.erase("i");
    }
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

  void check_value(const YamlNode& node, const SceneKey& key, SceneNode::Value& value) {
    switch (key.kind) {
      case SceneValue::kNumber:
      case SceneValue::kInteger: {
        double number = 0.0;
        read_number(node, key, number);
        value.numbers = {number};
        return;
      }
      case SceneValue::kVector: return check_vector(node, key, value);
      case SceneValue::kNumbers: return check_numbers(node, key, value);
      case SceneValue::kPoints: return check_points(node, key, value);
      case SceneValue::kFlag: return check_flag(node, key, value);
      case SceneValue::kChoice: return check_choice(node, key, value);
      case SceneValue::kFormula:
        if (check_scalar(node, key)) value.texts = {node.text};
        return;
      case SceneValue::kName:
      case SceneValue::kText:
      case SceneValue::kPath: return add_text(node, key, value);
      case SceneValue::kTexts:
      case SceneValue::kPaths:
        if (node.kind != Kind::kList) return add_text(node, key, value);
        for (const YamlNode& item : node.items) add_text(item, key, value);
        return;
      case SceneValue::kPairs: return check_pairs(node, key, value);
      case SceneValue::kGroup:
        if (!check_kind(node, key, Kind::kMap)) return;
        value.nodes.push_back(check_group(node, *key.group, ""));
        return;
      case SceneValue::kGroups:
        if (node.kind == Kind::kEmpty || !check_kind(node, key, Kind::kMap)) return;
        return check_entries(node, key, value);
      case SceneValue::kNumberMap: return check_number_map(node, key, value);
      case SceneValue::kVariables: check_kind(node, key, Kind::kMap); return;  // read before
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
    const std::string unit = key.unit.empty() ? "" : fmt::format(" {}", key.unit);
    const std::string given = fmt::format("'{}' is {:g}{}", key.name, value, unit);
    if (key.kind == SceneValue::kInteger && value != std::floor(value))
      findings_.error(node.place(), fmt::format("{}; it must be an integer", given));
    else if (value < key.low || (key.above && value == key.low))
      findings_.error(node.place(), fmt::format("{}; it must be {} {:g}", given,
                                                key.above ? "more than" : "at least", key.low));
    else if (value > key.high)
      findings_.error(node.place(), fmt::format("{}; it must be at most {:g}", given, key.high));
    else
      return true;
    return false;
  }

  void check_vector(const YamlNode& node, const SceneKey& key, SceneNode::Value& value) {
    value.numbers.assign(key.count, 0.0);
    if (!check_kind(node, key, Kind::kList)) return;
    if (static_cast<int>(node.items.size()) != key.count)
      return findings_.error(node.place(),
                             fmt::format("'{}' wants {}, here are {}{}", key.name, describe(key),
                                         node.items.size(), find_split(node)));
    for (int k = 0; k < key.count; ++k) read_number(node.items[k], key, value.numbers[k]);
  }

  void check_numbers(const YamlNode& node, const SceneKey& key, SceneNode::Value& value) {
    if (!check_kind(node, key, Kind::kList)) return;
    value.numbers.resize(node.items.size());
    for (std::size_t k = 0; k < node.items.size(); ++k)
      read_number(node.items[k], key, value.numbers[k]);
  }

  void check_points(const YamlNode& node, const SceneKey& key, SceneNode::Value& value) {
    if (!check_kind(node, key, Kind::kList)) return;
    for (const YamlNode& item : node.items) {
      if (item.kind != Kind::kList || item.items.size() != 3)
        return findings_.error(item.place(), fmt::format("'{}' wants {}", key.name, describe(key)));
      for (const YamlNode& number : item.items)
        read_number(number, key, value.numbers.emplace_back());
    }
  }

  void check_flag(const YamlNode& node, const SceneKey& key, SceneNode::Value& value) {
    if (!check_scalar(node, key)) return;
    if (node.text != "true" && node.text != "false")
      return findings_.error(
          node.place(), fmt::format("'{}' wants true or false, not {}", key.name, kind_text(node)));
    value.numbers = {node.text == "true" ? 1.0 : 0.0};
  }

  void check_choice(const YamlNode& node, const SceneKey& key, SceneNode::Value& value) {
    add_text(node, key, value);
    if (value.texts.empty()) return;
    const auto choices = key.choices();
    if (std::find(choices.begin(), choices.end(), value.texts[0]) != choices.end()) return;
    const std::string_view nearest = find_nearest_name(value.texts[0], choices);
    findings_.error(node.place(),
                    fmt::format("'{}' cannot be '{}'{}", key.name, value.texts[0],
                                nearest.empty() ? "; it is " + describe(key)
                                                : fmt::format(", did you mean '{}'?", nearest)));
    value.texts = {std::string(choices.front())};
  }

  void add_text(const YamlNode& node, const SceneKey& key, SceneNode::Value& value) {
    if (!check_scalar(node, key)) return;
    try {
      std::string text = substitute(node.text, scope_);
      if (text.empty())
        return findings_.error(node.place(), fmt::format("'{}' is empty", key.name));
      if (key.kind == SceneValue::kPath || key.kind == SceneValue::kPaths)
        text = (std::filesystem::path(*node.file).parent_path() / text).string();
      value.texts.push_back(std::move(text));
      value.places.push_back(node.place());
    } catch (const Error& error) {
      findings_.error(node.place(), fmt::format("'{}': {}", key.name, error.what()));
    }
  }

  void check_pairs(const YamlNode& node, const SceneKey& key, SceneNode::Value& value) {
    if (!check_kind(node, key, Kind::kList)) return;
    for (const YamlNode& item : node.items) {
      if (item.kind != Kind::kList || item.items.size() != 2)
        return findings_.error(item.place(), fmt::format("'{}' wants {}", key.name, describe(key)));
      for (const YamlNode& name : item.items) add_text(name, key, value);
    }
  }

  void check_number_map(const YamlNode& node, const SceneKey& key, SceneNode::Value& value) {
    if (!check_kind(node, key, Kind::kMap)) return;
    for (std::size_t k = 0; k < node.keys.size(); ++k) {
      double number = 0.0;
      if (node.items[k].kind == Kind::kEmpty)
        findings_.error(node.key_place(k), fmt::format("'{}' has no value", node.keys[k].text));
      else
        read_number(node.items[k], key, number);
      value.texts.push_back(node.keys[k].text);
      value.numbers.push_back(number);
      value.places.push_back(node.key_place(k));
    }
  }

  const SceneSettings& settings_;
  Findings& findings_;
  Scope scope_;
  kernel::Random random_;
  std::uint64_t seed_ = 1;
};

CheckedScene check_scene_tree(const YamlNode& file, const SceneSettings& settings,
                              Findings& findings) {
  return SceneChecker(settings, findings).check(file);
}

}  // namespace stance::io
