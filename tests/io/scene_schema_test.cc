// One table: the documents follow from it, and no key of it does nothing.

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stance/io/scene.h"
#include "stance/io/scene_docs.h"
#include "stance/scene/schema.h"

#include "run_program.h"

namespace stance::io {
namespace {

using scene::scene_schema;
using scene::SceneGroup;
using scene::SceneKey;
using scene::SceneRivals;
using scene::ValueKind;

const std::string kRoot = STANCE_SOURCE_DIR;
const std::string kEveryKey = kRoot + "/tests/data/scenes/every_key.yaml";

// With STANCE_UPDATE_DOCS=1 the file is written instead.
void compare(const std::string& path, const std::string& wanted) {
  if (std::getenv("STANCE_UPDATE_DOCS")) std::ofstream(path, std::ios::binary) << wanted;
  EXPECT_TRUE(testing::read_file(path) == wanted)
      << path << " does not fit the schema; STANCE_UPDATE_DOCS=1 scene_tests writes it";
}

TEST(SceneSchema, DocsAreUpToDate) {
  compare(kRoot + "/docs/scene.schema.json", make_scene_json_schema());
  const std::string path = kRoot + "/docs/scenes.md";
  const std::string text = testing::read_file(path);
  const std::size_t mark = text.find("<!-- reference:"), end = text.find("<!-- end of reference");
  ASSERT_NE(mark, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  const std::size_t start = text.find('\n', mark) + 1;
  compare(path, text.substr(0, start) + make_scene_reference() + text.substr(end));
}

TEST(SceneSchema, EveryKeyIsExplainedByItselfOrItsGroup) {
  std::set<const SceneGroup*> seen;
  const std::function<void(const SceneGroup&)> look = [&](const SceneGroup& group) {
    if (!seen.insert(&group).second) return;
    std::set<std::string_view> names;
    EXPECT_FALSE(group.title.empty());
    EXPECT_FALSE(group.about.empty()) << group.title;
    for (const SceneKey& key : group.keys) {
      EXPECT_TRUE(names.insert(key.name).second) << group.title << " has " << key.name << " twice";
      EXPECT_EQ(key.kind == ValueKind::kChoice, key.choices != nullptr) << key.name;
      EXPECT_EQ(key.kind == ValueKind::kGroup || key.kind == ValueKind::kGroups,
                key.group != nullptr)
          << key.name;
      if (key.group) look(*key.group);
    }
    for (const SceneRivals& rivals : group.rivals)
      for (const std::string_view name : rivals.names)
        EXPECT_NE(group.find(name), nullptr) << group.title << " has no " << name;
  };
  look(scene_schema());
  EXPECT_GT(seen.size(), 20u);
}

// An integer that passes its bounds fits its field: both bounds come back out of it. A fuzzer once
// found 4.4e58 on its way into an int.
TEST(SceneSchema, IntegersFitTheirFields) {
  int count = 0;
  std::set<const SceneGroup*> seen;
  const std::function<void(const SceneGroup&, void*)> look = [&](const SceneGroup& group,
                                                                 void* owner) {
    if (!seen.insert(&group).second) return;
    for (const SceneKey& key : group.keys) {
      if (key.group) look(*key.group, key.field.open(owner, "x"));
      if (key.kind != ValueKind::kInteger) continue;
      for (const double bound : {key.low, key.high}) {
        EXPECT_LE(std::abs(bound), 9007199254740992.0)
            << key.name << ": a double is exact to there";
        if (!key.field.set) continue;
        key.field.set(owner, {{bound}, {}});
        scene::FieldValue back;
        ASSERT_TRUE(key.field.get(owner, back)) << key.name;
        EXPECT_EQ(back.numbers, std::vector<double>{bound}) << group.title << ": " << key.name;
        ++count;
      }
    }
  };
  scene::SceneSpec spec;
  look(scene_schema(), &spec);
  EXPECT_GE(count, 20);
}

// Unchecked numbers too: they become the nearest that fits.
TEST(SceneFields, TakeAnyNumber) {
  const auto take = [](double number, auto to) {
    scene::take(scene::FieldValue{{number}, {}}, to);
    return to;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(take(-3.0, 0), -3);
  EXPECT_EQ(take(2147483647.0, 0), 2147483647);
  EXPECT_EQ(take(-2147483648.0, 0), -2147483647 - 1);
  for (const double large : {4.4e58, 2147483648.0, infinity}) EXPECT_EQ(take(large, 0), 2147483647);
  for (const double small : {-4.4e58, -2147483649.0, -infinity, std::nan("")})
    EXPECT_EQ(take(small, 0), -2147483647 - 1);
  const std::uint64_t none = 0;
  EXPECT_EQ(take(9007199254740992.0, none), 9007199254740992u);
  EXPECT_EQ(take(-1.0, none), 0u);
  EXPECT_EQ(take(1e20, none), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(take(1.0, scene::ControllerKind::kPd), scene::ControllerKind::kComputedTorque);
  EXPECT_EQ(take(-1e300, scene::ControllerKind::kPd), scene::ControllerKind::kPd);
}

// Every key fills in a field, but for two that only the text has.
TEST(SceneSchema, NoKeyDoesNothing) {
  scene::Settings options{kEveryKey};
  options.set = {{"library", STANCE_SWAY}};
  EXPECT_NO_THROW(load_scene(options));
  std::set<const SceneKey*> used;
  const std::function<void(const YamlNode&, const SceneGroup&)> look =
      [&](const YamlNode& map, const SceneGroup& group) {
        for (std::size_t k = 0; k < map.keys.size(); ++k) {
          const SceneKey* key = group.find(map.keys[k].text);
          ASSERT_NE(key, nullptr) << map.keys[k].text;
          used.insert(key);
          if (key->kind == ValueKind::kGroup) look(map.items[k], *key->group);
          if (key->kind == ValueKind::kGroups)
            for (const YamlNode& entry : map.items[k].items) look(entry, *key->group);
        }
      };
  SceneTexts texts;
  look(read_scene_files(kEveryKey, texts), scene_schema());

  std::set<const SceneGroup*> seen;
  const std::function<void(const SceneGroup&)> check = [&](const SceneGroup& group) {
    if (!seen.insert(&group).second) return;
    for (const SceneKey& key : group.keys) {
      EXPECT_TRUE(used.count(&key)) << "every_key.yaml lacks " << group.title << ": " << key.name;
      const bool is_bound = key.field.open || (key.field.set && key.field.get);
      EXPECT_EQ(is_bound, key.name != "copies" && key.name != "variables") << key.name;
      if (key.group) check(*key.group);
    }
  };
  check(scene_schema());
}

// What the table says and what the engine has are the same.
TEST(SceneSchema, DefaultsAreThoseOfTheEngine) {
  const scene::Scene bare = parse_scene("version: 1\n", "bare.yaml");
  const scene::Scene empty = parse_scene(
      "version: 1\ncontact: {penalty: {}}\nmaterials: {default: {}, other: {}}\n", "empty.yaml");
  const contact::ContactOptions engine;
  for (const scene::Scene* scene : {&bare, &empty}) {
    const contact::ContactOptions& read = scene->first.scene.world.contact;
    EXPECT_EQ(read.law, engine.law);
    EXPECT_EQ(read.tolerance, engine.tolerance);
    EXPECT_EQ(read.max_sweeps, engine.max_sweeps);
    EXPECT_EQ(read.facets, engine.facets);
    EXPECT_EQ(read.margin, engine.margin);
    EXPECT_EQ(read.slop, engine.slop);
    EXPECT_EQ(read.correction, engine.correction);
    EXPECT_EQ(read.loop_correction, engine.loop_correction);
    EXPECT_EQ(read.capacity, engine.capacity);
    const contact::PenaltyOptions &p = read.penalty, &e = engine.penalty;
    EXPECT_EQ(p.kp, e.kp);
    EXPECT_EQ(p.kv, e.kv);
    EXPECT_EQ(p.wanted_penetration, e.wanted_penetration);
    EXPECT_EQ(p.saturation, e.saturation);
    EXPECT_EQ(p.stiffness, e.stiffness);
    EXPECT_EQ(p.damping, e.damping);
    EXPECT_EQ(p.hunt_stiffness, e.hunt_stiffness);
    EXPECT_EQ(p.hunt_exponent, e.hunt_exponent);
    EXPECT_EQ(p.hunt_damping, e.hunt_damping);
    EXPECT_EQ(p.tangential_stiffness, e.tangential_stiffness);
    EXPECT_EQ(p.tangential_damping, e.tangential_damping);
    for (const contact::Material& material : scene->first.scene.world.materials.pairs()) {
      EXPECT_EQ(material.friction, contact::Material{}.friction);
      EXPECT_EQ(material.restitution, contact::Material{}.restitution);
      EXPECT_EQ(material.torsion_friction, contact::Material{}.torsion_friction);
      EXPECT_EQ(material.rolling_friction, contact::Material{}.rolling_friction);
    }
    EXPECT_EQ(scene->first.scene.world.gravity[2], -9.81);
  }
  EXPECT_EQ(empty.first.scene.world.materials.size(), 2);
  const SceneGroup* hold = scene_schema().find("robots")->group->find("hold")->group;
  EXPECT_EQ(describe_default(*hold, *hold->find("frequency")), "5");
  EXPECT_EQ(describe_default(*hold, *hold->find("stiffness")), "");
  const SceneGroup* contact = scene_schema().find("contact")->group;
  EXPECT_EQ(describe_default(*contact, *contact->find("tolerance")), "1e-8");
  EXPECT_EQ(describe_default(*contact, *contact->find("law")), "exact");
  EXPECT_EQ(describe_default(scene_schema(), *scene_schema().find("gravity")), "0, 0, -9.81");
}

TEST(SceneSchema, IsASchemaThatEditorsRead) {
  const nlohmann::json schema = nlohmann::json::parse(make_scene_json_schema());
  EXPECT_EQ(schema.at("type"), "object");
  EXPECT_EQ(schema.at("required"), nlohmann::json::array({"version"}));
  EXPECT_TRUE(schema.at("definitions").contains("an-object"));
  // every reference has its definition
  const std::function<void(const nlohmann::json&)> look = [&](const nlohmann::json& node) {
    if (node.is_object() && node.contains("$ref")) {
      const std::string name = node.at("$ref").get<std::string>().substr(14);
      EXPECT_TRUE(schema.at("definitions").contains(name)) << name;
    }
    if (node.is_structured())
      for (const nlohmann::json& child : node) look(child);
  };
  look(schema);
}

}  // namespace
}  // namespace stance::io
