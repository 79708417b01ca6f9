#include "connect/json_document.h"

#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "base/text.h"

namespace postrider::connect {
namespace {

constexpr size_t kDepthMax = 1000;
constexpr size_t kDigitsMax = 1000;
constexpr size_t kNameBytesMax = 50'000;
constexpr size_t kStringBytesMax = 20'000'000;
constexpr size_t kScannedMembersMax = 16;  // objects with more look for repeated names by hash
constexpr size_t kKeptBytes = 1024 * 1024;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

JsonNode MakeInteger(std::string_view text) {
  JsonNode node;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) {
    node.kind = JsonNode::Kind::kBigInteger;
    return node;
  }
  node.kind = value >= INT32_MIN && value <= INT32_MAX ? JsonNode::Kind::kInt : JsonNode::Kind::kLong;
  node.integer = value;
  return node;
}

JsonNode MakeDouble(std::string_view text) {
  JsonNode node;
  node.kind = JsonNode::Kind::kDouble;
  double value = 0;
  static_cast<void>(absl::SimpleAtod(View(text), &value));  // well formed; out of range it is infinite or zero
  node.real = value;
  return node;
}

// \uD800 to \uDBFF without its other half becomes the three bytes that the rest of the program takes for it.
std::string WithLoneSurrogates(std::string_view text) {
  const auto unit_at = [&](size_t at) -> uint32_t {  // of \uXXXX; 0 where there is none
    uint32_t unit = 0;
    if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return 0;
    const char* const end = text.data() + at + 6;
    return std::from_chars(text.data() + at + 2, end, unit, 16).ptr == end ? unit : 0;
  };
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const uint32_t unit = unit_at(at);
    const bool high = unit >= 0xd800 && unit < 0xdc00;
    const uint32_t next = high ? unit_at(at + 6) : 0;
    if (high && (next < 0xdc00 || next > 0xdfff)) {
      result.push_back(static_cast<char>(0xe0 | unit >> 12));
      result.push_back(static_cast<char>(0x80 | (unit >> 6 & 0x3f)));
      result.push_back(static_cast<char>(0x80 | (unit & 0x3f)));
      at += 6;
      continue;
    }
    const size_t size = high ? 12 : text[at] == '\\' ? 2 : 1;
    result.append(text.substr(at, size));
    at += size;
  }
  return result;
}

}  // namespace

// RapidJSON's handler. Open containers' members wait on one stack until their container closes.
class JsonDocument::Builder {
 public:
  void Start(Arena* arena) {
    arena_ = arena;
    if (stack_.capacity() * sizeof(JsonMember) > kKeptBytes) std::vector<JsonMember>().swap(stack_);
    stack_.clear();
    depth_ = 0;
    name_ = {};
  }
  const JsonNode* root() const { return stack_.size() == 1 ? &stack_[0].value : nullptr; }
  rapidjson::Reader& reader() { return reader_; }

  bool Null() { return Push(JsonNode{}); }
  bool Bool(bool value) {
    JsonNode node;
    node.kind = JsonNode::Kind::kBoolean;
    node.integer = value ? 1 : 0;
    return Push(node);
  }
  bool RawNumber(const char* digits, rapidjson::SizeType length, bool) {
    const std::string_view text(digits, length);
    if (std::count_if(text.begin(), text.end(), IsDigit) > static_cast<std::ptrdiff_t>(kDigitsMax)) return false;
    return Push(text.find_first_of(".eE") == std::string_view::npos ? MakeInteger(text) : MakeDouble(text));
  }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    if (length > kStringBytesMax) return false;
    JsonNode node;
    node.kind = JsonNode::Kind::kString;
    node.data = text;
    node.size = length;
    return Push(node);
  }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    name_ = {text, length};
    return length <= kNameBytesMax;
  }
  bool StartObject() { return Open(); }
  bool StartArray() { return Open(); }
  bool EndObject(rapidjson::SizeType count) {
    const std::span<JsonMember> members = Close(count);
    const size_t unique = DropRepeated(members);
    JsonNode node;
    node.kind = JsonNode::Kind::kObject;
    node.data = arena_->CopySpan<JsonMember>(members.first(unique)).data();
    node.size = unique;
    return Finish(count, node);
  }
  bool EndArray(rapidjson::SizeType count) {
    const std::span<JsonMember> members = Close(count);
    std::span<JsonNode> elements = arena_->NewSpan<JsonNode>(count);
    std::transform(members.begin(), members.end(), elements.begin(),
                   [](const JsonMember& member) { return member.value; });
    JsonNode node;
    node.kind = JsonNode::Kind::kArray;
    node.data = elements.data();
    node.size = elements.size();
    return Finish(count, node);
  }
  // With kParseNumbersAsStringsFlag these do not come.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  bool Push(const JsonNode& node) {
    stack_.push_back({.name = name_, .value = node});
    return true;
  }
  // A container takes its place before its members, so that its own name is kept there.
  bool Open() {
    Push(JsonNode{});
    return ++depth_ <= kDepthMax;
  }
  std::span<JsonMember> Close(size_t count) { return {stack_.data() + stack_.size() - count, count}; }
  bool Finish(size_t count, const JsonNode& node) {
    stack_.resize(stack_.size() - count);
    stack_.back().value = node;
    --depth_;
    return true;
  }

  // The last value of a name moves to the place of its first. Returns how many members are left, at the front.
  size_t DropRepeated(std::span<JsonMember> members) {
    if (members.size() > kScannedMembersMax) return DropRepeatedByHash(members);
    size_t kept = 0;
    for (const JsonMember& member : members) {
      size_t first = 0;
      while (first < kept && members[first].name != member.name) ++first;
      members[first] = member;
      kept = std::max(kept, first + 1);
    }
    return kept;
  }
  size_t DropRepeatedByHash(std::span<JsonMember> members) {
    absl::flat_hash_map<std::string_view, size_t> places;
    places.reserve(members.size());
    for (const JsonMember& member : members) {
      const size_t place = places.try_emplace(member.name, places.size()).first->second;
      members[place] = member;
    }
    return places.size();
  }

  rapidjson::Reader reader_;
  Arena* arena_ = nullptr;
  std::vector<JsonMember> stack_;
  std::string_view name_;
  size_t depth_ = 0;
};

JsonDocument::JsonDocument() : builder_(std::make_unique<Builder>()) {}
JsonDocument::~JsonDocument() = default;

const JsonNode* JsonDocument::Parse(std::string_view text, Arena& arena) {
  if (!text.starts_with('{') && !text.starts_with('[')) return nullptr;
  if (text_.capacity() > kKeptBytes) std::string().swap(text_);

  constexpr unsigned kFlags =
      rapidjson::kParseInsituFlag | rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseNumbersAsStringsFlag;
  const auto parse = [&] {
    builder_->Start(&arena);
    rapidjson::InsituStringStream stream(text_.data());
    return builder_->reader().Parse<kFlags>(stream, *builder_);
  };
  text_.assign(text);
  rapidjson::ParseResult result = parse();
  if (result.Code() == rapidjson::kParseErrorStringUnicodeSurrogateInvalid) {
    text_ = WithLoneSurrogates(text);
    result = parse();
  }
  return result.IsError() ? nullptr : builder_->root();
}

}  // namespace postrider::connect
