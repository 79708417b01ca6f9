#include "kafka/topics.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/text.h"

namespace postrider::kafka {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr size_t kTopicsMax = 100'000;  // names come from data; librdkafka keeps a few kB for each
constexpr size_t kNamesPerRequest = 64;
constexpr int kRequestsAtOnce = 4;
constexpr seconds kFreshFor(1);               // a refusal is looked into again after this
constexpr seconds kBrokerCreatesWithin(3);    // auto-creation by a broker takes a tenth of a second
constexpr seconds kCreatedAppearsWithin(10);  // until every broker has heard of a new topic
constexpr milliseconds kFirstPause(25), kLongestPause(400);
constexpr milliseconds kPauseAfterFailure(200);
constexpr int kLimitAttempts = 3;

// Kafka's rule (org.apache.kafka.common.internals.Topic).
bool IsLegalName(std::string_view name) {
  if (name.empty() || name.size() > 249 || name == "." || name == "..") return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  });
}

// The request itself did not get through; nothing is said about the topic.
bool IsPassing(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__RETRY:
    case RD_KAFKA_RESP_ERR__DESTROY:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_NOT_CONTROLLER:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
    case RD_KAFKA_RESP_ERR_THROTTLING_QUOTA_EXCEEDED:
    case RD_KAFKA_RESP_ERR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

bool IsUnknownTopic(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_ID ||
         error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
}

Acceptance Held(std::string_view code, std::string reason) {
  return {.kind = Acceptance::Kind::kHeld, .code = std::string(code), .reason = std::move(reason)};
}

Acceptance Wait() {
  return {.kind = Acceptance::Kind::kWait, .code = "", .reason = ""};
}

// A name from the data may be anything; a log line takes so much of it.
std::string Shown(std::string_view name) {
  return absl::StrCat("\"", View(name.substr(0, 249)), "\"");
}

}  // namespace

TopicTable::TopicTable(const Options& options, const TopicRules* rules, TopicAdmin* admin)
    : options_(options), rules_(rules), admin_(admin) {}

Topic* TopicTable::Find(std::string_view name) {
  if (const auto it = topics_.find(View(name)); it != topics_.end()) return it->second.get();
  if (topics_.size() >= kTopicsMax) return nullptr;
  auto topic = std::make_unique<Topic>(name);
  if (!IsLegalName(name)) {
    topic->state = Topic::State::kRefused;
    topic->code = "invalid_topic";
    topic->reason = absl::StrCat(
        Shown(name), " is no topic name for Kafka: 1 to 249 of a-z A-Z 0-9 . _ - are; see route.topic.regex, ",
        "route.topic.replacement and the routing column");
  }
  return topics_.emplace(std::string(name), std::move(topic)).first->second.get();
}

Topic* TopicTable::Known(const std::string& name) {
  const auto it = topics_.find(name);
  return it == topics_.end() ? nullptr : it->second.get();
}

// ---- asking ---------------------------------------------------------------------------------------------------------

Acceptance TopicTable::Check(Topic& topic, size_t wire_bytes, std::optional<int32_t> partition, TimePoint now) {
  Acceptance acceptance;
  switch (topic.state) {
    case Topic::State::kReady:
      acceptance = CheckReady(topic, wire_bytes, partition, now);
      break;
    case Topic::State::kUnknown:
      if (topic.step == Topic::Step::kIdle && !topic.limit_wanted) Look(topic, now);
      acceptance = Wait();
      break;
    case Topic::State::kRefused:
      if (topic.step == Topic::Step::kIdle && topic.code != "invalid_topic" && now - topic.looked_at >= kFreshFor)
        Look(topic, now);
      acceptance = Held(topic.code, topic.reason);
      break;
  }
  if (!active_.empty()) Tick(now);
  return acceptance;
}

Acceptance TopicTable::CheckReady(Topic& topic, size_t wire_bytes, std::optional<int32_t> partition, TimePoint now) {
  if (partition && (*partition < 0 || *partition >= topic.partitions)) {
    if (topic.step == Topic::Step::kIdle && now - topic.looked_at >= kFreshFor) Look(topic, now);
    return Held("unknown_partition",
                absl::StrCat("the record is for partition ", *partition, ", but topic ", Shown(topic.name), " has ",
                             topic.partitions, " (0 to ", topic.partitions - 1,
                             "): add partitions to it, or correct the column that names the partition"));
  }
  if (wire_bytes > options_.max_request_bytes) {
    return Held("record_too_large",
                absl::StrCat("the record for topic ", Shown(topic.name), " takes ", wire_bytes,
                             " bytes in Kafka's format and max.request.size allows ", options_.max_request_bytes,
                             ": raise producer.override.max.request.size and start again"));
  }
  if (!topic.max_message_bytes) return {};
  const size_t limit = *topic.max_message_bytes;
  if (wire_bytes > limit && !options_.compressed) {
    if (!topic.limit_wanted && now - topic.limit_looked_at >= kFreshFor) WantLimit(topic, now);
    return Held("record_too_large",
                absl::StrCat("the record takes ", wire_bytes, " bytes in Kafka's format and topic ", Shown(topic.name),
                             " allows ", limit, ": raise max.message.bytes of the topic, and it goes on by itself"));
  }
  if (IsTight(topic) && topic.inflight_bytes > 0 && topic.inflight_bytes + wire_bytes > limit) return Wait();
  return {};
}

void TopicTable::Distrust(Topic& topic, TimePoint now) {
  if (topic.state != Topic::State::kReady) return;
  const TimePoint earliest = topic.looked_at + kFreshFor;
  topic.state = Topic::State::kUnknown;
  Look(topic, now);
  topic.next_ask = std::max(now, earliest);
}

void TopicTable::Look(Topic& topic, TimePoint now) {
  topic.step = Topic::Step::kDescribe;
  topic.exists = false;
  topic.pause = kFirstPause;
  topic.next_ask = now;
  WantLimit(topic, now);
}

void TopicTable::WantLimit(Topic& topic, TimePoint now) {
  topic.limit_wanted = true;
  topic.limit_attempts = 0;
  topic.limit_next_ask = now;
  Activate(topic);
}

void TopicTable::Activate(Topic& topic) {
  if (std::find(active_.begin(), active_.end(), &topic) == active_.end()) active_.push_back(&topic);
}

void TopicTable::Tick(TimePoint now) {
  for (const Kind kind : {Kind::kDescribe, Kind::kCreate, Kind::kLimit}) {
    while (requests_[static_cast<int>(kind)] < kRequestsAtOnce) {
      const std::vector<Topic*> due = Due(kind, now);
      if (due.empty()) break;
      Send(kind, due);
    }
  }
  std::erase_if(active_, [](const Topic* topic) { return topic->step == Topic::Step::kIdle && !topic->limit_wanted; });
}

std::vector<Topic*> TopicTable::Due(Kind kind, TimePoint now) const {
  std::vector<Topic*> due;
  for (Topic* topic : active_) {
    if (due.size() == kNamesPerRequest) break;
    const bool creating = topic->step == Topic::Step::kCreate;
    const bool describing = topic->step == Topic::Step::kDescribe || topic->step == Topic::Step::kAppear;
    const bool is_due =
        kind == Kind::kLimit
            ? topic->limit_wanted && !topic->limit_asked && topic->limit_next_ask <= now
            : (kind == Kind::kCreate ? creating : describing) && !topic->asked && topic->next_ask <= now;
    if (is_due) due.push_back(topic);
  }
  return due;
}

void TopicTable::Send(Kind kind, const std::vector<Topic*>& topics) {
  ++requests_[static_cast<int>(kind)];
  if (kind == Kind::kCreate) {
    std::vector<std::pair<std::string, const config::TopicGroup*>> creations;
    for (Topic* topic : topics) {
      topic->asked = true;
      creations.emplace_back(topic->name, rules_->GroupFor(topic->name));
    }
    return admin_->Create(creations);
  }
  std::vector<std::string> names;
  for (Topic* topic : topics) {
    (kind == Kind::kLimit ? topic->limit_asked : topic->asked) = true;
    names.push_back(topic->name);
  }
  if (kind == Kind::kLimit) return admin_->AskLimits(names);
  admin_->Describe(names);
}

// ---- answers --------------------------------------------------------------------------------------------------------

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
  if (IsPassing(answer.error)) {
    topic.next_ask = now + kPauseAfterFailure;
    return;
  }
  if (answer.error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
      (answer.error == RD_KAFKA_RESP_ERR_NO_ERROR && !answer.may_write)) {
    return Refuse(topic, "topic_authorization",
                  absl::StrCat("Kafka's ACLs do not let us write to topic ", Shown(topic.name),
                               ": grant DESCRIBE and WRITE on it"),
                  now);
  }
  if (answer.error == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION) {
    return Refuse(topic, "invalid_topic", absl::StrCat("the broker takes ", Shown(topic.name), " for no topic name"),
                  now);
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
  if (topic.step == Topic::Step::kAppear) {
    if (now < topic.deadline) return AskAgain(topic, now);
    return Refuse(
        topic, "unknown_topic",
        absl::StrCat("topic ", Shown(topic.name),
                     " does not exist, and the broker did not make it (auto.create.topics.enable is off, or its ",
                     "log says why): create it, or set topic.creation.default.partitions and .replication.factor"),
        now);
  }
  topic.state = topic.state == Topic::State::kReady ? Topic::State::kUnknown : topic.state;
  if (rules_->GroupFor(topic.name)) {
    topic.step = Topic::Step::kCreate;
    topic.next_ask = now;
    return;
  }
  LetBrokerCreate(topic, now);
}

void TopicTable::LetBrokerCreate(Topic& topic, TimePoint now) {
  if (!options_.broker_creates) {
    return Refuse(
        topic, "unknown_topic",
        absl::StrCat("topic ", Shown(topic.name),
                     " does not exist and nobody may make it (allow.auto.create.topics=false): create it, or set ",
                     "topic.creation.default.partitions and .replication.factor"),
        now);
  }
  if (!topic.handle) to_open_.push_back(&topic);
  topic.step = Topic::Step::kAppear;
  topic.deadline = now + kBrokerCreatesWithin;
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
      if (options_.broker_creates) return LetBrokerCreate(topic, now);
      return Refuse(topic, "topic_authorization",
                    absl::StrCat("topic ", Shown(topic.name),
                                 " does not exist and Kafka's ACLs do not let us make it: create it, or grant CREATE"),
                    now);
    default:
      break;
  }
  if (IsPassing(answer.error)) {
    topic.next_ask = now + kPauseAfterFailure;
    return;
  }
  Refuse(topic, "topic_creation",
         absl::StrCat("topic ", Shown(topic.name), " cannot be made as topic.creation.",
                      rules_->GroupFor(topic.name)->name, ".* says (", rd_kafka_err2name(answer.error),
                      "): ", answer.text),
         now);
}

void TopicTable::TakeLimit(Topic& topic, const TopicLimit& answer, TimePoint now) {
  topic.limit_asked = false;
  if (IsUnknownTopic(answer.error)) {
    topic.limit_next_ask = topic.exists ? now + kPauseAfterFailure : TimePoint::max();
    return;
  }
  if (IsPassing(answer.error) && ++topic.limit_attempts < kLimitAttempts) {
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
