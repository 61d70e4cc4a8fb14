#include "stance/scene/edit_bytes.h"

#include <array>

#include "stance/scene/numbers.h"

namespace stance::scene {
namespace {

using kernel::append;
using kernel::append_text;
using kernel::ByteReader;
using Out = std::vector<std::byte>;

enum class Kind : std::uint32_t { kAdd, kRemove, kGravity, kLaw };

[[noreturn]] void fail(const std::string& what) { throw Error("an edit of the scene " + what); }

std::uint32_t count_of(std::size_t size) { return static_cast<std::uint32_t>(size); }

// ---- structs by their keys: NAME, then parts or values; an empty name ends them
// ------------------

void append_group(const SceneGroup& group, const void* owner, Out& out) {
  for (const SceneKey& key : group.keys) {
    if (key.group) {
      const std::size_t count = key.field.count(owner);
      if (count == 0) continue;
      append_text(key.name, out), append(count_of(count), out);
      for (std::size_t k = 0; k < count; ++k) {
        append_text(key.field.name ? *key.field.name(owner, k) : std::string(), out);
        append_group(*key.group, key.field.part(owner, k), out);
      }
      continue;
    }
    FieldValue value;
    if (!key.field.get || !key.field.get(owner, value)) continue;
    append_text(key.name, out);
    append(count_of(value.numbers.size()), out);
    for (const double number : value.numbers) append(number, out);
    append(count_of(value.texts.size()), out);
    for (const std::string& text : value.texts) append_text(text, out);
  }
  append_text("", out);
}

// What a value of this key looks like, where that is fixed.
void check_value(const SceneKey& key, const FieldValue& value) {
  std::size_t numbers = 0, texts = 0;
  switch (key.kind) {
    case ValueKind::kNumber:
    case ValueKind::kInteger:
    case ValueKind::kFlag:
    case ValueKind::kChoice: numbers = 1; break;
    case ValueKind::kVector: numbers = static_cast<std::size_t>(key.count); break;
    case ValueKind::kName:
    case ValueKind::kText:
    case ValueKind::kPath:
    case ValueKind::kFormula: texts = 1; break;
    default: return;
  }
  bool fits = value.numbers.size() == numbers && value.texts.size() == texts;
  for (const double number : value.numbers) fits = fits && find_fault(key, number).empty();
  if (key.kind == ValueKind::kChoice)
    fits = fits && value.numbers[0] >= 0.0 &&
           value.numbers[0] < static_cast<double>(key.choices().size());
  if (!fits) fail("is damaged: '" + std::string(key.name) + "'");
}

void take_group(ByteReader& in, const SceneGroup& group, void* owner) {
  for (;;) {
    const std::string_view name = in.take_text();
    if (name.empty()) return;
    const SceneKey* key = group.find(name);
    if (!key) fail("has a key that this program does not know, '" + std::string(name) + "'");
    if (key->group) {
      const auto count = in.take<std::uint32_t>();
      for (std::uint32_t k = 0; k < count; ++k) {
        const std::string part(in.take_text());
        take_group(in, *key->group, key->field.open(owner, part));
      }
      continue;
    }
    FieldValue value;
    for (auto count = in.take<std::uint32_t>(); count > 0; --count)
      value.numbers.push_back(in.take<double>());
    for (auto count = in.take<std::uint32_t>(); count > 0; --count)
      value.texts.emplace_back(in.take_text());
    if (!key->field.set) fail("has the key '" + std::string(name) + "', which only texts have");
    check_value(*key, value);
    key->field.set(owner, value);
  }
}

const SceneGroup& object_group() { return *scene_schema().find("objects")->group; }

void append_kind(Kind kind, Out& out) { append(static_cast<std::uint32_t>(kind), out); }

struct Append {
  Out& out;

  void operator()(const AddObjects& add) const {
    append_kind(Kind::kAdd, out);
    append_text(add.name, out), append(count_of(add.objects.size()), out);
    for (const ObjectSpec& object : add.objects) {
      append_text(object.name, out);
      append_group(object_group(), &object, out);
    }
  }
  void operator()(const RemoveObject& remove) const {
    append_kind(Kind::kRemove, out), append_text(remove.name, out);
  }
  void operator()(const SetGravity& set) const {
    append_kind(Kind::kGravity, out);
    for (int k = 0; k < 3; ++k) append(set.gravity[k], out);
  }
  void operator()(const SetLaw& set) const {
    append_kind(Kind::kLaw, out);
    append_text(contact::contact_law_names()[static_cast<std::size_t>(set.law)], out);
  }
};

AddObjects take_objects(ByteReader& in) {
  AddObjects out{std::string(in.take_text()), {}};
  for (auto count = in.take<std::uint32_t>(); count > 0; --count) {
    ObjectSpec& object = out.objects.emplace_back();
    object.name = in.take_text();
    take_group(in, object_group(), &object);
  }
  return out;
}

}  // namespace

void append_edit(const Edit& edit, std::vector<std::byte>& out) { std::visit(Append{out}, edit); }

Edit take_edit(ByteReader& in) {
  switch (static_cast<Kind>(in.take<std::uint32_t>())) {
    case Kind::kAdd: return take_objects(in);
    case Kind::kRemove: return RemoveObject{std::string(in.take_text())};
    case Kind::kGravity: {
      const auto g = in.take<std::array<double, 3>>();
      return SetGravity{{g[0], g[1], g[2]}};
    }
    case Kind::kLaw: {
      const std::string_view name = in.take_text();
      if (const auto law = contact::find_contact_law(name)) return SetLaw{*law};
      fail("sets a law of contact that this program does not know, '" + std::string(name) + "'");
    }
  }
  fail("is of a kind that this program does not know");
}

}  // namespace stance::scene
