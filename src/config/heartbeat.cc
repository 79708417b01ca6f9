#include <string>

#include "config/parts.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr size_t kTopicBytesMax = 249;               // org.apache.kafka.common.internals.Topic
constexpr int64_t kIntervalOfDriverFlush = 600'000;  // ms; PostgresConnectorConfig.applyLsnFlushModeHeartbeatFallback

// AbstractTopicNamingStrategy.heartbeatTopic: a whole name comes before the prefix.
std::string Topic(Draft& draft, const std::string& topic_prefix) {
  for (const std::string_view key : {"topic.heartbeat.name", "topic.heartbeat.prefix"}) {
    if (!HasTopicCharacters(draft.Text(key))) draft.Refuse(key, "allowed are letters, digits, '.', '_' and '-'");
  }
  if (draft.Text("topic.heartbeat.prefix").empty()) draft.RefuseKey("topic.heartbeat.prefix", "is empty");
  const bool named = draft.Has("topic.heartbeat.name");
  std::string topic =
      named ? draft.Text("topic.heartbeat.name") : Cat(draft.Text("topic.heartbeat.prefix"), ".", topic_prefix);
  if (topic.size() > kTopicBytesMax) {
    draft.RefuseKey(named ? "topic.heartbeat.name" : "topic.heartbeat.prefix",
                    Cat("makes a topic's name of ", topic.size(), " characters, and Kafka takes ", kTopicBytesMax));
  }
  return topic;
}

}  // namespace

void MakeHeartbeat(Draft& draft, Config& config) {
  Heartbeat& heartbeat = config.heartbeat;
  heartbeat.interval_ms = draft.Number("heartbeat.interval.ms");
  heartbeat.topic = Topic(draft, config.topic_prefix);
  if (draft.Has("heartbeat.action.query")) heartbeat.action_query = draft.Raw("heartbeat.action.query");
  if (heartbeat.interval_ms == 0 && EqualsIgnoreCase(draft.Text("lsn.flush.mode"), "connector_and_driver") &&
      !EqualsIgnoreCase(draft.Text("provide.transaction.metadata"), "true")) {
    heartbeat.interval_ms = kIntervalOfDriverFlush;
    draft.Warn(Cat("lsn.flush.mode=connector_and_driver means heartbeat.interval.ms=", kIntervalOfDriverFlush,
                   ", as in Debezium: records go to topic ", heartbeat.topic,
                   "; take lsn.flush.mode away if nobody reads them"));
  }
  if (heartbeat.interval_ms == 0 && !heartbeat.action_query.empty())
    draft.WarnOf("heartbeat.action.query", "is never run: heartbeat.interval.ms is 0");
}

}  // namespace postrider::config
