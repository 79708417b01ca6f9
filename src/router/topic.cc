#include "router/topic.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "base/text.h"

namespace postrider::router {
namespace {

constexpr size_t kTopicBytesMax = 249;

// On one line, and not longer than a log line should be.
std::string Printable(std::string_view text) {
  constexpr size_t kPrintedMax = 300;
  std::string printed = absl::Utf8SafeCHexEscape(View(text.substr(0, kPrintedMax)));
  if (text.size() > kPrintedMax) printed.append("...");
  return printed;
}

absl::Status Wrong(std::string_view key, const absl::Status& status) {
  return MakeFault(Fault::kConfiguration, absl::StrCat(View(key), " is wrong: ", status.message()));
}

}  // namespace

bool IsTopicName(std::string_view name) {
  if (name.empty() || name.size() > kTopicBytesMax || name == "." || name == "..") return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  });
}

std::string TopicRefusal(std::string_view name) {
  return absl::StrCat("\"", Printable(name), "\" cannot be the name of a topic: Kafka allows 1 to ", kTopicBytesMax,
                      " of a-z, A-Z, 0-9, '.', '_' and '-'");
}

TopicRoute::TopicRoute(JavaRegex regex, std::string regex_key, std::string_view replacement,
                       std::string replacement_key)
    : regex_(std::move(regex)),
      regex_key_(std::move(regex_key)),
      replacement_(replacement),
      replacement_key_(std::move(replacement_key)) {}

absl::StatusOr<TopicRoute> TopicRoute::Make(std::string regex_key, std::string_view regex, std::string replacement_key,
                                            std::string_view replacement) {
  absl::StatusOr<JavaRegex> compiled = JavaRegex::Compile(regex);
  if (!compiled.ok()) return Wrong(regex_key, compiled.status());
  const absl::Status fits = compiled->CheckReplacement(replacement);
  if (!fits.ok()) return Wrong(replacement_key, fits);
  return TopicRoute(*std::move(compiled), std::move(regex_key), replacement, std::move(replacement_key));
}

absl::StatusOr<TopicRoute> TopicRoute::OfRouter(const config::Router& options) {
  const std::string prefix = absl::StrCat("transforms.", options.alias, ".");
  return Make(prefix + "route.topic.regex", options.route_topic_regex, prefix + "route.topic.replacement",
              options.route_topic_replacement);
}

const TopicRoute::Target& TopicRoute::Resolve(std::string_view text) {
  return targets_.Get(text, [this](std::string_view subject) { return Compute(subject); });
}

TopicRoute::Target TopicRoute::Failure(std::string_view key, std::string_view text, const absl::Status& status) {
  const std::string failure = absl::StrCat(View(key), " on ", Printable(text), ": ", status.message());
  return {.topic = "", .failure = failure, .refusal = failure};
}

TopicRoute::Target TopicRoute::Compute(std::string_view text) const {
  const absl::StatusOr<bool> matches = regex_.Matches(text);
  if (!matches.ok()) return Failure(regex_key_, text, matches.status());
  std::string topic(text);
  if (*matches) {
    absl::StatusOr<std::string> replaced = regex_.ReplaceFirst(text, replacement_);
    if (!replaced.ok()) return Failure(replacement_key_, text, replaced.status());
    topic = *std::move(replaced);
  }
  std::string refusal = IsTopicName(topic) ? "" : TopicRefusal(topic);
  return {.topic = std::move(topic), .failure = "", .refusal = std::move(refusal)};
}

}  // namespace postrider::router
