#include "monitor/metric_table.h"

namespace postrider::monitor {

const std::vector<Metric>& MetricTable() {
  using enum MetricKind;
  using enum MetricSource;
  static const std::vector<Metric> table = {
      // ---- the slot, seen from outside of the stream
      // -----------------------------------------------------------------
      {"postrider_slot_present", kGauge, kSlot, "", "1: the slot is there; 0: there is none of this name.",
       "0 while a relay should run"},
      {"postrider_slot_active", kGauge, kSlot, "", "1: a program reads the slot.", "0 for minutes while WAL waits"},
      {"postrider_slot_retained_bytes", kGauge, kSlot, "",
       "WAL that the server keeps for the slot: from restart_lsn to the end of the log.",
       "it comes near the limit, or fills the disk"},
      {"postrider_slot_unconfirmed_bytes", kGauge, kSlot, "",
       "WAL from confirmed_flush_lsn to the end of the log: what is not yet known to be in Kafka.", "it only grows"},
      {"postrider_slot_safe_wal_bytes", kGauge, kSlot, "",
       "WAL that may still be written before the slot may be lost, by the server's limit or "
       "postrider.wal.budget.bytes. Absent "
       "without either.",
       "below 0: the next checkpoint takes the slot"},
      {"postrider_slot_wal_limit_bytes", kGauge, kSlot, "",
       "The limit: max_slot_wal_keep_size, or postrider.wal.budget.bytes where the server has none. Absent without "
       "either.",
       ""},
      {"postrider_slot_wal_unlimited", kGauge, kSlot, "", "1: max_slot_wal_keep_size sets no limit.",
       "1: a dead relay fills the database's disk"},
      {"postrider_slot_loss_forecast_seconds", kGauge, kSlot, "",
       "Seconds until the slot is lost, if things go on as they do; +Inf: never. Absent without a limit.",
       "below 72 h: somebody has to look before the weekend; below 4 h: now"},
      {"postrider_slot_wal_status", kGauge, kSlot, "status",
       "1 for the slot's wal_status: reserved, extended, unreserved, lost.",
       "unreserved: lost soon; lost: events are lost"},
      {"postrider_slot_invalidated", kGauge, kSlot, "reason",
       "1, with the server's invalidation_reason, where the slot was invalidated. Else absent.", "it is there"},
      {"postrider_slot_inactive_seconds", kGauge, kSlot, "",
       "Since when nobody reads the slot (PostgreSQL 17 and later). Absent while somebody does.", "minutes"},
      {"postrider_slot_catalog_xmin_age_transactions", kGauge, kSlot, "",
       "Age of catalog_xmin: dead rows of system catalogues that vacuum has to keep.", "above 200 million"},
      {"postrider_slot_spilled_transactions_total", kCounter, kSlot, "",
       "Transactions that decoding wrote to the server's disk, since its statistics were reset (PostgreSQL 14 and "
       "later).",
       ""},
      {"postrider_slot_spilled_bytes_total", kCounter, kSlot, "", "Bytes of them.",
       "a steady rate: raise logical_decoding_work_mem"},
      {"postrider_slot_streamed_transactions_total", kCounter, kSlot, "",
       "Open transactions that decoding streamed; Postrider asks for none.", ""},
      {"postrider_slot_streamed_bytes_total", kCounter, kSlot, "", "Bytes of them.", ""},
      {"postrider_slot_decoded_transactions_total", kCounter, kSlot, "",
       "Transactions decoded for the slot, since the server's statistics were reset (PostgreSQL 14 and later).", ""},
      {"postrider_slot_decoded_bytes_total", kCounter, kSlot, "", "Bytes of them.", ""},
      {"postrider_oldest_unpublished_age_seconds", kGauge, kSlot, "",
       "How old the oldest event may be that is not in Kafka yet; 0: none older than two seconds. Absent: unknown.",
       "above the time that consumers may wait (2 minutes)"},
      {"postrider_published_until_timestamp_seconds", kGauge, kSlot, "",
       "Every transaction committed before this time is in Kafka. Absent: unknown.", "it stands still"},
      {"postrider_published_until_lsn_bytes", kGauge, kSlot, "",
       "The same as a position of the log: everything up to it is in Kafka.", ""},
      {"postrider_wal_bytes_per_second", kGauge, kSlot, "", "How fast the server writes WAL, over the last minute.",
       ""},
      {"postrider_wal_position_bytes", kGauge, kSlot, "", "The end of the server's log.", ""},
      {"postrider_oldest_transaction_age_seconds", kGauge, kSlot, "kind",
       "Age of the oldest transaction that has written and is not over, open or prepared; the slot keeps WAL from "
       "there on. "
       "Absent without pg_monitor, and while there is none.",
       "hours: it pins the slot; /status names its pid"},
      {"postrider_other_slot_active", kGauge, kSlot, "other_slot", "1: a program reads this other slot of the server.",
       ""},
      {"postrider_other_slot_retained_bytes", kGauge, kSlot, "other_slot", "WAL kept for another slot of the server.",
       "it only grows"},
      {"postrider_other_slot_safe_wal_bytes", kGauge, kSlot, "other_slot",
       "WAL that may still be written before it may be lost. Absent without a limit.", ""},
      {"postrider_other_slot_lost", kGauge, kSlot, "other_slot", "1: it is lost, and only its name is left.",
       "1: drop it"},
      {"postrider_unpublished_tables", kGauge, kSlot, "",
       "Tables that the configuration's lists match and the publication leaves out, looked up every 30 seconds. Absent "
       "without the "
       "publication.",
       "above 0: their rows are not published"},
      {"postrider_server_info", kGauge, kSlot, "version recovery",
       "1, with the server's version and whether it is a standby.", ""},
      {"postrider_watcher_up", kGauge, kSlot, "", "1: the last round of questions was answered.",
       "0: the slot is not watched"},
      {"postrider_watcher_last_success_timestamp_seconds", kGauge, kSlot, "", "When the last round was answered.",
       "minutes ago"},
      {"postrider_watcher_rounds_total", kCounter, kSlot, "", "Rounds of questions.", ""},
      {"postrider_watcher_failed_rounds_total", kCounter, kSlot, "", "Rounds that failed.", ""},
      {"postrider_watcher_sees_transactions", kGauge, kSlot, "",
       "1: the role has pg_monitor's rights, and sees open transactions.", "0: GRANT pg_monitor"},
      // ---- the relay
      // -------------------------------------------------------------------------------------------------
      {"postrider_state", kGauge, kRelay, "state", "1 for the state that the relay is in, 0 for the others.",
       "held, stalled, waiting or failed for minutes"},
      {"postrider_leader", kGauge, kRelay, "", "1: this process holds the slot.", "0 in all processes"},
      {"postrider_kafka_reachable", kGauge, kRelay, "", "1: a broker answers.", "0"},
      {"postrider_events_total", kCounter, kRelay, "table topic outcome",
       "Rows by what became of them: read, routed, acknowledged, ignored, repeated, held, parked, skipped. 200 pairs "
       "of table and "
       "topic; the rest counts as \"other\".",
       "held, parked or skipped rise"},
      {"postrider_event_bytes_total", kCounter, kRelay, "table topic outcome",
       "Bytes of the records of these events (key, value, headers); 0 where there was no record.", ""},
      {"postrider_held_events", kGauge, kRelay, "",
       "1 while an event or a topic is held and everything behind it waits.", "1"},
      {"postrider_commit_to_ack_seconds", kHistogram, kRelay, "",
       "From an event's commit (the server's clock) to Kafka's acknowledgement (this machine's clock).",
       "its 99th percentile rises"},
      {"postrider_produce_to_ack_seconds", kHistogram, kRelay, "",
       "From handing a record to librdkafka to Kafka's acknowledgement.",
       "its 99th percentile rises: the broker is slow"},
      {"postrider_inflight_bytes", kGauge, kRelay, "",
       "Records on their way to Kafka, counted as postrider.inflight.bytes does.",
       "at the budget: the broker is the limit"},
      {"postrider_inflight_events", kGauge, kRelay, "", "Their number.", ""},
      {"postrider_wal_read_bytes_total", kCounter, kRelay, "", "Bytes of pgoutput read from stream and snapshot.", ""},
      {"postrider_transactions_read_total", kCounter, kRelay, "", "Commits read.", ""},
      {"postrider_last_ack_timestamp_seconds", kGauge, kRelay, "",
       "When Kafka last acknowledged an event. Absent before the first.", ""},
      {"postrider_reconnects_total", kCounter, kRelay, "side",
       "Streams that were lost (postgres) and producers that were replaced (kafka).", "several an hour"},
      {"postrider_expansions_failed_total", kCounter, kRelay, "",
       "Payloads that were to be expanded as JSON and went out as text.", "it rises"},
      {"postrider_gaps_accepted_total", kCounter, kRelay, "", "Gaps gone over at a start, with --accept-gap.", ""},
      {"postrider_vanished_transactions_total", kCounter, kRelay, "",
       "Transactions that were published and that the server does not have after a failover.", "it rises"},
      {"postrider_vanished_events_total", kCounter, kRelay, "", "Their events.", "it rises"},
      {"postrider_loop_turned_timestamp_seconds", kGauge, kRelay, "", "The loop's last turn.", "15 seconds ago"},
      // ---- librdkafka's statistics, every 10 seconds; counters begin anew with each producer
      // --------------------------
      {"postrider_kafka_queue_messages", kGauge, kKafka, "", "Records in librdkafka's queue.", ""},
      {"postrider_kafka_queue_bytes", kGauge, kKafka, "", "Bytes in librdkafka's queue.", ""},
      {"postrider_kafka_reply_queue", kGauge, kKafka, "", "Reports that wait for the loop.",
       "it stays high: the loop is slow"},
      {"postrider_kafka_requests_total", kCounter, kKafka, "", "Requests sent.", ""},
      {"postrider_kafka_request_bytes_total", kCounter, kKafka, "", "Bytes of them.", ""},
      {"postrider_kafka_responses_total", kCounter, kKafka, "", "Answers received.", ""},
      {"postrider_kafka_messages_total", kCounter, kKafka, "", "Records sent.", ""},
      {"postrider_kafka_message_bytes_total", kCounter, kKafka, "", "Bytes of them.", ""},
      {"postrider_kafka_batch_bytes", kGauge, kKafka, "", "Average size of a batch in the last interval.", ""},
      {"postrider_kafka_batch_messages", kGauge, kKafka, "", "Average number of records in a batch.", ""},
      {"postrider_kafka_epoch_changes_total", kCounter, kKafka, "", "Epochs of the producer id that were used up.",
       "it rises"},
      {"postrider_kafka_broker_up", kGauge, kKafka, "broker", "1: the connection to this broker is up.",
       "0 of a partition's leader"},
      {"postrider_kafka_broker_connects_total", kCounter, kKafka, "broker", "Connection attempts.", ""},
      {"postrider_kafka_broker_disconnects_total", kCounter, kKafka, "broker", "Connections that ended.", ""},
      {"postrider_kafka_broker_requests_waiting", kGauge, kKafka, "broker", "Requests not sent yet.", ""},
      {"postrider_kafka_broker_requests_inflight", kGauge, kKafka, "broker", "Requests without an answer yet.", ""},
      {"postrider_kafka_broker_send_errors_total", kCounter, kKafka, "broker", "Requests that could not be sent.", ""},
      {"postrider_kafka_broker_send_retries_total", kCounter, kKafka, "broker",
       "Requests sent again: an early warning.", "it rises"},
      {"postrider_kafka_broker_request_timeouts_total", kCounter, kKafka, "broker",
       "Requests without an answer in time.", "it rises"},
      {"postrider_kafka_broker_receive_errors_total", kCounter, kKafka, "broker", "Answers that could not be received.",
       ""},
      {"postrider_kafka_broker_round_trip_seconds", kGauge, kKafka, "broker percentile",
       "Time of a request in the last interval: percentiles 50, 99 and 100.", ""},
      {"postrider_kafka_broker_queued_seconds", kGauge, kKafka, "broker percentile",
       "Time of a record in librdkafka's queue in the last interval: percentiles 50, 99 and 100.", ""},
      {"postrider_kafka_broker_throttle_seconds", kGauge, kKafka, "broker",
       "How long the broker holds us back: a quota.", "above 0"},
      // ---- the process
      // -----------------------------------------------------------------------------------------------
      {"postrider_build_info", kGauge, kProcess, "version librdkafka", "1, with the versions.", ""},
      {"postrider_process_start_timestamp_seconds", kGauge, kProcess, "", "When the process began.",
       "again and again: it restarts"},
      {"postrider_process_cpu_seconds_total", kCounter, kProcess, "", "CPU time used, by all threads.", ""},
      {"postrider_process_resident_bytes", kGauge, kProcess, "", "Resident memory.", "above 100 MB"},
      {"postrider_process_open_fds", kGauge, kProcess, "", "Open descriptors.", ""},
  };
  return table;
}

const Metric* FindMetric(std::string_view name) {
  for (const Metric& metric : MetricTable())
    if (metric.name == name) return &metric;
  return nullptr;
}

}  // namespace postrider::monitor
