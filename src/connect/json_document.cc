#include "connect/json_document.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "base/text.h"
#include "connect/byte_scan.h"

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

// What ends a run of plain characters in a string: the quote, an escape, a control character.
constexpr std::array<bool, 256> MakeStops() {
  std::array<bool, 256> stops{};
  for (size_t i = 0; i < 0x20; ++i) stops[i] = true;
  stops['"'] = true;
  stops['\\'] = true;
  return stops;
}
constexpr std::array<bool, 256> kStops = MakeStops();

// A number's text and what was read of it on the way.
struct Number {
  std::string_view text;
  uint64_t digits_value = 0;  // all digits without point and exponent; wrapped where there are too many
  size_t digits = 0;
  size_t fraction_digits = 0;
  bool has_exponent = false;
};

JsonNode MakeInteger(const Number& number) {
  constexpr size_t kExactDigitsMax = 18;
  JsonNode node;
  int64_t value = 0;
  if (number.digits <= kExactDigitsMax) {
    value = static_cast<int64_t>(number.digits_value);
    if (number.text.front() == '-') value = -value;
  } else if (std::from_chars(number.text.data(), number.text.data() + number.text.size(), value).ec != std::errc()) {
    node.kind = JsonNode::Kind::kBigInteger;
    return node;
  }
  node.kind = value >= INT32_MIN && value <= INT32_MAX ? JsonNode::Kind::kInt : JsonNode::Kind::kLong;
  node.integer = value;
  return node;
}

JsonNode MakeDouble(const Number& number) {
  constexpr double kPowers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  JsonNode node;
  node.kind = JsonNode::Kind::kDouble;
  double value = 0;
  if (!number.has_exponent && number.digits < std::size(kPowers)) {
    // Both are exact, so their quotient is the nearest double.
    value = static_cast<double>(number.digits_value) / kPowers[number.fraction_digits];
    if (number.text.front() == '-') value = -value;
  } else {
    static_cast<void>(absl::SimpleAtod(View(number.text), &value));  // out of range it is infinite or zero
  }
  node.real = value;
  return node;
}

JsonNode MakeBoolean(bool value) {
  JsonNode node;
  node.kind = JsonNode::Kind::kBoolean;
  node.integer = value ? 1 : 0;
  return node;
}

template <typename T>
JsonNode MakeNode(JsonNode::Kind kind, const T& data) {
  JsonNode node;
  node.kind = kind;
  node.data = data.data();
  node.size = data.size();
  return node;
}

// `unit` as UTF-8 would have it, surrogates too.
char* AppendCodePoint(uint32_t point, char* out) {
  const auto put = [&out](uint32_t byte) { *out++ = static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xc0 | point >> 6);
    put(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    put(0xe0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  } else {
    put(0xf0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3f));
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  }
  return out;
}

// The last value of a name moves to the place of its first. Returns how many members are left, at the front.
size_t DropRepeatedByHash(std::span<JsonMember> members) {
  absl::flat_hash_map<std::string_view, size_t> places;
  places.reserve(members.size());
  for (const JsonMember& member : members) {
    const size_t place = places.try_emplace(member.name, places.size()).first->second;
    members[place] = member;
  }
  return places.size();
}
size_t DropRepeated(std::span<JsonMember> members) {
  if (members.size() > kScannedMembersMax) return DropRepeatedByHash(members);
  size_t kept = 0;
  for (const JsonMember& member : members) {
    size_t place = 0;
    while (place < kept && members[place].name != member.name) ++place;
    members[place] = member;
    kept = std::max(kept, place + 1);
  }
  return kept;
}

// Reads one value from the left. False: no JSON, and reading ends.
class Reader {
 public:
  Reader(std::string_view text, std::vector<JsonMember>& stack, Arena& arena)
      : at_(text.data()), end_(at_ + text.size()), stack_(stack), arena_(arena) {}

  bool ReadValue(JsonNode& node) {
    SkipBlanks();
    if (at_ == end_) return false;
    switch (*at_) {
      case '{':
        return ReadObject(node);
      case '[':
        return ReadArray(node);
      case '"': {
        std::string_view text;
        bool in_quotes = false;
        if (!ReadString(kStringBytesMax, text, in_quotes)) return false;
        node = MakeNode(JsonNode::Kind::kString, text);
        node.in_quotes = in_quotes;
        return true;
      }
      case 't':
        node = MakeBoolean(true);
        return Accept("true");
      case 'f':
        node = MakeBoolean(false);
        return Accept("false");
      case 'n':
        node = JsonNode{};
        return Accept("null");
      default:
        return ReadNumber(node);
    }
  }

 private:
  void SkipBlanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  }
  bool Accept(char c) {
    SkipBlanks();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  bool Accept(std::string_view word) {
    if (!std::string_view(at_, static_cast<size_t>(end_ - at_)).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  bool ReadObject(JsonNode& node) {
    ++at_;
    const size_t start = stack_.size();
    if (++depth_ > kDepthMax) return false;
    if (!Accept('}')) {
      do {
        JsonMember member;
        SkipBlanks();
        if (at_ == end_ || *at_ != '"' || !ReadString(kNameBytesMax, member.name, member.name_in_quotes)) return false;
        if (!Accept(':') || !ReadValue(member.value)) return false;
        stack_.push_back(member);
      } while (Accept(','));
      if (!Accept('}')) return false;
    }
    --depth_;
    const std::span<JsonMember> members = std::span(stack_).subspan(start);
    const std::span<const JsonMember> unique = members.first(DropRepeated(members));
    node = MakeNode(JsonNode::Kind::kObject, arena_.CopySpan(unique));
    stack_.resize(start);
    return true;
  }

  bool ReadArray(JsonNode& node) {
    ++at_;
    const size_t start = stack_.size();
    if (++depth_ > kDepthMax) return false;
    if (!Accept(']')) {
      do {
        JsonMember element;
        if (!ReadValue(element.value)) return false;
        stack_.push_back(element);
      } while (Accept(','));
      if (!Accept(']')) return false;
    }
    --depth_;
    const std::span<const JsonMember> members = std::span(stack_).subspan(start);
    std::span<JsonNode> elements = arena_.NewSpan<JsonNode>(members.size());
    std::transform(members.begin(), members.end(), elements.begin(),
                   [](const JsonMember& member) { return member.value; });
    node = MakeNode(JsonNode::Kind::kArray, elements);
    stack_.resize(start);
    return true;
  }

  // At the quote. Without escapes the text stays where it is.
  bool ReadString(size_t bytes_max, std::string_view& text, bool& in_quotes) {
    const char* const start = ++at_;
    const bool ascii = SkipPlain();
    if (at_ == end_) return false;
    if (*at_ == '"') {
      text = {start, static_cast<size_t>(at_ - start)};
      in_quotes = ascii;
    } else if (*at_ != '\\' || !ReadEscaped(start, text)) {
      return false;
    }
    ++at_;
    return text.size() <= bytes_max;
  }
  // To the next quote, backslash or control character. True where all on the way was ASCII.
  bool SkipPlain() {
    uint64_t high = 0;
    while (static_cast<size_t>(end_ - at_) >= kWordBytes) {
      const uint64_t word = LoadWord(at_);
      const uint64_t marks = FirstSpecial(word);
      if (marks != 0) {
        at_ += BytesBefore(marks);
        return ((high | (word & (marks - 1) & ~marks)) & kHighBits) == 0;
      }
      high |= word;
      at_ += kWordBytes;
    }
    for (; at_ != end_ && !kStops[static_cast<uint8_t>(*at_)]; ++at_) high |= static_cast<uint8_t>(*at_);
    return (high & kHighBits) == 0;
  }
  // The rest of a string that began at `start` and has an escape at at_. Stops at the closing quote.
  bool ReadEscaped(const char* start, std::string_view& text) {
    const char* close = at_;
    while (close != end_ && *close != '"') close += *close == '\\' && close + 1 != end_ ? 2 : 1;
    if (close == end_) return false;
    const std::span<char> room = arena_.NewBytes(static_cast<size_t>(close - start));
    char* out = std::copy(start, at_, room.data());
    while (at_ != close) {
      if (!kStops[static_cast<uint8_t>(*at_)]) {
        *out++ = *at_++;
      } else if (*at_ != '\\' || !ReadEscape(out)) {
        return false;
      }
    }
    text = {room.data(), static_cast<size_t>(out - room.data())};
    return true;
  }
  // An escape is never shorter than what it stands for.
  bool ReadEscape(char*& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const char letter = at_[1];
    if (letter == 'u') {
      uint32_t point = 0;
      if (!ReadUnit(at_, point)) return false;
      at_ += 6;
      uint32_t low = 0;
      if (point >= 0xd800 && point < 0xdc00 && ReadUnit(at_, low) && low >= 0xdc00 && low < 0xe000) {
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
        at_ += 6;
      }
      out = AppendCodePoint(point, out);
      return true;
    }
    const size_t index = kLetters.find(letter);
    if (index == std::string_view::npos) return false;
    *out++ = kMeanings[index];
    at_ += 2;
    return true;
  }
  bool ReadUnit(const char* from, uint32_t& unit) const {
    if (end_ - from < 6 || from[0] != '\\' || from[1] != 'u') return false;
    const auto [stop, error] = std::from_chars(from + 2, from + 6, unit, 16);
    return error == std::errc() && stop == from + 6;
  }

  // How many digits there are.
  size_t ReadDigits(uint64_t& value) {
    const char* const start = at_;
    for (; at_ != end_ && IsDigit(*at_); ++at_) value = value * 10 + static_cast<uint64_t>(*at_ - '0');
    return static_cast<size_t>(at_ - start);
  }
  bool ReadNumber(JsonNode& node) {
    const char* const start = at_;
    if (*at_ == '-') ++at_;
    const bool zero = at_ != end_ && *at_ == '0';
    Number number;
    number.digits = ReadDigits(number.digits_value);
    if (number.digits == 0 || (zero && number.digits > 1)) return false;
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      number.fraction_digits = ReadDigits(number.digits_value);
      if (number.fraction_digits == 0) return false;
      number.digits += number.fraction_digits;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      uint64_t exponent = 0;
      const size_t digits = ReadDigits(exponent);
      if (digits == 0) return false;
      number.digits += digits;
      number.has_exponent = true;
    }
    number.text = {start, static_cast<size_t>(at_ - start)};
    node = number.fraction_digits == 0 && !number.has_exponent ? MakeInteger(number) : MakeDouble(number);
    return number.digits <= kDigitsMax;
  }

  const char* at_;
  const char* const end_;
  std::vector<JsonMember>& stack_;
  Arena& arena_;
  size_t depth_ = 0;
};

}  // namespace

const JsonNode* JsonDocument::Parse(std::string_view text, Arena& arena) {
  if (!text.starts_with('{') && !text.starts_with('[')) return nullptr;
  if (stack_.capacity() * sizeof(JsonMember) > kKeptBytes) std::vector<JsonMember>().swap(stack_);
  stack_.clear();
  JsonNode root;
  return Reader(text, stack_, arena).ReadValue(root) ? arena.New(root) : nullptr;
}

}  // namespace postrider::connect
