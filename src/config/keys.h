// The one table of keys: what each means here, what it may hold, and what happens with it.
//
// Validation, `postrider config`, the suggestions for mistyped keys, the matching of POSTRIDER_* variables and
// COMPATIBILITY.md all come from it. A key that is not in it is unknown: warned about, never an error. Made once, then
// read by any thread. Sources of names and defaults: the ConfigDefs of Debezium 3.6.1's PostgreSQL connector and
// EventRouter, of Kafka Connect's worker and source connector, of its JsonConverter and of Kafka's producer (4.3), and
// Debezium Server's reference. Tested by tests/unit/config/keys_test.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace postrider::config {

enum class KeyOutcome { kHonoured, kMeaningless, kRefused, kUnknown };

// Where a key stands in a file: what comes before its name.
enum class Scope {
  kTop,               // nothing
  kTransform,         // transforms.<alias>. of any transform
  kEventRouter,       // transforms.<alias>. of the EventRouter
  kRegexRouter,       // transforms.<alias>. of a RegexRouter
  kInsertHeader,      // transforms.<alias>. of an InsertHeader
  kDropHeaders,       // transforms.<alias>. of a DropHeaders
  kPredicate,         // predicates.<alias>. of any predicate
  kTopicNameMatches,  // predicates.<alias>. of a TopicNameMatches
  kHasHeaderKey,      // predicates.<alias>. of a HasHeaderKey
  kConverter,         // key.converter. value.converter. header.converter.
  kProducer,          // producer.override. or producer. ; security.*, sasl.*, ssl.* also without
  kTopicCreation,     // topic.creation.<group>.
  kConfigProvider,    // config.providers.<alias>.
};

// A chapter of COMPATIBILITY.md.
enum class Section { kConnector, kRouter, kConnect, kConverters, kProducer, kServer, kOwn };

enum class ValueType {
  kText,       // blanks at both ends do not count
  kRaw,        // every character counts: passwords, expressions, SQL
  kFlag,       // true or false, any case
  kNumber,     // a whole number from min to max
  kChoice,     // one of `choices`, any case
  kList,       // texts with commas
  kRegex,      // a Java regular expression
  kRegexList,  // several with commas; `\,` is a comma
};

struct KeySpec {
  Section section = Section::kConnector;
  Scope scope = Scope::kTop;
  std::string name;  // a `*` at its end stands for any rest
  ValueType type = ValueType::kText;
  std::string fallback;  // holds where the key is absent; empty: nothing
  KeyOutcome outcome = KeyOutcome::kHonoured;
  std::string note;  // why, or what differs from Debezium

  int64_t min = 0, max = std::numeric_limits<int64_t>::max();  // kNumber
  std::vector<std::string> choices;                            // kChoice
  std::vector<std::pair<std::string, std::string>>
      not_choices;      // values that Debezium takes and we refuse, with the reason
  bool secret = false;  // the value is never shown
  bool loud = false;    // kMeaningless, but worth a warning where it is not the fallback

  // Scope::kProducer: the librdkafka property that takes the value as it is, and the range that it is cut to.
  std::string librdkafka;
  int64_t librdkafka_min = 0, librdkafka_max = 0;
};

const std::vector<KeySpec>& Keys();

// "transforms.<alias>.route.by.field": the key as a reader of the documentation writes it.
std::string DocumentedKey(const KeySpec& spec);

}  // namespace postrider::config
