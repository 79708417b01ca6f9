#include "monitor/exposition.h"

#include <algorithm>

#include "monitor/families.h"
#include "monitor/health.h"
#include "monitor/process.h"

namespace postrider::monitor {
namespace {

using relay::Fate;
using relay::State;

constexpr double kMicros = 1e6;
constexpr double kMillis = 1e3;

template <typename T>
double Load(const std::atomic<T>& value) {
  return static_cast<double>(value.load(std::memory_order_relaxed));
}

std::optional<double> Seconds(const std::optional<int64_t>& us) {
  return us ? std::optional<double>(static_cast<double>(*us) / kMicros) : std::nullopt;
}

// A time of the monotonic clock as one of the calendar.
double Timestamp(const Clock& clock, int64_t us) {
  return static_cast<double>(clock.UnixMillis()) / kMillis -
         static_cast<double>(clock.MonotonicMicros() - us) / kMicros;
}

void AddOurSlot(const postrider::postgres::SlotReading& slot, const postgres::SlotReport& report, Families& out) {
  out.Add("postrider_slot_active", slot.active ? 1 : 0);
  out.Add("postrider_slot_retained_bytes", slot.retained_bytes);
  out.Add("postrider_slot_unconfirmed_bytes", slot.unconfirmed_bytes);
  if (!slot.wal_status.empty()) {
    for (const char* status : {"reserved", "extended", "unreserved", "lost"})
      out.Add("postrider_slot_wal_status", slot.wal_status == status ? 1 : 0, {{"status", status}});
  }
  if (!slot.invalidation_reason.empty())
    out.Add("postrider_slot_invalidated", 1, {{"reason", slot.invalidation_reason}});
  out.Add("postrider_slot_inactive_seconds", Seconds(slot.inactive_us(report.server_us)));
  out.Add("postrider_slot_catalog_xmin_age_transactions", slot.catalog_xmin_age);
}

void AddDecoding(const postgres::DecodingCounters& decoding, Families& out) {
  out.Add("postrider_slot_spilled_transactions_total", static_cast<double>(decoding.spilled_transactions));
  out.Add("postrider_slot_spilled_bytes_total", static_cast<double>(decoding.spilled_bytes));
  out.Add("postrider_slot_streamed_transactions_total", static_cast<double>(decoding.streamed_transactions));
  out.Add("postrider_slot_streamed_bytes_total", static_cast<double>(decoding.streamed_bytes));
  out.Add("postrider_slot_decoded_transactions_total", static_cast<double>(decoding.total_transactions));
  out.Add("postrider_slot_decoded_bytes_total", static_cast<double>(decoding.total_bytes));
}

void AddReport(const postgres::SlotReport& report, Families& out) {
  out.Add("postrider_slot_present", report.slot ? 1 : 0);
  out.Add("postrider_slot_wal_unlimited", report.slot_limit_bytes ? 0 : 1);
  if (report.slot) AddOurSlot(*report.slot, report, out);
  if (report.decoding) AddDecoding(*report.decoding, out);
  out.Add("postrider_wal_position_bytes", static_cast<double>(report.current_lsn.value()));
  if (report.oldest) {
    out.Add("postrider_oldest_transaction_age_seconds", static_cast<double>(report.oldest->age_us) / kMicros,
            {{"kind", report.oldest->gid.empty() ? "open" : "prepared"}});
  }
  out.Add("postrider_unpublished_tables", report.unpublished_tables);
  out.Add("postrider_watcher_sees_transactions", report.sees_transactions ? 1 : 0);
  for (const postgres::SlotReading& other : report.others) {
    out.Add("postrider_other_slot_active", other.active ? 1 : 0, {{"other_slot", other.name}});
    out.Add("postrider_other_slot_retained_bytes", other.retained_bytes, {{"other_slot", other.name}});
    out.Add("postrider_other_slot_safe_wal_bytes", other.safe_wal_bytes, {{"other_slot", other.name}});
    out.Add("postrider_other_slot_lost", other.lost() ? 1 : 0, {{"other_slot", other.name}});
  }
  out.Add("postrider_server_info", 1,
          {{"version", report.version_name()}, {"recovery", report.in_recovery ? "true" : "false"}});
}

void AddView(const View& view, Families& out) {
  if (view.report) AddReport(*view.report, out);
  out.Add("postrider_slot_safe_wal_bytes", view.safe_wal_bytes);
  out.Add("postrider_slot_wal_limit_bytes", view.wal_limit_bytes);
  out.Add("postrider_slot_loss_forecast_seconds", view.loss_forecast_s);
  out.Add("postrider_wal_bytes_per_second", view.wal_bytes_per_s);
  out.Add("postrider_oldest_unpublished_age_seconds", Seconds(view.oldest_unpublished_us));
  if (view.published_until_unix_ms) {
    out.Add("postrider_published_until_timestamp_seconds",
            static_cast<double>(*view.published_until_unix_ms) / kMillis);
    out.Add("postrider_published_until_lsn_bytes", static_cast<double>(view.acknowledged_lsn.value()));
  }
  out.Add("postrider_watcher_up", view.report ? 1 : 0);
  if (view.last_success_unix_ms != 0) {
    out.Add("postrider_watcher_last_success_timestamp_seconds",
            static_cast<double>(view.last_success_unix_ms) / kMillis);
  }
  out.Add("postrider_watcher_rounds_total", static_cast<double>(view.rounds));
  out.Add("postrider_watcher_failed_rounds_total", static_cast<double>(view.failed_rounds));
}

void AddStats(const relay::Stats& stats, const Clock& clock, Families& out) {
  const State state = stats.state.load(std::memory_order_relaxed);
  for (int i = static_cast<int>(State::kStarting); i <= static_cast<int>(State::kFailed); ++i)
    out.Add("postrider_state", static_cast<int>(state) == i ? 1 : 0,
            {{"state", relay::StateName(static_cast<State>(i))}});
  out.Add("postrider_leader", Leadership(&stats).good ? 1 : 0);
  out.Add("postrider_kafka_reachable", stats.kafka_reached.load(std::memory_order_relaxed) ? 1 : 0);
  out.Add("postrider_held_events", Load(stats.events_held));
  out.Add("postrider_inflight_bytes", Load(stats.inflight_bytes));
  out.Add("postrider_inflight_events", Load(stats.inflight_records));
  out.Add("postrider_wal_read_bytes_total", Load(stats.wal_bytes));
  out.Add("postrider_transactions_read_total", Load(stats.transactions));
  if (const int64_t us = stats.last_acknowledged_us.load(std::memory_order_relaxed); us != 0)
    out.Add("postrider_last_ack_timestamp_seconds", Timestamp(clock, us));
  out.Add("postrider_reconnects_total", Load(stats.reconnects_postgres), {{"side", "postgres"}});
  out.Add("postrider_reconnects_total", Load(stats.reconnects_kafka), {{"side", "kafka"}});
  out.Add("postrider_expansions_failed_total", Load(stats.expansions_failed));
  out.Add("postrider_gaps_accepted_total", Load(stats.gaps_accepted));
  out.Add("postrider_vanished_transactions_total", Load(stats.transactions_vanished));
  out.Add("postrider_vanished_events_total", Load(stats.events_vanished));
  out.Add("postrider_loop_turned_timestamp_seconds",
          Timestamp(clock, stats.stepped_us.load(std::memory_order_relaxed)));
}

void AddMeter(const relay::Meter& meter, Families& out) {
  for (size_t i = 0; i < meter.size(); ++i) {
    const relay::Meter::Series& series = meter.at(i);
    for (size_t fate = 0; fate < relay::kFates; ++fate) {
      const uint64_t events = series.events[fate].load(std::memory_order_relaxed);
      if (events == 0) continue;
      const Families::Labels labels = {
          {"table", series.table}, {"topic", series.topic}, {"outcome", relay::FateName(static_cast<Fate>(fate))}};
      out.Add("postrider_events_total", static_cast<double>(events), labels);
      out.Add("postrider_event_bytes_total", static_cast<double>(series.bytes[fate].load(std::memory_order_relaxed)),
              labels);
    }
  }
  out.AddHistogram("postrider_commit_to_ack_seconds", meter.commit_to_ack);
  out.AddHistogram("postrider_produce_to_ack_seconds", meter.produce_to_ack);
}

void AddWindow(const char* name, const kafka::LatencyWindow& window, std::string_view broker, Families& out) {
  out.Add(name, static_cast<double>(window.p50_us) / kMicros, {{"broker", broker}, {"percentile", "50"}});
  out.Add(name, static_cast<double>(window.p99_us) / kMicros, {{"broker", broker}, {"percentile", "99"}});
  out.Add(name, static_cast<double>(window.max_us) / kMicros, {{"broker", broker}, {"percentile", "100"}});
}

void AddBroker(const kafka::BrokerStatistics& broker, Families& out) {
  const auto add = [&](const char* name, int64_t value) {
    out.Add(name, static_cast<double>(value), {{"broker", broker.name}});
  };
  add("postrider_kafka_broker_up", broker.up ? 1 : 0);
  add("postrider_kafka_broker_connects_total", broker.connects);
  add("postrider_kafka_broker_disconnects_total", broker.disconnects);
  add("postrider_kafka_broker_requests_waiting", broker.requests_waiting);
  add("postrider_kafka_broker_requests_inflight", broker.requests_in_flight);
  add("postrider_kafka_broker_send_errors_total", broker.send_errors);
  add("postrider_kafka_broker_send_retries_total", broker.send_retries);
  add("postrider_kafka_broker_request_timeouts_total", broker.request_timeouts);
  add("postrider_kafka_broker_receive_errors_total", broker.receive_errors);
  AddWindow("postrider_kafka_broker_round_trip_seconds", broker.round_trip, broker.name, out);
  AddWindow("postrider_kafka_broker_queued_seconds", broker.queued, broker.name, out);
  out.Add("postrider_kafka_broker_throttle_seconds", static_cast<double>(broker.throttle_ms) / kMillis,
          {{"broker", broker.name}});
}

void AddKafka(const kafka::ProducerStatistics& kafka, Families& out) {
  const auto add = [&](const char* name, int64_t value) { out.Add(name, static_cast<double>(value)); };
  add("postrider_kafka_queue_messages", kafka.queue_messages);
  add("postrider_kafka_queue_bytes", kafka.queue_bytes);
  add("postrider_kafka_reply_queue", kafka.reply_queue);
  add("postrider_kafka_requests_total", kafka.requests);
  add("postrider_kafka_request_bytes_total", kafka.request_bytes);
  add("postrider_kafka_responses_total", kafka.responses);
  add("postrider_kafka_messages_total", kafka.messages);
  add("postrider_kafka_message_bytes_total", kafka.message_bytes);
  add("postrider_kafka_batch_bytes", kafka.batch_bytes);
  add("postrider_kafka_batch_messages", kafka.batch_messages);
  add("postrider_kafka_epoch_changes_total", kafka.epoch_changes);
  for (const kafka::BrokerStatistics& broker : kafka.brokers) AddBroker(broker, out);
}

void AddProcess(const ProcessFacts& process, Families& out) {
  out.Add("postrider_build_info", 1, {{"version", process.version}, {"librdkafka", process.librdkafka}});
  out.Add("postrider_process_start_timestamp_seconds", process.started_unix_s);
  out.Add("postrider_process_cpu_seconds_total", process.cpu_s);
  out.Add("postrider_process_resident_bytes", process.resident_bytes);
  out.Add("postrider_process_open_fds", process.open_fds);
}

}  // namespace

std::string Exposition(const Sources& sources, const View& view) {
  Families out(sources.slot);
  AddView(view, out);
  if (sources.stats != nullptr) {
    AddStats(*sources.stats, *sources.clock, out);
    AddMeter(sources.stats->meter, out);
  }
  if (sources.kafka != nullptr) {
    if (const auto statistics = sources.kafka->Read()) AddKafka(*statistics, out);
  }
  AddProcess(ReadProcessFacts(), out);
  return out.Serialize();
}

}  // namespace postrider::monitor
