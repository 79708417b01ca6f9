#include "kafka/topics.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/text.h"

namespace postrider::kafka {
namespace {

constexpr size_t kTopicsMax = 100'000;  // names come from data; librdkafka keeps a few kB for each
constexpr size_t kNamesPerRequest = 64;
constexpr int kRequestsAtOnce = 4;
constexpr std::chrono::seconds kFreshFor(1);  // a refusal is looked into again after this
constexpr std::chrono::milliseconds kFirstPause(25);

// Kafka's rule (org.apache.kafka.common.internals.Topic).
bool IsLegalName(std::string_view name) {
  if (name.empty() || name.size() > 249 || name == "." || name == "..") return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  });
}

Acceptance Held(std::string_view code, std::string reason) {
  return {.kind = Acceptance::Kind::kHeld, .code = std::string(code), .reason = std::move(reason)};
}

Acceptance Wait() {
  return {.kind = Acceptance::Kind::kWait, .code = "", .reason = ""};
}

}  // namespace

std::string Topic::quoted() const {
  return absl::StrCat("\"", View(std::string_view(name).substr(0, 249)), "\"");
}

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
        topic->quoted(), " is no topic name for Kafka: 1 to 249 of a-z A-Z 0-9 . _ - are; see route.topic.regex, ",
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
                absl::StrCat("the record is for partition ", *partition, ", but topic ", topic.quoted(), " has ",
                             topic.partitions, " (0 to ", topic.partitions - 1,
                             "): add partitions to it, or correct the column that names the partition"));
  }
  if (wire_bytes > options_.max_request_bytes) {
    return Held("record_too_large",
                absl::StrCat("the record for topic ", topic.quoted(), " takes ", wire_bytes,
                             " bytes in Kafka's format and max.request.size allows ", options_.max_request_bytes,
                             ": raise producer.override.max.request.size and start again"));
  }
  if (!topic.max_message_bytes) return {};
  const size_t limit = *topic.max_message_bytes;
  if (wire_bytes > limit && !options_.compressed) {
    if (!topic.limit_wanted && now - topic.limit_looked_at >= kFreshFor) WantLimit(topic, now);
    return Held("record_too_large",
                absl::StrCat("the record takes ", wire_bytes, " bytes in Kafka's format and topic ", topic.quoted(),
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

}  // namespace postrider::kafka
