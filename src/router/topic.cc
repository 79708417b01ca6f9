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

absl::Status Wrong(const config::Router& config, const char* key, const absl::Status& status) {
  return MakeFault(Fault::kConfiguration,
                   absl::StrCat("transforms.", config.alias, ".", key, " is wrong: ", status.message()));
}

}  // namespace

bool IsTopicName(std::string_view name) {
  if (name.empty() || name.size() > kTopicBytesMax || name == "." || name == "..") return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  });
}

absl::StatusOr<TopicRoute> TopicRoute::Make(const config::Router& config) {
  absl::StatusOr<JavaRegex> regex = JavaRegex::Compile(config.route_topic_regex);
  if (!regex.ok()) return Wrong(config, "route.topic.regex", regex.status());
  const absl::Status replacement = regex->CheckReplacement(config.route_topic_replacement);
  if (!replacement.ok()) return Wrong(config, "route.topic.replacement", replacement);
  return TopicRoute(*std::move(regex), config.route_topic_replacement);
}

const TopicRoute::Target& TopicRoute::Resolve(std::string_view route) {
  const auto found = targets_.find(View(route));
  if (found != targets_.end()) return found->second;
  if (targets_.size() >= kKeptMax) targets_.clear();
  return targets_.emplace(std::string(route), Compute(route)).first->second;
}

TopicRoute::Target TopicRoute::Compute(std::string_view route) const {
  const absl::StatusOr<bool> matches = regex_.Matches(route);
  if (!matches.ok())
    return {.refusal = absl::StrCat("route.topic.regex on ", Printable(route), ": ", matches.status().message())};
  std::string topic(route);
  if (*matches) {
    absl::StatusOr<std::string> replaced = regex_.ReplaceFirst(route, replacement_);
    if (!replaced.ok()) {
      return {.refusal =
                  absl::StrCat("route.topic.replacement on ", Printable(route), ": ", replaced.status().message())};
    }
    topic = *std::move(replaced);
  }
  if (IsTopicName(topic)) return {.topic = std::move(topic)};
  return {.refusal = absl::StrCat("\"", Printable(topic), "\" cannot be the name of a topic: Kafka allows 1 to ",
                                  kTopicBytesMax, " of a-z, A-Z, 0-9, '.', '_' and '-'")};
}

}  // namespace postrider::router
