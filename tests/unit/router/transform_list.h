// Transforms and predicates as the configuration gives them, for the tests of router/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/record.h"
#include "config/config.h"

namespace postrider::router {

inline config::Transform RegexRouter(std::string regex, std::string replacement) {
  return {.kind = config::Transform::Kind::kRegexRouter,
          .alias = "rename",
          .regex = std::move(regex),
          .replacement = std::move(replacement)};
}
inline config::Transform InsertHeader(std::string header, std::string literal) {
  return {.kind = config::Transform::Kind::kInsertHeader,
          .alias = "insert",
          .header = std::move(header),
          .literal = std::move(literal),
          .literal_origin = "file:9: transforms.insert.value.literal"};
}
inline config::Transform DropHeaders(std::vector<std::string> headers) {
  return {.kind = config::Transform::Kind::kDropHeaders, .alias = "drop", .headers = std::move(headers)};
}
inline config::Transform Filter() {
  return {.kind = config::Transform::Kind::kFilter, .alias = "filter"};
}

inline config::Predicate TopicNameMatches(std::string pattern) {
  return {.kind = config::Predicate::Kind::kTopicNameMatches, .pattern = std::move(pattern)};
}
inline config::Predicate HasHeaderKey(std::string header) {
  return {.kind = config::Predicate::Kind::kHasHeaderKey, .header = std::move(header)};
}
inline config::Predicate RecordIsTombstone() {
  return {.kind = config::Predicate::Kind::kRecordIsTombstone};
}
inline config::Predicate Negated(config::Predicate predicate) {
  predicate.negate = true;
  return predicate;
}
inline config::Transform If(config::Predicate predicate, config::Transform transform) {
  transform.predicate = std::move(predicate);
  return transform;
}

// "id=1 type=null"
inline std::string HeaderText(const Record& record) {
  std::string text;
  for (const Header& header : record.headers) {
    if (!text.empty()) text += ' ';
    text += std::string(header.key) + "=" + std::string(header.value.value_or("null"));
  }
  return text;
}

}  // namespace postrider::router
