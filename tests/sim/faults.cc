// What can go wrong in a life, and what a seed decides before it begins.
#include <algorithm>
#include <iterator>

#include "sim/life.h"

namespace postrider::sim {

const std::vector<Life::Fault>& Life::Faults() {
  static const std::vector<Fault> faults = {
      {"relay killed", &Life::KillRelay},
      {"relay stopped", &Life::StopRelay},
      {"relay frozen", &Life::FreezeRelay},
      {"relay slow", &Life::SlowRelay},
      {"connection cut", &Life::CutConnection},
      {"link stalled", &Life::StallLink},
      {"writing blocked", &Life::BlockWriting},
      {"server crash", &Life::CrashServer},
      {"server stop", &Life::StopServer},
      {"server failover", &Life::Failover},
      {"slot held by another", &Life::HoldSlot},
      {"alter table", &Life::AlterTable},
      {"broker frozen", &Life::FreezeBroker},
      {"broker slow", &Life::SlowBroker},
      {"topic removed", &Life::RemoveTopic},
      {"poison refused", &Life::RefusePoison},
      {"logins refused", &Life::RefuseLogins},
      {"faulty deliveries", &Life::FaultyDeliveries},
      {"fatal producers", &Life::FatalProducers},
      {"making fails", &Life::FailMaking},
      {"reports stick", &Life::StickReports},
      {"acknowledgements lost", &Life::LoseAcknowledgements},
      {"link lost", &Life::LoseLink},
      {"lookups fail", &Life::FailLookups},
      {"wall clock set", &Life::JumpWallClock},
      {"evidence slow", &Life::SlowEvidence},
  };
  return faults;
}

Life::Traits Life::Draw(Random& random, config::Config& config) {
  Traits traits;
  traits.skips = random.Chance(30);
  traits.parks = !traits.skips && random.Chance(40);
  traits.evidence = random.Chance(50);
  traits.wal = {.unroutable_rows = (traits.skips || traits.parks) && random.Chance(50),
                .poison_rows = random.Chance(60),
                .rows_max = static_cast<int>(random.Between(1, 12)),
                .large_percent = static_cast<int>(random.Between(0, 3))};
  traits.server = {.skips_empty_transactions = random.Chance(60),
                   .remembers_over_a_clean_stop = random.Chance(50),
                   .snapshot = random.Chance(60),
                   .wal_sender_timeout_ms = random.Chance(50) ? 5'000 : 60'000};
  traits.commit_every_us = random.Skewed(30 * kMs, 400 * kMs);
  traits.commits_before = random.Chance(60) ? 30 : 400;
  traits.fault_every_us = random.Skewed(600 * kMs, 9 * kSecond);
  traits.troubled_us = random.Between(10 * kSecond, 60 * kSecond);
  for (size_t fault = 0; fault < Faults().size(); ++fault)
    if (random.Chance(40)) traits.faults.push_back(fault);

  config.slot.name = "outbox";
  config.heartbeat.topic = "topic0";
  config.converters.key.kind = config.converters.value.kind = config::ConverterKind::kJson;
  if (random.Chance(30)) config.heartbeat.interval_ms = random.Between(500, 5'000);
  config.slot.status_interval_ms = random.Chance(50) ? 1'000 : 10'000;
  config.relay.inflight_bytes_max = random.Chance(50) ? 8'000 : 200'000;
  if (traits.skips) config.relay.poison.policy = config::PoisonPolicy::kSkip;
  if (traits.parks) {
    config.relay.poison = {.policy = config::PoisonPolicy::kPark,
                           .attempts = static_cast<int>(random.Between(1, 3)),
                           .dead_letter_topic = std::string(kDeadLetterTopic)};
  }
  return traits;
}

void Life::PlanFaults() {
  if (!troubled_ || traits_.faults.empty()) return;
  world_.schedule.After(world_.random.Skewed(traits_.fault_every_us / 4, traits_.fault_every_us * 2), [this] {
    if (!troubled_) return;
    const Fault& fault = Faults()[traits_.faults[world_.random.Below(traits_.faults.size())]];
    world_.CountFault(fault.name);
    (this->*fault.strike)();
    PlanFaults();
  });
}

void Life::Mend() {
  troubled_ = false;
  applications_write_ = false;
  broker_.Mend();
  evidence_.Mend();
  server_.FailLookups(0);
  server_.HoldSlot(0);
}

// ---- the relay ------------------------------------------------------------------------------------------------------

void Life::KillRelay() {
  if (process_) EndProcess();
}

void Life::FreezeRelay() {
  // Often long enough for the server to give it up.
  const int64_t us = world_.random.Chance(70) ? Long() : world_.random.Between(6 * kSecond, 12 * kSecond);
  paused_until_us_ = std::max(paused_until_us_, world_.clock.now_us() + us);
  world_.Excuse(paused_until_us_ + 2 * kSecond);
}

void Life::SlowRelay() {
  paused_until_us_ = std::max(paused_until_us_, world_.clock.now_us() + world_.random.Between(1 * kMs, 400 * kMs));
}

// ---- PostgreSQL -----------------------------------------------------------------------------------------------------

void Life::CutConnection() {
  server_.CutConnection();
}

void Life::StallLink() {
  if (server_.stream()) server_.stream()->Stall(world_.random.Between(10 * kMs, 2 * kSecond));
}

void Life::BlockWriting() {
  if (server_.stream()) server_.stream()->BlockWriting(world_.random.Between(10 * kMs, 1'500 * kMs));
}

// Nothing comes through, and nobody is told: the server gives the other side up first.
void Life::LoseLink() {
  if (!server_.stream()) return;
  const int64_t us = world_.random.Between(4 * kSecond, 20 * kSecond);
  server_.stream()->Stall(us);
  server_.stream()->BlockWriting(us);
  world_.Excuse(world_.clock.now_us() + us + 2 * kSecond);
}

// A definition changes as well, or nothing would be looked up.
void Life::FailLookups() {
  server_.FailLookups(world_.random.Between(1 * kSecond, 10 * kSecond));
  server_.AlterTable();
}

void Life::HoldSlot() {
  server_.HoldSlot(world_.random.Between(500 * kMs, 5 * kSecond));
  server_.CutConnection();
}

// ---- Kafka ----------------------------------------------------------------------------------------------------------

void Life::FreezeBroker() {
  // Often long enough to be noticed as a stall.
  broker_.Freeze(world_.random.Chance(40) ? Long() : world_.random.Between(12 * kSecond, 30 * kSecond));
}
void Life::SlowBroker() {
  broker_.SlowDown(Long());
}
void Life::RemoveTopic() {
  broker_.RemoveTopic(static_cast<int>(world_.random.Below(kTopics)), Long());
}
void Life::RefusePoison() {
  constexpr Broker::Refusal kRefusals[] = {Broker::Refusal::kBatch, Broker::Refusal::kBatch, Broker::Refusal::kByName,
                                           Broker::Refusal::kAtOnce};
  broker_.RefusePoison(Long(), kRefusals[world_.random.Below(std::size(kRefusals))]);
}

// Often longer than the relay waits for them, while it has to repeat the stream.
void Life::StickReports() {
  broker_.StickReports(world_.random.Chance(50) ? Long() : world_.random.Between(12 * kSecond, 25 * kSecond));
  if (world_.random.Chance(50)) server_.CutConnection();
}

void Life::FaultyDeliveries() {
  broker_.SetTroubles({.passing_percent = static_cast<int>(world_.random.Between(0, 15)),
                       .lost_ack_percent = static_cast<int>(world_.random.Between(0, 15))},
                      Long());
}

void Life::FatalProducers() {
  broker_.SetTroubles({.fatal_percent = static_cast<int>(world_.random.Between(1, 20))}, Long());
}

}  // namespace postrider::sim
