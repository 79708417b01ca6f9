#include "connect/inference.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace postrider::connect {
namespace {

using Kind = JsonNode::Kind;

// With their JSON (Schema::json), since they are most of what is written.
constexpr Schema kString{.type = Type::kString, .optional = true, .json = R"({"type":"string","optional":true)"};
constexpr Schema kBoolean{.type = Type::kBoolean, .optional = true, .json = R"({"type":"boolean","optional":true)"};
constexpr Schema kInt32{.type = Type::kInt32, .optional = true, .json = R"({"type":"int32","optional":true)"};
constexpr Schema kInt64{.type = Type::kInt64, .optional = true, .json = R"({"type":"int64","optional":true)"};
constexpr Schema kFloat64{.type = Type::kFloat64, .optional = true, .json = R"({"type":"double","optional":true)"};
constexpr Schema kBytes{.type = Type::kBytes, .optional = true, .json = R"({"type":"bytes","optional":true)"};

constexpr size_t kScannedFieldsMax = 16;  // structs with more look for names by hash

bool IsBlank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
}

bool IsNumber(Kind kind) {
  return kind == Kind::kInt || kind == Kind::kLong || kind == Kind::kBigInteger || kind == Kind::kDouble;
}

const Schema* NumberSchema(Kind kind) {
  if (kind == Kind::kInt) return &kInt32;
  return kind == Kind::kLong ? &kInt64 : &kFloat64;
}

// The first element that is not null; nullptr where an array mixes types of JSON or of numbers.
const JsonNode* SampleOf(std::span<const JsonNode> elements) {
  const JsonNode* sample = &elements[0];
  for (const JsonNode& element : elements) {
    if (element.kind == Kind::kNull) continue;
    if (sample->kind == Kind::kNull) sample = &element;
    const bool numbers = IsNumber(element.kind) && IsNumber(sample->kind);
    if (numbers ? NumberSchema(element.kind) != NumberSchema(sample->kind) : element.kind != sample->kind)
      return nullptr;
  }
  return sample;
}

bool Equal(const Schema* left, const Schema* right) {
  if (left == right) return true;
  if (left == nullptr || right == nullptr || left->type != right->type || left->optional != right->optional ||
      left->name != right->name || !Equal(left->element, right->element)) {
    return false;
  }
  return std::equal(left->fields.begin(), left->fields.end(), right->fields.begin(), right->fields.end(),
                    [](const Field& a, const Field& b) { return a.name == b.name && Equal(a.schema, b.schema); });
}

// The fields of several structs: each name once, at its first place.
class FieldUnion {
 public:
  explicit FieldUnion(std::span<const Field> fields) : fields_(fields.begin(), fields.end()) {}

  void Add(std::span<const Field> fields) {
    size_t hint = 0;
    for (const Field& field : fields) {
      Field* const same = Find(field.name, hint);
      if (same == nullptr) {
        if (!places_.empty()) places_.emplace(field.name, fields_.size());
        fields_.push_back(field);
      } else if (same->schema->type == Type::kBytes && field.schema->type != Type::kBytes) {
        same->schema = field.schema;  // the placeholder of a null gives way
      }
    }
  }
  const std::vector<Field>& fields() const { return fields_; }

 private:
  // `hint`: where the search begins; it moves on, since fields mostly come in the same order.
  Field* Find(std::string_view name, size_t& hint) {
    if (hint < fields_.size() && fields_[hint].name == name) return &fields_[hint++];
    if (fields_.size() > kScannedFieldsMax) return FindByHash(name);
    for (size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i].name != name) continue;
      hint = i + 1;
      return &fields_[i];
    }
    return nullptr;
  }
  Field* FindByHash(std::string_view name) {
    if (places_.empty()) {
      for (size_t i = 0; i < fields_.size(); ++i) places_.emplace(fields_[i].name, i);
    }
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &fields_[found->second];
  }

  std::vector<Field> fields_;
  absl::flat_hash_map<std::string_view, size_t> places_;  // empty until it is needed
};

// Mostly it is the very same view, since schemas take their names from the document.
bool IsSame(std::string_view left, std::string_view right) {
  return left.size() == right.size() && (left.data() == right.data() || left == right);
}

// Looks members up by name, mostly in their order.
class MemberFinder {
 public:
  explicit MemberFinder(std::span<const JsonMember> members) : members_(members) {}

  const JsonMember* Find(std::string_view name) {
    for (size_t skipped = 0; skipped < 2 && hint_ + skipped < members_.size(); ++skipped) {
      if (!IsSame(members_[hint_ + skipped].name, name)) continue;
      hint_ += skipped + 1;
      return &members_[hint_ - 1];
    }
    if (members_.size() > kScannedFieldsMax) return FindByHash(name);
    for (size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].name != name) continue;
      hint_ = i + 1;
      return &members_[i];
    }
    return nullptr;
  }

 private:
  const JsonMember* FindByHash(std::string_view name) {
    if (places_.empty()) {
      for (const JsonMember& member : members_) places_.emplace(member.name, &member);
    }
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : found->second;
  }

  std::span<const JsonMember> members_;
  size_t hint_ = 0;
  absl::flat_hash_map<std::string_view, const JsonMember*> places_;
};

bool SetList(std::span<const JsonNode> elements, const Schema& schema, Arena& arena, Value& value) {
  std::span<Value> items = arena.NewSpan<Value>(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!SetValue(elements[i], *schema.element, arena, items[i])) return false;
  }
  value = Value::List(items);
  return true;
}

bool SetStruct(std::span<const JsonMember> members, const Schema& schema, Arena& arena, Value& value) {
  std::span<Value> items = arena.NewSpan<Value>(schema.fields.size());
  MemberFinder finder(members);
  for (size_t i = 0; i < items.size(); ++i) {
    const JsonMember* const member = finder.Find(schema.fields[i].name);
    if (member != nullptr && !SetValue(member->value, *schema.fields[i].schema, arena, items[i])) return false;
  }
  value = Value::Struct(items);
  return true;
}

}  // namespace

const Schema* Inference::Fail() {
  failed_ = true;
  return nullptr;
}

const Schema* Inference::SchemaOf(const JsonNode& node) {
  switch (node.kind) {
    case Kind::kNull:
      return nulls_as_optional_bytes_ ? &kBytes : nullptr;
    case Kind::kBoolean:
      return &kBoolean;
    case Kind::kInt:
    case Kind::kLong:
    case Kind::kBigInteger:
    case Kind::kDouble:
      return NumberSchema(node.kind);
    case Kind::kString:
      return &kString;
    case Kind::kObject:
      return StructOf(node.members());
    case Kind::kArray:
      break;
  }
  if (node.elements().empty()) return nullptr;
  const Schema* const element = ElementOf(node.elements());
  if (element == nullptr) return nullptr;
  return arena_.New(Schema{.type = Type::kArray, .optional = true, .element = element});
}

const Schema* Inference::StructOf(std::span<const JsonMember> members) {
  std::span<Field> fields = arena_.NewSpan<Field>(members.size());
  size_t size = 0;
  for (const JsonMember& member : members) {
    const Schema* const schema = MemberOf(member);
    if (failed_) return nullptr;
    if (schema == nullptr) continue;
    if (member.name.empty()) return Fail();  // SchemaBuilder refuses a field without a name
    fields[size++] = {.name = member.name, .schema = schema, .in_quotes = member.name_in_quotes};
  }
  return arena_.New(
      Schema{.type = Type::kStruct, .optional = true, .name = arena_.Copy(path_), .fields = fields.first(size)});
}

const Schema* Inference::MemberOf(const JsonMember& member) {
  if (member.value.kind != Kind::kObject && member.value.kind != Kind::kArray) return SchemaOf(member.value);
  if (!path_.empty() && IsBlank(path_)) {  // a blank name is not carried on
    const std::string outer = std::exchange(path_, std::string(member.name));
    const Schema* const schema = SchemaOf(member.value);
    path_ = outer;
    return schema;
  }
  const size_t outer_size = path_.size();
  if (!path_.empty()) path_.push_back('.');
  path_.append(member.name);
  const Schema* const schema = SchemaOf(member.value);
  path_.resize(outer_size);
  return schema;
}

const Schema* Inference::ElementOf(std::span<const JsonNode> elements) {
  const JsonNode* const sample = SampleOf(elements);
  if (sample == nullptr) return Fail();
  if (sample->kind == Kind::kObject) return MergedStructOf(elements);
  const Schema* const schema = WithoutPath(*sample);
  return schema == nullptr ? Fail() : schema;
}

// Arrays within arrays: names begin anew.
const Schema* Inference::WithoutPath(const JsonNode& node) {
  std::string outer;
  outer.swap(path_);
  const Schema* const schema = SchemaOf(node);
  path_.swap(outer);
  return schema;
}

// Of one shape: that. Of several: all their fields, and the struct is no longer optional (SchemaUtil.copySchemaBasics).
const Schema* Inference::MergedStructOf(std::span<const JsonNode> elements) {
  const Schema* first = nullptr;
  std::optional<FieldUnion> merged;
  for (const JsonNode& element : elements) {
    if (element.kind != Kind::kObject) continue;
    const Schema* const schema = StructOf(element.members());
    if (failed_) return nullptr;
    if (first == nullptr) first = schema;
    if (Equal(first, schema)) continue;
    if (!merged) merged.emplace(first->fields);
    merged->Add(schema->fields);
  }
  if (!merged) return first;
  return arena_.New(Schema{
      .type = Type::kStruct, .name = first->name, .fields = arena_.CopySpan(std::span<const Field>(merged->fields()))});
}

bool SetValue(const JsonNode& node, const Schema& schema, Arena& arena, Value& value) {
  switch (node.kind) {
    case Kind::kNull:
      return schema.optional;
    case Kind::kBoolean:
      value = Value::Boolean(node.integer != 0);
      return schema.type == Type::kBoolean;
    case Kind::kInt:
      value = Value::Integer(node.integer);
      return schema.type == Type::kInt32;
    case Kind::kLong:
      value = Value::Integer(node.integer);
      return schema.type == Type::kInt64;
    case Kind::kBigInteger:  // a BigDecimal to Connect, which no inferred schema has
      return false;
    case Kind::kDouble:
      value = Value::Double(node.real);
      return schema.type == Type::kFloat64;
    case Kind::kString:
      value = Value::String(node.text());
      value.in_quotes = node.in_quotes;
      return schema.type == Type::kString;
    case Kind::kArray:
      return schema.type == Type::kArray && SetList(node.elements(), schema, arena, value);
    case Kind::kObject:
      return schema.type == Type::kStruct && SetStruct(node.members(), schema, arena, value);
  }
  return false;
}

}  // namespace postrider::connect
