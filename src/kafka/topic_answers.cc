// What becomes of a topic by the answers to its look-ups.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "kafka/outcome.h"
#include "kafka/topics.h"

namespace postrider::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kAppearsWithin(3);          // auto-creation by a broker takes a tenth of a second
constexpr seconds kCreatedAppearsWithin(10);  // until every broker has heard of a new topic
constexpr milliseconds kLongestPause(400);
constexpr milliseconds kPauseAfterFailure(200);
constexpr int kLimitAttempts = 3;

}  // namespace

void TopicTable::TakeDescriptions(const std::vector<TopicDescription>& answers, TimePoint now) {
  --requests_[static_cast<int>(Kind::kDescribe)];
  for (const TopicDescription& answer : answers) {
    if (Topic* topic = Known(answer.name)) TakeDescription(*topic, answer, now);
  }
  Tick(now);
}

void TopicTable::TakeCreations(const std::vector<TopicCreation>& answers, TimePoint now) {
  --requests_[static_cast<int>(Kind::kCreate)];
  for (const TopicCreation& answer : answers) {
    if (Topic* topic = Known(answer.name)) TakeCreation(*topic, answer, now);
  }
  Tick(now);
}

void TopicTable::TakeLimits(const std::vector<TopicLimit>& answers, TimePoint now) {
  --requests_[static_cast<int>(Kind::kLimit)];
  for (const TopicLimit& answer : answers) {
    if (Topic* topic = Known(answer.name)) TakeLimit(*topic, answer, now);
  }
  Tick(now);
}

void TopicTable::TakeDescription(Topic& topic, const TopicDescription& answer, TimePoint now) {
  topic.asked = false;
  if (IsRequestFailure(answer.error)) {
    topic.next_ask = now + kPauseAfterFailure;
    return;
  }
  if (answer.error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
      (answer.error == RD_KAFKA_RESP_ERR_NO_ERROR && !answer.may_write)) {
    return Refuse(
        topic, "topic_authorization",
        absl::StrCat("Kafka's ACLs do not let us write to topic ", topic.quoted(), ": grant DESCRIBE and WRITE on it"),
        now);
  }
  if (answer.error == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION) {
    return Refuse(topic, "invalid_topic", absl::StrCat("the broker takes ", topic.quoted(), " for no topic name"), now);
  }
  if (answer.error != RD_KAFKA_RESP_ERR_NO_ERROR && answer.error != RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE &&
      !IsUnknownTopic(answer.error)) {
    LogWarning("topic_lookup_failed", {{"topic", topic.name}, {"code", rd_kafka_err2name(answer.error)}},
               "a topic cannot be looked up; trying on");
    topic.next_ask = now + kPauseAfterFailure;
    return;
  }
  const bool there = answer.error == RD_KAFKA_RESP_ERR_NO_ERROR && answer.partitions > 0;
  // A new topic's partitions have leaders in a moment; those of an old one may have lost theirs, and librdkafka waits
  // for that.
  if (!there || (!answer.has_leaders && topic.step == Topic::Step::kAppear && now < topic.deadline))
    return Missing(topic, now);

  topic.partitions = answer.partitions;
  topic.exists = true;
  topic.step = Topic::Step::kIdle;
  topic.looked_at = now;
  if (!topic.handle) to_open_.push_back(&topic);
  if (topic.limit_wanted && !topic.limit_asked) topic.limit_next_ask = now;
  Settle(topic, now);
}

void TopicTable::Missing(Topic& topic, TimePoint now) {
  if (topic.step != Topic::Step::kAppear) {
    if (topic.state == Topic::State::kReady) topic.state = Topic::State::kUnknown;
    if (!rules_->GroupFor(topic.name)) return AwaitBroker(topic, now);
    topic.step = Topic::Step::kCreate;
    topic.next_ask = now;
    return;
  }
  if (now < topic.deadline) return AskAgain(topic, now);
  Refuse(topic, "unknown_topic",
         absl::StrCat("topic ", topic.quoted(), " does not exist, and ",
                      options_.broker_creates
                          ? "the broker did not make it (auto.create.topics.enable is off, or its log says why)"
                          : "nobody may make it (allow.auto.create.topics=false)",
                      ": create it, or set topic.creation.default.partitions and .replication.factor"),
         now);
}

// A broker that has just started may not know topics that are there, so one look is not enough even where nobody makes
// them.
void TopicTable::AwaitBroker(Topic& topic, TimePoint now) {
  if (options_.broker_creates && !topic.handle) to_open_.push_back(&topic);
  topic.step = Topic::Step::kAppear;
  topic.deadline = now + kAppearsWithin;
  AskAgain(topic, now);
}

void TopicTable::AskAgain(Topic& topic, TimePoint now) {
  topic.next_ask = now + topic.pause;
  topic.pause = std::min(topic.pause * 2, kLongestPause);
}

void TopicTable::TakeCreation(Topic& topic, const TopicCreation& answer, TimePoint now) {
  topic.asked = false;
  switch (answer.error) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
      LogInfo("topic_created", {{"topic", topic.name}, {"group", rules_->GroupFor(topic.name)->name}},
              "made as topic.creation.* says");
      [[fallthrough]];
    case RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS:
      topic.step = Topic::Step::kAppear;
      topic.next_ask = now;
      topic.deadline = now + kCreatedAppearsWithin;
      return;
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_VERSION:
    case RD_KAFKA_RESP_ERR__UNSUPPORTED_FEATURE:
      // As Connect does: without the right to make topics, one hopes for the broker.
      if (options_.broker_creates) return AwaitBroker(topic, now);
      return Refuse(topic, "topic_authorization",
                    absl::StrCat("topic ", topic.quoted(),
                                 " does not exist and Kafka's ACLs do not let us make it: create it, or grant CREATE"),
                    now);
    default:
      break;
  }
  if (IsRequestFailure(answer.error)) {
    topic.next_ask = now + kPauseAfterFailure;
    return;
  }
  Refuse(
      topic, "topic_creation",
      absl::StrCat("topic ", topic.quoted(), " cannot be made as topic.creation.", rules_->GroupFor(topic.name)->name,
                   ".* says (", rd_kafka_err2name(answer.error), "): ", answer.text),
      now);
}

void TopicTable::TakeLimit(Topic& topic, const TopicLimit& answer, TimePoint now) {
  topic.limit_asked = false;
  if (IsUnknownTopic(answer.error)) {
    topic.limit_next_ask = topic.exists ? now + kPauseAfterFailure : TimePoint::max();
    return;
  }
  if (IsRequestFailure(answer.error) && ++topic.limit_attempts < kLimitAttempts) {
    topic.limit_next_ask = now + kPauseAfterFailure;
    return;
  }
  if (answer.error == RD_KAFKA_RESP_ERR_NO_ERROR) {
    topic.max_message_bytes = answer.max_message_bytes;
  } else {
    LogWarning("topic_limit_unknown", {{"code", rd_kafka_err2name(answer.error)}},
               "max.message.bytes of a topic cannot be read (DESCRIBE_CONFIGS on it would help): what is too large "
               "shows only when it is sent");
  }
  topic.limit_wanted = false;
  topic.limit_looked_at = now;
  Settle(topic, now);
}

void TopicTable::Settle(Topic& topic, TimePoint now) {
  if (!topic.exists || topic.step != Topic::Step::kIdle || topic.limit_wanted) return;
  topic.state = Topic::State::kReady;
  topic.looked_at = now;
}

void TopicTable::Refuse(Topic& topic, std::string_view code, std::string reason, TimePoint now) {
  topic.state = Topic::State::kRefused;
  topic.code = code;
  topic.reason = std::move(reason);
  topic.step = Topic::Step::kIdle;
  topic.limit_wanted = false;
  topic.looked_at = now;
}

}  // namespace postrider::kafka
