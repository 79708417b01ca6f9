#include "config/connect_json.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "config/text.h"
#include "rapidjson/error/en.h"
#include "rapidjson/memorystream.h"
#include "rapidjson/reader.h"

namespace postrider::config {
namespace {

// "line N, column M" of a byte. Counts on from the last call, so that asking for rising offsets stays linear.
class Position {
 public:
  explicit Position(std::string_view text) : text_(text) {}
  int Line(size_t offset) {
    offset = std::min(offset, text_.size());
    for (; counted_ < offset; ++counted_) {
      if (text_[counted_] != '\n') continue;
      ++line_;
      line_begin_ = counted_ + 1;
    }
    return line_;
  }
  std::string Text(size_t offset) {
    const int line = Line(offset);
    return Cat("line ", line, ", column ", std::min(offset, text_.size()) - line_begin_ + 1);
  }

 private:
  std::string_view text_;
  size_t counted_ = 0, line_begin_ = 0;
  int line_ = 1;
};

// Takes the members of the two objects that count (the root, and "config" in it) and steps over what else GET answers.
class Handler {
 public:
  Handler(std::string_view text, const rapidjson::MemoryStream& stream) : position_(text), stream_(stream) {}

  bool Key(const char* text, rapidjson::SizeType size, bool) {
    key_.assign(text, size);
    key_line_ = position_.Line(stream_.Tell());
    if (key_.find('\0') != std::string::npos) return Fail("a key with a NUL");
    return true;
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    const std::string_view value(text, size);
    if (value.find('\0') != std::string_view::npos) return Fail(Cat("the value of ", key_, " holds a NUL"));
    return Value(value);
  }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) { return Value({text, size}); }
  bool Bool(bool value) { return Value(value ? "true" : "false"); }
  bool Null() { return depth_ > 0 || Fail("a JSON object is expected"); }
  bool StartObject() {
    if (depth_ == 1 && skip_depth_ == 0) {
      if (key_ != "config")
        return Fail(Cat(key_, " is an object: only \"config\" may be one, as in Connect's POST and GET"));
      in_config_ = wrapped_ = true;
    } else if (depth_ > 1 && skip_depth_ == 0) {
      return Fail(Cat(key_, " is an object: a setting is text, a number, true or false"));
    }
    ++depth_;
    return true;
  }
  bool EndObject(rapidjson::SizeType) { return End(); }
  bool StartArray() {
    if (depth_ == 0) return Fail("a JSON object is expected, not a list");
    if (skip_depth_ == 0) {
      if (in_config_ || key_ != "tasks") return Fail(Cat(key_, " is a list: write it as one text with commas"));
      skip_depth_ = depth_;
    }
    ++depth_;
    return true;
  }
  bool EndArray(rapidjson::SizeType) { return End(); }
  // With kParseNumbersAsStringsFlag these never come.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

  const std::string& error() const { return error_; }
  Position& position() { return position_; }

  absl::StatusOr<std::vector<Entry>> Finish() {
    if (!wrapped_) return std::move(root_);
    for (const Entry& entry : root_) {
      if (entry.key == "name") {
        const bool given = std::any_of(config_.begin(), config_.end(), [](const Entry& e) { return e.key == "name"; });
        if (!given) config_.push_back(entry);
      } else if (entry.key != "type" && entry.key != "initial_state") {
        return absl::InvalidArgumentError(
            Cat("line ", entry.line, ", column 1: ", entry.key, " beside \"config\": settings belong into \"config\""));
      }
    }
    return std::move(config_);
  }

 private:
  bool Fail(std::string_view what) {
    error_ = Cat(position_.Text(stream_.Tell()), ": ", what);
    return false;
  }
  bool Value(std::string_view value) {
    if (depth_ == 0) return Fail("a JSON object is expected");
    if (skip_depth_ > 0) return true;
    if (value.size() > kLogicalLineBytesMax) return Fail(Cat(key_, " is longer than ", kLogicalLineBytesMax, " bytes"));
    std::vector<Entry>& target = in_config_ ? config_ : root_;
    if (target.size() == kEntriesMax) return Fail(Cat("more than ", kEntriesMax, " settings"));
    target.push_back({key_, std::string(value), key_line_});
    return true;
  }
  bool End() {
    --depth_;
    if (skip_depth_ == depth_) skip_depth_ = 0;
    if (depth_ == 1) in_config_ = false;
    return true;
  }

  Position position_;
  const rapidjson::MemoryStream& stream_;
  int depth_ = 0;
  int skip_depth_ = 0;  // the depth that "tasks" is in while its list is stepped over; 0: none
  bool in_config_ = false;
  bool wrapped_ = false;
  std::string key_;
  int key_line_ = 1;
  std::vector<Entry> root_, config_;
  std::string error_;
};

}  // namespace

absl::StatusOr<std::vector<Entry>> ParseConnectJson(std::string_view text) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  Handler handler(text, stream);
  rapidjson::Reader reader;
  constexpr unsigned kFlags =
      rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  if (!handler.error().empty()) return absl::InvalidArgumentError(handler.error());
  if (result.IsError()) {
    Position position(text);
    return absl::InvalidArgumentError(
        Cat(position.Text(result.Offset()), ": not JSON: ", rapidjson::GetParseError_En(result.Code())));
  }
  return handler.Finish();
}

}  // namespace postrider::config
