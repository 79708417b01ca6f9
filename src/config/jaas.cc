#include "config/jaas.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "config/text.h"

namespace postrider::config {
namespace {

struct Token {
  enum class Kind { kEnd, kWord, kQuoted, kNumber, kSign };
  Kind kind = Kind::kEnd;
  std::string text;

  bool IsText() const { return kind == Kind::kWord || kind == Kind::kQuoted; }
  bool IsSign(char c) const { return kind == Kind::kSign && text[0] == c; }
};

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsWordBegin(char c) {
  return absl::ascii_isalpha(c) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}
bool IsWordPart(char c) {
  return IsWordBegin(c) || IsDigit(c) || c == '.' || c == '-';
}

// Java's StreamTokenizer with Kafka's settings.
class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  absl::StatusOr<Token> Next() {
    SkipBlanksAndComments();
    if (pos_ == text_.size()) return Token{};
    const char c = text_[pos_];
    if (c == '"' || c == '\'') return Quoted(c);
    if (IsWordBegin(c)) return Take(Token::Kind::kWord, IsWordPart);
    if (IsDigit(c) || c == '.') return Take(Token::Kind::kNumber, [](char d) { return IsDigit(d) || d == '.'; });
    ++pos_;
    return Token{Token::Kind::kSign, std::string(1, c)};
  }

 private:
  void SkipBlanksAndComments() {
    for (; pos_ < text_.size(); ++pos_) {
      if (static_cast<unsigned char>(text_[pos_]) <= ' ') continue;
      if (text_[pos_] != '/') return;
      // A single slash begins a comment as well: that is how Java's tokenizer comes.
      const bool block = text_.substr(pos_, 2) == "/*";
      const size_t end = block ? text_.find("*/", pos_ + 2) : text_.find_first_of("\r\n", pos_);
      if (end == std::string_view::npos) {
        pos_ = text_.size();
        return;
      }
      pos_ = block ? end + 1 : end;
    }
  }

  template <typename Predicate>
  Token Take(Token::Kind kind, Predicate belongs) {
    const size_t begin = pos_;
    while (pos_ < text_.size() && belongs(text_[pos_])) ++pos_;
    return {kind, std::string(text_.substr(begin, pos_ - begin))};
  }

  absl::StatusOr<Token> Quoted(char quote) {
    Token token{Token::Kind::kQuoted, ""};
    for (++pos_; pos_ < text_.size() && text_[pos_] != '\n' && text_[pos_] != '\r'; ++pos_) {
      if (text_[pos_] == quote) {
        ++pos_;
        return token;
      }
      if (text_[pos_] == '\\' && pos_ + 1 < text_.size()) {
        ++pos_;
        token.text.push_back(Escape());
      } else {
        token.text.push_back(text_[pos_]);
      }
    }
    return absl::InvalidArgumentError("a quote is not closed");
  }

  // The character after a backslash; leaves pos_ on its last byte.
  char Escape() {
    constexpr std::string_view kNames = "abfnrtv", kValues = "\a\b\f\n\r\t\v";
    const char c = text_[pos_];
    if (const size_t named = kNames.find(c); named != std::string_view::npos) return kValues[named];
    if (c < '0' || c > '7') return c;
    const size_t digits_max = c <= '3' ? 3 : 2;
    int value = c - '0';
    for (size_t n = 1; n < digits_max && pos_ + 1 < text_.size() && text_[pos_ + 1] >= '0' && text_[pos_ + 1] <= '7';
         ++n)
      value = value * 8 + (text_[++pos_] - '0');
    return static_cast<char>(value);
  }

  std::string_view text_;
  size_t pos_ = 0;
};

bool IsFlag(std::string_view word) {
  constexpr std::string_view kFlags[] = {"required", "requisite", "sufficient", "optional"};
  return std::any_of(std::begin(kFlags), std::end(kFlags),
                     [word](std::string_view f) { return EqualsIgnoreCase(f, word); });
}

absl::Status ValueMissing(size_t option) {
  return absl::InvalidArgumentError(Cat("option number ", option,
                                        " is not name=\"value\" (a value that begins with a digit "
                                        "or holds a slash must be quoted)"));
}

// One entry whose module was read already.
absl::StatusOr<JaasEntry> ParseEntry(Tokenizer& tokens, std::string module) {
  JaasEntry entry;
  entry.module = std::move(module);
  absl::StatusOr<Token> token = tokens.Next();
  if (!token.ok()) return token.status();
  if (!token->IsText() || !IsFlag(token->text))
    return absl::InvalidArgumentError("after the module's class comes required, requisite, sufficient or optional");
  for (;;) {
    absl::StatusOr<Token> name = tokens.Next();
    if (!name.ok()) return name.status();
    if (name->IsSign(';')) return entry;
    if (name->kind == Token::Kind::kEnd) return absl::InvalidArgumentError("a semicolon is missing at its end");
    const absl::StatusOr<Token> equals = tokens.Next();
    if (!equals.ok()) return equals.status();
    absl::StatusOr<Token> value = tokens.Next();
    if (!value.ok()) return value.status();
    if (!name->IsText() || !equals->IsSign('=') || !value->IsText()) return ValueMissing(entry.options.size() + 1);
    if (value->text.find('\0') != std::string::npos) return absl::InvalidArgumentError("a value holds a NUL");
    entry.options.emplace_back(std::move(name->text), std::move(value->text));
  }
}

}  // namespace

const std::string* JaasEntry::Find(std::string_view option) const {
  const auto found =
      std::find_if(options.rbegin(), options.rend(), [option](const auto& pair) { return pair.first == option; });
  return found == options.rend() ? nullptr : &found->second;
}

absl::StatusOr<JaasEntry> ParseJaas(std::string_view text) {
  Tokenizer tokens(text);
  std::optional<JaasEntry> first;
  for (;;) {
    absl::StatusOr<Token> module = tokens.Next();
    if (!module.ok()) return module.status();
    if (module->kind == Token::Kind::kEnd) break;
    if (!module->IsText()) return absl::InvalidArgumentError("it must begin with a login module's class");
    absl::StatusOr<JaasEntry> entry = ParseEntry(tokens, std::move(module->text));
    if (!entry.ok()) return entry.status();
    if (!first) first = *std::move(entry);
  }
  if (!first) return absl::InvalidArgumentError("it names no login module");
  return *std::move(first);
}

}  // namespace postrider::config
