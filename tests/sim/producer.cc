#include "sim/producer.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "relay/side_record.h"
#include "sim/server.h"

namespace postrider::sim {

using Kind = kafka::Acceptance::Kind;
using Outcome = kafka::Delivery::Outcome;
using EventKind = kafka::ProducerEvent::Kind;

namespace {

constexpr size_t kPartitions = kTopics * kPartitionsPerTopic;
const char* const kTopicNames[kTopics] = {"topic0", "topic1", "topic2"};

int TopicOf(std::string_view name) {
  return name.back() - '0';
}

}  // namespace

// Lives as long as anything of it is on its way.
struct Producer::Core : std::enable_shared_from_this<Core> {
  Core(World* its_world, Broker* its_broker, const Server* its_server, size_t budget, bool single)
      : world(its_world),
        broker(its_broker),
        server(its_server),
        budget_bytes(budget),
        single_record_batches(single),
        made_us(its_world->clock.now_us()) {}

  World* const world;
  Broker* const broker;
  const Server* const server;
  const size_t budget_bytes;
  const bool single_record_batches;
  const int64_t made_us;

  bool gone = false;  // the relay has destroyed it
  bool purged = false;
  bool broken = false;  // fatal
  struct Partition {
    std::deque<BatchRecord> queue;
    std::vector<BatchRecord> on_its_way;
    bool refused = false;  // a batch was: nothing later is taken
  };
  Partition partitions[kPartitions];
  bool topic_known[kTopics] = {};
  bool topic_asked[kTopics] = {};
  size_t outstanding = 0;        // accepted and not reported to the relay yet
  size_t rows = 0;               // of these; the other one is a heartbeat
  size_t outstanding_bytes = 0;  // likewise
  std::vector<std::pair<kafka::Delivery, BatchRecord>> reports;
  std::vector<kafka::ProducerEvent> events;

  void Report(const BatchRecord& record, Outcome outcome, int topic) {
    if (gone) return;
    kafka::Delivery delivery{.tag = record.tag, .outcome = outcome};
    if (outcome != Outcome::kAcknowledged) {
      delivery.code = "SIMULATED";
      delivery.topic = kTopicNames[topic];
      delivery.record_bytes = record.wire_bytes;
    }
    const int64_t late_us = broker->reports_stick_until_us(made_us) - world->clock.now_us();
    if (late_us > 0) {
      world->CountFault("report late");
      world->schedule.After(late_us, [core = shared_from_this(), delivery, record] { core->Queue(delivery, record); });
    } else {
      Queue(delivery, record);
    }
  }
  void Queue(const kafka::Delivery& delivery, const BatchRecord& record) {
    if (gone) return;
    reports.emplace_back(delivery, record);
    world->Ring();
  }
  void Tell(EventKind kind) {
    if (gone) return;
    events.push_back({.kind = kind, .text = "simulated"});
    world->Ring();
  }
};

// ---- the factory ----------------------------------------------------------------------------------------------------

absl::StatusOr<std::unique_ptr<kafka::Producer>> ProducerFactory::Make(const kafka::ProducerSettings& settings) {
  if (made_one_ && broker_->making_fails()) {
    world_->CountFault("producer not made");
    return MakeFault(Fault::kConfiguration, "a certificate cannot be read");
  }
  made_one_ = true;
  if (settings.single_record_batches) world_->census->Count("ways", "one record a batch");
  return std::make_unique<Producer>(world_, broker_, server_, budget_bytes_, settings.single_record_batches);
}

// ---- towards the relay ----------------------------------------------------------------------------------------------

Producer::Producer(World* world, Broker* broker, const Server* server, size_t budget_bytes, bool single_record_batches)
    : core_(std::make_shared<Core>(world, broker, server, budget_bytes, single_record_batches)) {
  world->schedule.After(world->random.Skewed(1 * kMs, 50 * kMs), [core = core_] {
    if (core->broker->logins_refused()) {
      if (!core->gone) core->world->CountFault("login refused");
      core->Tell(EventKind::kRefused);
    } else {
      core->Tell(core->broker->frozen() ? EventKind::kAllDown : EventKind::kConnected);
    }
  });
}

Producer::~Producer() {
  if (core_->outstanding > 0) core_->world->CountFault("gone with records in flight");
  core_->world->in_flight -= static_cast<int>(core_->outstanding);
  core_->gone = true;
}

kafka::Acceptance Producer::LookUp(int topic) {
  if (core_->topic_known[topic] && core_->broker->HasTopic(topic)) return {};
  if (core_->topic_known[topic] && !core_->topic_asked[topic] && core_->world->random.Chance(50))
    return {};  // not noticed yet
  if (core_->topic_known[topic]) {
    core_->world->census->Count("ways", "topic refused");
    return {.kind = Kind::kHeld, .code = "unknown_topic", .reason = "simulated"};
  }
  if (!core_->topic_asked[topic]) {
    core_->topic_asked[topic] = true;
    core_->world->schedule.After(core_->broker->TravelUs(), [core = core_, topic] {
      core->topic_known[topic] = !core->broker->frozen();
      core->topic_asked[topic] = false;
      core->world->Ring();
    });
  }
  return {.kind = Kind::kWait};
}

kafka::Acceptance Producer::CheckTopic(std::string_view topic, size_t, std::optional<int32_t>) {
  if (core_->broken || core_->purged) return {.kind = Kind::kBroken};
  return LookUp(TopicOf(topic));
}

kafka::Acceptance Producer::Produce(const Record& record, uint64_t tag) {
  if (core_->broken || core_->purged) return {.kind = Kind::kBroken};
  const int topic = TopicOf(record.topic);
  if (kafka::Acceptance acceptance = LookUp(topic); acceptance.kind != Kind::kAccepted) return acceptance;
  if (core_->world->random.Chance(1)) return {.kind = Kind::kWait};  // its queue is full for a moment

  const Server& server = *core_->server;
  Ledger& ledger = core_->world->ledger;
  const bool row = tag != relay::SideRecord::kTag;
  const uint64_t id = row ? IdOf(record.id) : 0;
  const bool letter = record.topic.starts_with(kDeadLetterTopic);
  if (letter && ledger.KindOf(id) != RowKind::kPoison && ledger.KindOf(id) != RowKind::kUnroutable)
    ledger.Violation(absl::StrCat("row ", id, " was parked, and nothing is wrong with it"));
  if (letter && core_->broker->refuses_poison() && core_->world->random.Chance(30)) {
    core_->world->CountFault("dead letter refused");
    return {.kind = Kind::kHeld, .code = "record_too_large", .reason = "simulated"};
  }
  if (letter) core_->world->census->Count("ways", "dead letter");
  if (!letter && ledger.KindOf(id) == RowKind::kPoison && core_->broker->refuses_at_once()) {
    core_->world->CountFault("record refused at once");
    return {.kind = Kind::kHeld, .code = "record_too_large", .reason = "simulated"};
  }
  if (row) ledger.Produced(id, /*in_snapshot=*/!server.slot_exists());
  if (!row) core_->world->census->Count("ways", "heartbeat");
  if (row && !letter &&
      IdOf(record.headers.front().value.value_or("0")) < static_cast<uint64_t>(server.CatalogueOf(ledger.TableOf(id))))
    ledger.Violation("a plan made of a catalogue that is older than the relation");
  const size_t budget = BudgetBytes(record);
  const size_t others = row ? core_->rows : core_->outstanding;
  if (others > 0 && core_->outstanding_bytes + budget > core_->budget_bytes)
    ledger.Violation(absl::StrCat("the byte budget was exceeded: ", core_->outstanding_bytes + budget));

  const size_t partition =
      row && !letter ? static_cast<size_t>(Row{.key = static_cast<int>(IdOf(record.key.value_or("0")))}.partition())
                     : 0;
  core_->outstanding_bytes += budget;
  ++core_->outstanding;
  core_->rows += row;
  ++core_->world->in_flight;
  core_->partitions[partition].queue.push_back({.id = id,
                                                .tag = tag,
                                                .budget_bytes = budget,
                                                .wire_bytes = budget - kRecordOverheadBytes,
                                                .kind = letter ? RowKind::kEvent : ledger.KindOf(id)});
  Kick(core_, partition);
  return {};
}

void Producer::Poll(std::vector<kafka::Delivery>& deliveries, std::vector<kafka::ProducerEvent>& events) {
  for (const auto& [delivery, record] : std::exchange(core_->reports, {})) {
    --core_->outstanding;
    core_->rows -= record.id != 0;
    --core_->world->in_flight;
    core_->outstanding_bytes -= record.budget_bytes;
    if (delivery.outcome == Outcome::kAcknowledged && record.id != 0) core_->world->ledger.Acknowledged(record.id);
    deliveries.push_back(delivery);
  }
  for (kafka::ProducerEvent& event : core_->events) events.push_back(std::move(event));
  core_->events.clear();
}

void Producer::Purge() {
  core_->purged = true;
  for (size_t partition = 0; partition < kPartitions; ++partition) {
    Core::Partition& place = core_->partitions[partition];
    const int topic = static_cast<int>(partition) / kPartitionsPerTopic;
    for (const BatchRecord& record : place.on_its_way) core_->Report(record, Outcome::kPurged, topic);
    for (const BatchRecord& record : std::exchange(place.queue, {})) core_->Report(record, Outcome::kPurged, topic);
  }
}

size_t Producer::outstanding() const {
  return core_->outstanding;
}

// ---- towards the broker ---------------------------------------------------------------------------------------------

void Producer::Kick(const std::shared_ptr<Core>& core, size_t partition) {
  Core::Partition& place = core->partitions[partition];
  if (core->purged || core->gone || place.refused || place.queue.empty() || !place.on_its_way.empty()) return;
  const size_t most = core->single_record_batches ? 1 : static_cast<size_t>(core->world->random.Between(1, 8));
  while (place.on_its_way.size() < most && !place.queue.empty()) {
    place.on_its_way.push_back(place.queue.front());
    place.queue.pop_front();
  }
  core->world->schedule.After(core->broker->TravelUs(), [core, partition] { Arrive(core, partition); });
}

void Producer::Arrive(const std::shared_ptr<Core>& core, size_t partition) {
  World* const world = core->world;
  if (core->broker->frozen()) {
    const int64_t wait_us =
        core->broker->frozen_until_us() - world->clock.now_us() + world->random.Between(0, 50 * kMs);
    return world->schedule.After(wait_us, [core, partition] { Arrive(core, partition); });
  }
  if (core->gone || core->purged) {
    if (world->random.Chance(50)) return;  // its connection was closed before it was read
    world->CountFault("written after the purge");
  }
  Core::Partition& place = core->partitions[partition];
  const int topic = static_cast<int>(partition) / kPartitionsPerTopic;
  const Broker::Verdict verdict = core->broker->Take(topic, place.on_its_way);
  place.refused |= verdict.outcome != Outcome::kAcknowledged;
  core->broken |= verdict.fatal;
  world->schedule.After(core->broker->TravelUs(), [core, partition, topic, verdict] {
    Core::Partition& answered = core->partitions[partition];
    const std::vector<BatchRecord> batch = std::exchange(answered.on_its_way, {});
    if (core->purged) return;  // they were reported when it was
    for (size_t index = 0; index < batch.size(); ++index) {
      const bool guilty = std::count(verdict.guilty.begin(), verdict.guilty.end(), index) > 0;
      const bool neighbour = verdict.outcome == Outcome::kRecord && !guilty;
      core->Report(batch[index], neighbour ? Outcome::kPurged : verdict.outcome, topic);
    }
    if (verdict.fatal) core->Tell(EventKind::kFatal);
    Kick(core, partition);
  });
}

}  // namespace postrider::sim
