#include <string>
#include <utility>

#include "config/parts.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kDefaultGroup = "default";

// The group's numbers; 0 is no number of partitions, nor of replicas.
int Count(Draft& draft, const std::string& key) {
  const int64_t count = draft.Number(key);
  if (count == 0) draft.Refuse(key, "allowed is -1 (the broker's default) or a number from 1");
  return static_cast<int>(count);
}

int CountOr(Draft& draft, const std::string& key, int inherited) {
  return draft.Find(key) == nullptr ? inherited : Count(draft, key);
}

// Whether the worker would make topics at all: any rule makes the group default's numbers required.
bool HasRules(const Draft& draft) {
  for (const Setting& setting : draft.settings().all()) {
    if (setting.key.starts_with("topic.creation.") && setting.key != "topic.creation.enable") return true;
  }
  return false;
}

TopicGroup MakeGroup(Draft& draft, const std::string& name, const TopicGroup& defaults) {
  const std::string prefix = Cat("topic.creation.", name, ".");
  TopicGroup group;
  group.name = name;
  group.include = draft.Text(Cat(prefix, "include"));
  group.exclude = draft.Text(Cat(prefix, "exclude"));
  group.partitions = CountOr(draft, Cat(prefix, "partitions"), defaults.partitions);
  group.replication_factor = CountOr(draft, Cat(prefix, "replication.factor"), defaults.replication_factor);
  for (const Setting& setting : draft.settings().all()) {
    std::string_view property = setting.key;
    if (!ConsumePrefix(property, prefix)) continue;
    if (property == "include" || property == "exclude" || property == "partitions" || property == "replication.factor")
      continue;
    group.properties.emplace_back(property, setting.value);
  }
  return group;
}

// The dead-letter topic is made as Connect makes it for sinks (DeadLetterQueueReporter): one partition, replicas of its
// own.
void AddDeadLetterGroup(Draft& draft, const Poison& poison, Producer& producer) {
  if (poison.dead_letter_topic.empty()) return;
  TopicGroup group;
  group.name = "errors.deadletterqueue";
  group.include = Cat("\\Q", poison.dead_letter_topic, "\\E");
  group.partitions = 1;
  group.replication_factor = Count(draft, "errors.deadletterqueue.topic.replication.factor");
  producer.topic_groups.push_back(std::move(group));
}

}  // namespace

// Connect's SourceConnectorConfig and TopicCreationGroup: groups in the order given, `default` last; the others take
// its numbers.
void MakeTopics(Draft& draft, const Poison& poison, Producer& producer) {
  producer.topic_creation_enable = draft.Flag("topic.creation.enable");
  AddDeadLetterGroup(draft, poison, producer);
  if (!producer.topic_creation_enable || !HasRules(draft)) return;
  for (const std::string_view name : {"partitions", "replication.factor"}) {
    const std::string key = Cat("topic.creation.default.", name);
    if (draft.settings().Find(key) == nullptr)
      draft.RefuseAll(
          Cat(key, " is missing: with any topic.creation key Connect requires it; -1 is the broker's default"));
  }
  TopicGroup last = MakeGroup(draft, std::string(kDefaultGroup), TopicGroup{});
  last.include = ".*";
  last.exclude.clear();
  for (const std::string& name : draft.List("topic.creation.groups")) {
    if (name == kDefaultGroup) continue;
    TopicGroup group = MakeGroup(draft, name, last);
    if (group.include.empty())
      draft.RefuseKey("topic.creation.groups",
                      Cat("names ", name, ", but topic.creation.", name, ".include is missing"));
    producer.topic_groups.push_back(std::move(group));
  }
  producer.topic_groups.push_back(std::move(last));
}

}  // namespace postrider::config
