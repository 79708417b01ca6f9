#include "monitor/status_json.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/recent_log.h"
#include "monitor/health.h"

namespace postrider::monitor {
namespace {

// Members that are not known, and empty texts, are left out.
class Writer {
 public:
  void Open(const char* name) {
    json_.Key(name);
    json_.StartObject();
  }
  void OpenList(const char* name) {
    json_.Key(name);
    json_.StartArray();
  }
  void OpenItem() { json_.StartObject(); }
  void Close() { json_.EndObject(); }
  void CloseList() { json_.EndArray(); }

  void Text(const char* name, std::string_view text) {
    if (text.empty()) return;
    json_.Key(name);
    json_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
  void Position(const char* name, Lsn lsn) {
    if (lsn.valid()) Text(name, lsn.ToString());
  }
  void Flag(const char* name, bool value) {
    json_.Key(name);
    json_.Bool(value);
  }
  void Number(const char* name, int64_t value) {
    json_.Key(name);
    json_.Int64(value);
  }
  template <typename T>
  void Number(const char* name, const std::optional<T>& value) {
    if (value) Number(name, static_cast<int64_t>(*value));
  }
  void Real(const char* name, const std::optional<double>& value) {
    if (!value || !std::isfinite(*value)) return;
    json_.Key(name);
    json_.Double(*value);
  }
  // A whole object.
  void Raw(std::string_view object) { json_.RawValue(object.data(), object.size(), rapidjson::kObjectType); }
  template <typename T>
  void Number(const char* name, const std::atomic<T>& value) {
    Number(name, static_cast<int64_t>(value.load(std::memory_order_relaxed)));
  }
  std::string Finish() {
    json_.EndObject();
    return {buffer_.GetString(), buffer_.GetSize()};
  }

  Writer() : json_(buffer_) { json_.StartObject(); }

 private:
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> json_;
};

std::optional<int64_t> Millis(const std::optional<int64_t>& us) {
  return us ? std::optional<int64_t>(*us / 1000) : std::nullopt;
}

void WriteOurSlot(const postgres::SlotReading& slot, const postgres::SlotReport& report, Writer& json) {
  json.Flag("active", slot.active);
  if (slot.active) json.Number("active_pid", int64_t{slot.active_pid});
  json.Text("reader", slot.application_name);
  json.Text("wal_status", slot.wal_status);
  json.Text("invalidation_reason", slot.invalidation_reason);
  json.Position("restart_lsn", slot.restart_lsn);
  json.Position("confirmed_flush_lsn", slot.confirmed_flush_lsn);
  json.Number("retained_bytes", slot.retained_bytes);
  json.Number("unconfirmed_bytes", slot.unconfirmed_bytes);
  json.Number("inactive_ms", Millis(slot.inactive_us(report.server_us)));
  json.Flag("failover", slot.failover);
  json.Flag("synced", slot.synced);
}

void WriteSlot(const Sources& sources, const View& view, Writer& json) {
  json.Open("slot");
  json.Text("name", sources.slot);
  if (view.report) {
    json.Flag("present", view.report->slot.has_value());
    if (view.report->slot) WriteOurSlot(*view.report->slot, *view.report, json);
  }
  json.Number("safe_wal_bytes", view.safe_wal_bytes);
  json.Number("limit_bytes", view.wal_limit_bytes);
  json.Real("loss_forecast_s", view.loss_forecast_s);
  json.Real("wal_bytes_per_s", view.wal_bytes_per_s);
  json.Close();
}

void WriteServer(const View& view, Writer& json) {
  if (view.report) {
    json.Open("server");
    json.Text("version", view.report->version_name());
    json.Flag("in_recovery", view.report->in_recovery);
    json.Number("timeline", int64_t{view.report->timeline});
    json.Position("current_lsn", view.report->current_lsn);
    json.Close();
  }
  json.Open("watcher");
  json.Flag("up", view.report != nullptr);
  json.Text("failure", view.failure);
  if (view.last_success_unix_ms != 0) json.Number("last_success_ms", view.last_success_unix_ms);
  if (view.report) json.Text("blind_for", view.report->blind_for);
  json.Close();
  if (!view.report || !view.report->oldest) return;
  const postgres::OldestTransaction& oldest = *view.report->oldest;
  json.Open("oldest_transaction");
  if (oldest.pid != 0) json.Number("pid", int64_t{oldest.pid});
  json.Text("gid", oldest.gid);
  json.Text("database", oldest.database);
  json.Text("user", oldest.user);
  json.Number("age_ms", oldest.age_us / 1000);
  json.Close();
}

void WritePublication(const View& view, Writer& json) {
  json.Open("publication");
  json.Number("oldest_unpublished_ms", Millis(view.oldest_unpublished_us));
  json.Number("published_until_ms", view.published_until_unix_ms);
  if (view.published_until_unix_ms) json.Position("published_until_lsn", view.acknowledged_lsn);
  json.Close();
}

void WriteRelay(const relay::Stats& stats, Writer& json) {
  json.Open("relay");
  json.Number("events_produced", stats.events_produced);
  json.Number("events_acknowledged", stats.events_acknowledged);
  json.Number("events_repeated", stats.events_repeated);
  json.Number("events_ignored", stats.events_ignored);
  json.Number("events_held", stats.events_held);
  json.Number("events_parked", stats.events_parked);
  json.Number("events_skipped", stats.events_skipped);
  json.Number("expansions_failed", stats.expansions_failed);
  json.Number("inflight_bytes", stats.inflight_bytes);
  json.Number("inflight_events", stats.inflight_records);
  json.Number("reconnects_postgres", stats.reconnects_postgres);
  json.Number("reconnects_kafka", stats.reconnects_kafka);
  json.Flag("kafka_reachable", stats.kafka_reached.load(std::memory_order_relaxed));
  json.Close();
}

constexpr std::chrono::milliseconds kDeskTimeout{500};

// What a held and a parked event have in common.
template <typename Event>
void WriteEvent(const Event& event, Writer& json) {
  json.Text("id", event.id);
  json.Text("table", event.table);
  json.Text("topic", event.topic);
  json.Text("code", event.code);
  json.Text("reason", event.reason);
}

// Held, parked, unsendable: `at_us` of the relay's clock to one of the calendar.
void WriteDesk(const Sources& sources, Writer& json) {
  const auto report = sources.desk->Ask({.verb = relay::Order::Verb::kReport}, kDeskTimeout);
  if (!report.ok()) return;
  const auto calendar_ms = [&](int64_t at_us) { return sources.clock->UnixMillis() - (report->now_us - at_us) / 1000; };
  if (report->hold) {
    json.Open("held");
    WriteEvent(*report->hold, json);
    json.Number("attempts", int64_t{report->hold->attempts});
    json.Number("since_ms", calendar_ms(report->hold->since_us));
    json.Close();
  }
  if (report->unsendable) {
    json.Open("unsendable");
    json.Text("reason", report->unsendable->reason);
    json.Text("advance_sql", report->unsendable->advance_sql);
    json.Text("loses", report->unsendable->loses);
    json.Close();
  }
  json.OpenList("parked");
  for (const relay::ParkedEvent& event : report->parked) {
    json.OpenItem();
    WriteEvent(event, json);
    json.Number("attempts", int64_t{event.attempts});
    json.Number("at_ms", calendar_ms(event.at_us));
    json.Close();
  }
  json.CloseList();
}

void WriteTroubles(Writer& json) {
  json.OpenList("troubles");
  for (const std::string& line : RecentTroubles()) json.Raw(line);
  json.CloseList();
}

void WriteFates(const char* name, const std::array<std::atomic<uint64_t>, relay::kFates>& counts, Writer& json) {
  json.Open(name);
  for (size_t fate = 0; fate < relay::kFates; ++fate) {
    if (counts[fate].load(std::memory_order_relaxed) != 0)
      json.Number(relay::FateName(static_cast<relay::Fate>(fate)).data(), counts[fate]);
  }
  json.Close();
}

void WriteTables(const relay::Meter& meter, Writer& json) {
  json.OpenList("tables");
  for (size_t i = 0; i < meter.size(); ++i) {
    json.OpenItem();
    json.Text("table", meter.at(i).table);
    json.Text("topic", meter.at(i).topic);
    WriteFates("events", meter.at(i).events, json);
    WriteFates("bytes", meter.at(i).bytes, json);
    json.Close();
  }
  json.CloseList();
}

void WriteOtherSlots(const postgres::SlotReport& report, Writer& json) {
  json.OpenList("other_slots");
  for (const postgres::SlotReading& slot : report.others) {
    json.OpenItem();
    json.Text("name", slot.name);
    json.Flag("active", slot.active);
    json.Text("wal_status", slot.wal_status);
    json.Number("retained_bytes", slot.retained_bytes);
    json.Number("safe_wal_bytes", slot.safe_wal_bytes);
    json.Number("inactive_ms", Millis(slot.inactive_us(report.server_us)));
    json.Close();
  }
  json.CloseList();
}

void WriteHistory(const std::vector<HistoryPoint>& past, Writer& json) {
  json.OpenList("history");
  for (const HistoryPoint& point : past) {
    json.OpenItem();
    json.Number("ms", point.unix_ms);
    json.Number("retained_bytes", point.retained_bytes);
    json.Number("unconfirmed_bytes", point.unconfirmed_bytes);
    json.Number("oldest_unpublished_ms", Millis(point.oldest_unpublished_us));
    json.Number("events_acknowledged", point.events_acknowledged);
    json.Close();
  }
  json.CloseList();
}

}  // namespace

std::string StatusJson(const Sources& sources, const View& view, const std::vector<HistoryPoint>& past) {
  const Health ready = Readiness(sources.stats, view);
  Writer json;
  json.Number("now_ms", sources.clock->UnixMillis());
  json.Text("version", POSTRIDER_VERSION);
  json.Text("role", RoleName(ready.role));
  json.Text("state", ready.state);
  if (sources.stats != nullptr) json.Text("reason", sources.stats->reason.Get());
  json.Flag("ready", ready.good);
  json.Text("ready_reason", ready.reason);
  WriteSlot(sources, view, json);
  WriteServer(view, json);
  WritePublication(view, json);
  if (sources.stats != nullptr) WriteRelay(*sources.stats, json);
  if (sources.desk != nullptr) WriteDesk(sources, json);
  WriteTroubles(json);
  if (sources.stats != nullptr) WriteTables(sources.stats->meter, json);
  if (view.report) WriteOtherSlots(*view.report, json);
  WriteHistory(past, json);
  return json.Finish();
}

}  // namespace postrider::monitor
