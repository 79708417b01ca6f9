// What is known of each topic, and the look-ups that find it out.
//
//   unknown --describe--> ready                          its partitions are known, and its max.message.bytes where we
//   may ask
//      |--(missing)-----> create, then describe -> ready
//      `--(no, or no right)--> refused                   asked anew when a caller comes back after a second or more
//
// At first sight a topic is described, and its limit is asked for at the same time. A missing one is made by the group
// of topic.creation.* that it belongs to, else by the broker's own auto-creation where that is allowed: a metadata
// request that asks for it. No broker says whether it does so; a topic that is not there after three seconds counts as
// missing.
//
// The table decides; TopicAdmin asks. Answers come by name in any order. Look-ups of many topics run at once, at most
// kNamesPerRequest in a request and kRequestsAtOnce requests of a kind.
// Belongs to the loop's thread; time is given by the caller. Tested by tests/unit/kafka/topics_test.cc with scripted
// answers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kafka/producer.h"
#include "kafka/topic.h"
#include "kafka/topic_rules.h"

namespace postrider::kafka {

class TopicTable {
 public:
  struct Options {
    size_t max_request_bytes = 1'048'576;  // max.request.size
    size_t batch_bytes = 1'000'000;        // librdkafka's batch.size
    bool compressed = false;               // brokers count compressed batches, so only they can tell what is too large
    bool broker_creates = true;            // allow.auto.create.topics
  };

  // `rules` and `admin` outlive the table.
  TopicTable(const Options& options, const TopicRules* rules, TopicAdmin* admin);

  // The topic of this name, made at first sight; never moves, lives as long as the table. nullptr: the table is full.
  Topic* Find(std::string_view name);

  // Whether a record of `wire_bytes` may be produced to it now; starts look-ups as needed.
  Acceptance Check(Topic& topic, size_t wire_bytes, std::optional<int32_t> partition, TimePoint now);

  // librdkafka contradicts what we know of this topic: look again.
  void Distrust(Topic& topic, TimePoint now);

  // Whether its bytes in flight are counted: a batch may hold all of them, and must stay below the topic's limit.
  bool IsTight(const Topic& topic) const {
    return topic.max_message_bytes && *topic.max_message_bytes < options_.batch_bytes;
  }

  // Sends what is due. Called with every poll and every Check.
  void Tick(TimePoint now);

  void TakeDescriptions(const std::vector<TopicDescription>& answers, TimePoint now);
  void TakeCreations(const std::vector<TopicCreation>& answers, TimePoint now);
  void TakeLimits(const std::vector<TopicLimit>& answers, TimePoint now);

  // The topics that are to be opened in librdkafka (which asks for their metadata, and so makes a broker create them).
  std::vector<Topic*> TakeToOpen() { return std::exchange(to_open_, {}); }

 private:
  enum class Kind { kDescribe, kCreate, kLimit };

  Topic* Known(const std::string& name);
  void Look(Topic& topic, TimePoint now);
  void WantLimit(Topic& topic, TimePoint now);
  void Activate(Topic& topic);
  void TakeDescription(Topic& topic, const TopicDescription& answer, TimePoint now);
  void TakeCreation(Topic& topic, const TopicCreation& answer, TimePoint now);
  void TakeLimit(Topic& topic, const TopicLimit& answer, TimePoint now);
  void Missing(Topic& topic, TimePoint now);
  void AwaitBroker(Topic& topic, TimePoint now);
  void Settle(Topic& topic, TimePoint now);
  void Refuse(Topic& topic, std::string_view code, std::string reason, TimePoint now);
  void AskAgain(Topic& topic, TimePoint now);
  std::vector<Topic*> Due(Kind kind, TimePoint now) const;
  void Send(Kind kind, const std::vector<Topic*>& topics);
  Acceptance CheckReady(Topic& topic, size_t wire_bytes, std::optional<int32_t> partition, TimePoint now);

  const Options options_;
  const TopicRules* const rules_;
  TopicAdmin* const admin_;
  absl::flat_hash_map<std::string, std::unique_ptr<Topic>> topics_;
  std::vector<Topic*> active_;  // with a look-up under way
  std::vector<Topic*> to_open_;
  int requests_[3] = {0, 0, 0};  // outstanding, by Kind
};

}  // namespace postrider::kafka
