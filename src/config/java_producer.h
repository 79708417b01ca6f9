// Java producer keys -> librdkafka properties.
//
// For each name: `producer.override.X`, else `producer.X`, else (bootstrap.servers) the worker's. Unprefixed
// security.*, sasl.*, ssl.* count only where no prefixed one is given at all. Values beyond librdkafka's ranges are cut
// to them. What the promise rests on (acks, idempotence, retries, time-outs, requests in flight) is ours whatever is
// written, with one warning, unless postrider.producer.as.configured is true. Rules: librdkafka's CONFIGURATION.md,
// Kafka's ProducerConfig. Used at start, one thread. Tested by tests/unit/config/java_producer_test.cc, which gives
// every property to the linked librdkafka.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.h"
#include "config/draft.h"

namespace postrider::config {

// The producer's keys under their Java names, after precedence.
class JavaProducer {
 public:
  // Marks the keys that do not count, and warns of unprefixed ones that do.
  explicit JavaProducer(Draft& draft);

  // The key in the settings that counts for a Java name; where none is given, the one that a user would write.
  std::string KeyOf(std::string_view name) const;
  bool Given(std::string_view name) const { return draft_.Has(KeyOf(name)); }
  // Given and right, possibly empty.
  bool Written(std::string_view name) const { return draft_.Find(KeyOf(name)) != nullptr; }
  std::string Text(std::string_view name) const { return draft_.Text(KeyOf(name)); }
  bool Flag(std::string_view name) const { return draft_.Flag(KeyOf(name)); }
  int64_t Number(std::string_view name) const { return draft_.Number(KeyOf(name)); }
  Draft& draft() const { return draft_; }
  // The keys under this prefix have no effect, for that reason. Warns once.
  void MarkUnused(std::string_view prefix, std::string_view why) const;

 private:
  Draft& draft_;
  bool prefixed_security_ = false;
};

// librdkafka properties in the order to set them, each once, with the Java key behind each.
class PropertyList {
 public:
  // Sets or replaces. `key` is the key of the settings that it comes from; empty for what is ours.
  void Set(std::string_view property, std::string value, std::string key = "");
  void SetSecret(std::string_view property, Secret value, std::string key);
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  // As it may be shown; empty where it is not set.
  std::string Value(std::string_view name) const;
  // Tells the report which property is behind which key, and gives the list away.
  std::vector<std::pair<std::string, Secret>> Finish(Draft& draft) &&;

 private:
  struct Property {
    std::string name;
    Secret value;
    std::string shown;
    std::string key;
  };
  void Put(Property property);
  const Property* Find(std::string_view name) const;

  std::vector<Property> properties_;
};

// Java's passwords have no blanks at their ends: a `Resolve` for SecretOf.
absl::StatusOr<std::string> TrimSecret(const std::string& text);

// The Java key `name`, given or not, under the property that its row names, as the row's type says: numbers cut to the
// range.
void SetDirect(const JavaProducer& java, std::string_view name, PropertyList& properties);

void MakeGuarantee(const JavaProducer& java, PropertyList& properties);  // producer_guarantee.cc
void MakeRaw(const JavaProducer& java, PropertyList& properties);        // librdkafka.*: producer_guarantee.cc
void MakeSasl(const JavaProducer& java, PropertyList& properties);       // producer_sasl.cc
void MakeTls(const JavaProducer& java, PropertyList& properties, Producer& producer);  // producer_tls.cc

// All but the topic groups, which are made already.
void MakeProducer(Draft& draft, const Relay& relay, const Slot& slot, Producer& producer);

}  // namespace postrider::config
