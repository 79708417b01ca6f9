#include "commands/slot_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace postrider::commands {
namespace {

constexpr std::string_view kUnknown = "-";
constexpr size_t kColumns = 8;
using Row = std::array<std::string, kColumns>;

std::string Bytes(const std::optional<int64_t>& bytes) {
  if (!bytes) return std::string(kUnknown);
  double value = static_cast<double>(*bytes);
  for (const char* unit : {"B", "kB", "MB", "GB"}) {
    if (value < 1024 && value > -1024)
      return absl::StrFormat(value < 10 && *unit != 'B' ? "%.1f %s" : "%.0f %s", value, unit);
    value /= 1024;
  }
  return absl::StrFormat("%.1f TB", value);
}

std::string Age(int64_t us) {
  return absl::FormatDuration(absl::Seconds(us / 1'000'000));
}

const postgres::SlotReading* Find(const postgres::SlotReport& report, const std::string& name) {
  if (report.slot && report.slot->name == name) return &*report.slot;
  for (const postgres::SlotReading& other : report.others)
    if (other.name == name) return &other;
  return nullptr;
}

// Bytes a second that the slot's reader confirms.
std::string ConfirmRate(const postgres::SlotReading& slot, const postgres::SlotReport& now,
                        const postgres::SlotReport* before) {
  const postgres::SlotReading* earlier = before == nullptr ? nullptr : Find(*before, slot.name);
  if (earlier == nullptr || now.server_us <= before->server_us) return std::string(kUnknown);
  const uint64_t from = earlier->confirmed_flush_lsn.value(), to = slot.confirmed_flush_lsn.value();
  if (to < from) return std::string(kUnknown);
  const double seconds = static_cast<double>(now.server_us - before->server_us) / 1e6;
  return absl::StrCat(Bytes(static_cast<int64_t>(static_cast<double>(to - from) / seconds)), "/s");
}

Row RowOf(const postgres::SlotReading& slot, bool ours, const postgres::SlotReport& now,
          const postgres::SlotReport* before) {
  std::string reader(kUnknown);
  if (slot.active)
    reader = absl::StrCat(slot.active_pid, slot.application_name.empty() ? "" : " ", slot.application_name);
  if (const auto inactive_us = slot.inactive_us(now.server_us)) reader = absl::StrCat("nobody, ", Age(*inactive_us));
  std::string state = slot.wal_status.empty() ? std::string(kUnknown) : slot.wal_status;
  if (!slot.invalidation_reason.empty()) absl::StrAppend(&state, " (", slot.invalidation_reason, ")");
  return {absl::StrCat(ours ? "* " : "  ", slot.name),
          slot.plugin.empty() ? "physical" : slot.plugin,
          reader,
          Bytes(slot.retained_bytes),
          Bytes(slot.unconfirmed_bytes),
          Bytes(slot.safe_wal_bytes),
          state,
          ConfirmRate(slot, now, before)};
}

std::string Table(const std::vector<Row>& rows) {
  std::array<size_t, kColumns> widths{};
  for (const Row& row : rows)
    for (size_t column = 0; column < kColumns; ++column) widths[column] = std::max(widths[column], row[column].size());
  std::string text;
  for (const Row& row : rows) {
    for (size_t column = 0; column + 1 < kColumns; ++column)
      absl::StrAppendFormat(&text, "%-*s  ", static_cast<int>(widths[column]), row[column]);
    absl::StrAppend(&text, row.back(), "\n");
  }
  return text;
}

}  // namespace

std::string SlotsAsText(const std::string& name, const postgres::SlotReport& now, const postgres::SlotReport* before) {
  std::string text = absl::StrFormat("PostgreSQL %d%s  timeline %d  WAL at %s", now.server_version / 10000,
                                     now.in_recovery ? " (standby)" : "", now.timeline, now.current_lsn.ToString());
  if (before != nullptr && now.server_us > before->server_us && now.current_lsn >= before->current_lsn) {
    const double seconds = static_cast<double>(now.server_us - before->server_us) / 1e6;
    const double bytes = static_cast<double>(now.current_lsn.value() - before->current_lsn.value());
    absl::StrAppend(&text, ", ", Bytes(static_cast<int64_t>(bytes / seconds)), "/s");
  }
  absl::StrAppend(&text, "  limit ",
                  now.slot_limit_bytes ? Bytes(now.slot_limit_bytes) : "none (max_slot_wal_keep_size)", "\n\n");
  std::vector<Row> rows = {{"  SLOT", "PLUGIN", "READER", "RETAINED", "UNCONFIRMED", "SAFE", "WAL", "CONFIRMS"}};
  if (now.slot) rows.push_back(RowOf(*now.slot, true, now, before));
  for (const postgres::SlotReading& other : now.others) rows.push_back(RowOf(other, false, now, before));
  text += Table(rows);
  if (!now.slot) absl::StrAppend(&text, "there is no replication slot ", name, "\n");
  if (now.oldest) {
    absl::StrAppend(
        &text, "\noldest open transaction: ",
        now.oldest->pid != 0 ? absl::StrCat("pid ", now.oldest->pid) : absl::StrCat("prepared ", now.oldest->gid),
        ", user ", now.oldest->user, ", database ", now.oldest->database, ", for ", Age(now.oldest->age_us), "\n");
  }
  if (!now.blind_for.empty()) absl::StrAppend(&text, "\n", now.blind_for, "\n");
  return text;
}

}  // namespace postrider::commands
