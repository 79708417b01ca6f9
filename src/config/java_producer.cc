#include "config/java_producer.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/record.h"
#include "config/classes.h"
#include "config/keys.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kPrefixes[] = {"producer.override.", "producer."};

// ---- the keys whose value is not simply the property's -------------------------------------------------------------

std::string Cut(Draft& draft, const std::string& key, const KeySpec& spec) {
  const int64_t written = draft.Number(key);
  const int64_t value =
      spec.librdkafka_max == 0 ? written : std::clamp(written, spec.librdkafka_min, spec.librdkafka_max);
  if (value != written) draft.SetOutcome(key, KeyOutcome::kHonoured, Cat("cut to librdkafka's limit, ", value));
  return Cat(value);
}

// The table's spelling of a choice.
std::string Spelled(const Draft& draft, const std::string& key, const KeySpec& spec) {
  std::string text = draft.Text(key);
  for (const std::string& choice : spec.choices)
    if (EqualsIgnoreCase(choice, text)) return choice;
  return text;
}

}  // namespace

absl::StatusOr<std::string> TrimSecret(const std::string& text) {
  return std::string(Trim(text));
}

void SetDirect(const JavaProducer& java, std::string_view name, PropertyList& properties) {
  Draft& draft = java.draft();
  const std::string key = java.KeyOf(name);
  const KeySpec& spec = *draft.index().Find(Cat("producer.", name)).spec;
  switch (spec.type) {
    case ValueType::kNumber:
      return properties.Set(spec.librdkafka, Cut(draft, key, spec), key);
    case ValueType::kFlag:
      return properties.Set(spec.librdkafka, draft.Flag(key) ? "true" : "false", key);
    case ValueType::kChoice:
      return properties.Set(spec.librdkafka, Spelled(draft, key, spec), key);
    case ValueType::kList:
      return properties.Set(spec.librdkafka, absl::StrJoin(draft.List(key), ","), key);
    case ValueType::kText:
    case ValueType::kRaw:
    case ValueType::kRegex:
    case ValueType::kRegexList:
      if (spec.secret) return properties.SetSecret(spec.librdkafka, draft.SecretOf(key, TrimSecret), key);
      return properties.Set(spec.librdkafka, draft.Text(key), key);
  }
}

namespace {

bool IsGuarantee(std::string_view name) {
  constexpr std::string_view kNames[] = {"acks", "enable.idempotence", "retries", "delivery.timeout.ms",
                                         "max.in.flight.requests.per.connection"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

void SetCompressionLevel(const JavaProducer& java, const KeySpec& spec, PropertyList& properties) {
  // compression.gzip.level counts for gzip alone.
  if (spec.name == Cat("compression.", ToLower(java.Text("compression.type")), ".level"))
    return SetDirect(java, spec.name, properties);
  java.draft().SetOutcome(java.KeyOf(spec.name), KeyOutcome::kMeaningless, "compression.type is another");
}

void SetGiven(const JavaProducer& java, const KeySpec& spec, PropertyList& properties) {
  const std::string key = java.KeyOf(spec.name);
  if (spec.name == "batch.size" && java.Number(spec.name) == 0) {
    properties.Set("batch.num.messages", "1", key);
  } else if (spec.librdkafka == "compression.level") {
    SetCompressionLevel(java, spec, properties);
  } else {
    SetDirect(java, spec.name, properties);
  }
  // Java's request.timeout.ms is the client's wait; librdkafka's of that name is the broker's alone.
  if (spec.name == "request.timeout.ms")
    properties.Set("socket.timeout.ms", Cat(std::clamp<int64_t>(java.Number(spec.name), 10, 300'000)), key);
  // librdkafka's metadata.max.age.ms is when the cache expires: it must stay above the refreshing.
  if (spec.name == "metadata.max.age.ms")
    properties.Set("metadata.max.age.ms", Cat(std::clamp<int64_t>(java.Number(spec.name), 1, 28'800'000) * 3), key);
}

// In Java a first pause above the longest one holds for all; librdkafka refuses it.
void RaiseLongestPause(const JavaProducer& java, PropertyList& properties) {
  for (const std::string_view stem : {"retry.backoff", "reconnect.backoff"}) {
    const std::string first = Cat(stem, ".ms"), longest = Cat(stem, ".max.ms");
    if (java.Number(first) > java.Number(longest)) {
      const std::string pause = properties.Has(first) ? properties.Value(first) : Cat(java.Number(first));
      properties.Set(longest, pause, java.KeyOf(longest));
    }
  }
}

// ---- what is ours --------------------------------------------------------------------------------------------------

void SetBase(const JavaProducer& java, const Relay& relay, const Slot& slot, Producer& producer,
             PropertyList& properties) {
  const KeySpec& size = *java.draft().index().Find("producer.max.request.size").spec;
  producer.max_request_size_bytes =
      std::clamp(java.Number("max.request.size"), size.librdkafka_min, size.librdkafka_max);
  // A quarter above our own budget, so that a full queue is a fault and never the rule. A record above the budget
  // passes alone.
  const int64_t bytes = relay.inflight_bytes_max + relay.inflight_bytes_max / 4 + producer.max_request_size_bytes;
  const int64_t records = relay.inflight_bytes_max / static_cast<int64_t>(kRecordOverheadBytes);
  properties.Set("client.id", Cat("postrider-", slot.name));
  properties.Set("partitioner", "murmur2_random");
  properties.Set("socket.nagle.disable", "true");
  properties.Set("linger.ms", "5");
  properties.Set("batch.size", "1000000");
  properties.Set("message.max.bytes", Cat(producer.max_request_size_bytes));
  properties.Set("queue.buffering.max.kbytes", Cat(std::min<int64_t>(bytes / 1024 + 1, 2'147'483'647)));
  properties.Set("queue.buffering.max.messages", Cat(std::min<int64_t>(records + records / 4 + 1, 2'147'483'647)));
  properties.Set("request.timeout.ms", "30000");
  properties.Set("socket.timeout.ms", "60000");
  properties.Set("retry.backoff.ms", "100");
  properties.Set("retry.backoff.max.ms", "1000");
  properties.Set("topic.metadata.propagation.max.ms", "300000");
  // The group `default` takes every topic: without it the broker makes those that no group takes.
  const bool all_ours = !producer.topic_groups.empty() && producer.topic_groups.back().name == "default";
  properties.Set("allow.auto.create.topics", all_ours ? "false" : "true");
  properties.Set("enable.metrics.push", "false");
}

void CheckServers(const JavaProducer& java) {
  const std::string key = java.KeyOf("bootstrap.servers");
  const std::vector<std::string> servers = java.draft().List(key);
  if (servers.empty() && (java.draft().settings().Find(key) == nullptr || java.Written("bootstrap.servers")))
    return java.draft().RefuseAll(
        "bootstrap.servers is missing: set it to the Kafka brokers, host:port with commas (the worker's key, or "
        "producer.override.bootstrap.servers)");
  for (const std::string& server : servers) {
    const size_t colon = server.rfind(':');
    const std::optional<int64_t> port =
        colon == std::string::npos ? std::nullopt : ParseNumber(server.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535 || colon == 0)
      return java.draft().Refuse(key, "allowed is host:port, with commas");
  }
}

void SetPartitioner(const JavaProducer& java, Producer& producer) {
  producer.ignore_keys = java.Flag("partitioner.ignore.keys");
  if (!java.Given("partitioner.class")) return;
  const ClassSpec* spec = FindClass(ClassKind::kPartitioner, java.Text("partitioner.class"));
  if (spec == nullptr) {
    java.draft().Refuse(
        java.KeyOf("partitioner.class"),
        "not supported: leave it out for Java's default (murmur2 of the key), or name RoundRobinPartitioner");
  } else if (spec->note == kKeyDoesNotCount) {
    producer.ignore_keys = true;
  }
}

}  // namespace

JavaProducer::JavaProducer(Draft& draft) : draft_(draft) {
  std::vector<std::string> unprefixed;
  for (const Setting& setting : draft.settings().all()) {
    for (const std::string_view prefix : kPrefixes) {
      std::string_view name = setting.key;
      if (ConsumePrefix(name, prefix) && IsSecurityName(name)) prefixed_security_ = true;
    }
    const KeySpec* spec = draft.index().Find(setting.key).spec;
    if (spec != nullptr && spec->scope == Scope::kProducer && IsSecurityName(setting.key))
      unprefixed.push_back(setting.key);
  }
  for (const Setting& setting : draft.settings().all()) {
    const KeyIndex::Match match = draft.index().Find(setting.key);
    if (match.spec == nullptr || (match.spec->scope != Scope::kProducer && setting.key != "bootstrap.servers"))
      continue;
    const std::string counts = KeyOf(match.name);
    if (counts != setting.key)
      draft.SetOutcome(setting.key, KeyOutcome::kMeaningless,
                       draft.settings().Find(counts) == nullptr ? "the producer's own security keys come before it"
                                                                : Cat(counts, " comes before it"));
  }
  if (prefixed_security_ || unprefixed.empty()) return;
  draft.Warn(Cat(
      draft.Where(unprefixed.front()), unprefixed.size() > 1 ? " and the other keys of its kind are" : " is",
      " taken for the producer, because no producer.* or producer.override.* security key is given; in Connect they "
      "are the worker's alone"));
}

std::string JavaProducer::KeyOf(std::string_view name) const {
  const Settings& settings = draft_.settings();
  for (const std::string_view prefix : kPrefixes) {
    std::string key = Cat(prefix, name);
    if (settings.Find(key) != nullptr) return key;
  }
  const bool lent = (IsSecurityName(name) && !prefixed_security_) || name == "bootstrap.servers";
  if (lent && settings.Find(name) != nullptr) return std::string(name);
  return Cat(kPrefixes[0], name);
}

void JavaProducer::MarkUnused(std::string_view prefix, std::string_view why) const {
  std::string first;
  for (const Setting& setting : draft_.settings().all()) {
    const KeyIndex::Match match = draft_.index().Find(setting.key);
    if (match.spec == nullptr || match.spec->scope != Scope::kProducer || !match.name.starts_with(prefix)) continue;
    if (KeyOf(match.name) != setting.key || setting.refused) continue;
    draft_.SetOutcome(setting.key, KeyOutcome::kMeaningless, why);
    if (first.empty()) first = setting.key;
  }
  if (!first.empty()) draft_.WarnOf(first, Cat("has no effect, nor have others of its kind: ", why));
}

void PropertyList::Put(Property property) {
  for (Property& present : properties_) {
    if (present.name != property.name) continue;
    present = std::move(property);
    return;
  }
  properties_.push_back(std::move(property));
}

void PropertyList::Set(std::string_view property, std::string value, std::string key) {
  Secret plain = Secret::Plain(value);
  Put({std::string(property), std::move(plain), std::move(value), std::move(key)});
}

void PropertyList::SetSecret(std::string_view property, Secret value, std::string key) {
  Put({std::string(property), std::move(value), "***", std::move(key)});
}

const PropertyList::Property* PropertyList::Find(std::string_view name) const {
  const auto found =
      std::find_if(properties_.begin(), properties_.end(), [name](const Property& p) { return p.name == name; });
  return found == properties_.end() ? nullptr : &*found;
}

std::string PropertyList::Value(std::string_view name) const {
  const Property* property = Find(name);
  return property == nullptr ? "" : property->shown;
}

std::vector<std::pair<std::string, Secret>> PropertyList::Finish(Draft& draft) && {
  std::vector<std::pair<std::string, Secret>> list;
  for (Property& property : properties_) {
    std::string text = Cat(property.name, "=", property.shown);
    if (draft.settings().Find(property.key) != nullptr) {
      draft.SetLibrdkafka(property.key, text);
    } else {
      draft.ReportDefault({.key = Cat("librdkafka.", property.name),
                           .value = property.shown,
                           .origin = "default",
                           .outcome = KeyOutcome::kHonoured,
                           .librdkafka = std::move(text),
                           .remark = ""});
    }
    list.emplace_back(std::move(property.name), std::move(property.value));
  }
  return list;
}

void MakeProducer(Draft& draft, const Relay& relay, const Slot& slot, Producer& producer) {
  const JavaProducer java(draft);
  PropertyList properties;
  CheckServers(java);
  SetBase(java, relay, slot, producer, properties);
  for (const KeySpec& spec : Keys()) {
    if (spec.scope != Scope::kProducer || spec.librdkafka.empty() || IsGuarantee(spec.name) ||
        IsSecurityName(spec.name))
      continue;
    if (java.Given(spec.name)) SetGiven(java, spec, properties);
  }
  RaiseLongestPause(java, properties);
  SetPartitioner(java, producer);
  MakeGuarantee(java, properties);
  MakeSasl(java, properties);
  MakeTls(java, properties, producer);
  MakeRaw(java, properties);
  producer.properties = std::move(properties).Finish(draft);
}

}  // namespace postrider::config
