#include "postgres/continuity.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/fault.h"
#include "base/text.h"
#include "postgres/quote.h"

namespace postrider::postgres {
namespace {

constexpr char kGoOn[] = "; to go on in spite of that, start once with --accept-gap";

std::string Shows(const Evidence& evidence) {
  return absl::StrCat(
      evidence.place, " shows that it was read up to ", evidence.record->lsn.ToString(), " (",
      absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", absl::FromUnixMillis(evidence.record->time_ms), absl::UTCTimeZone()),
      ")");
}

std::string MakeSlotSql(const std::string& slot) {
  return absl::StrCat("SELECT pg_create_logical_replication_slot(", QuoteLiteral(slot), ", 'pgoutput')");
}

// What speaks against the server; empty where nothing does.
std::string CheckCluster(const Evidence& evidence, const ServerIdentity& identity, const Target& target) {
  const evidence::Record& record = *evidence.record;
  if (record.system_identifier != identity.system_identifier) {
    return absl::StrCat("the server at ", target.address, " is another cluster (system identifier ",
                        identity.system_identifier, ") than the one whose slot was read before (",
                        record.system_identifier, ", says ", evidence.place, "): check database.hostname");
  }
  if (record.timeline > identity.timeline) {
    return absl::StrCat("the server at ", target.address, " is on timeline ", identity.timeline, ", and ",
                        evidence.place, " shows that the slot was read on timeline ", record.timeline,
                        ": it is a former primary; check database.hostname");
  }
  return "";
}

// What speaks against the slot; empty where nothing does.
std::string CheckSlotPosition(const config::Config& config, const Evidence& evidence,
                              const std::optional<SlotRow>& slot, const Target& target) {
  const std::string name = absl::StrCat("replication slot ", QuoteIdentifier(config.slot.name));
  if (!slot) {
    return absl::StrCat(
        name, " is gone from ", target.address, ": ", Shows(evidence),
        ". Nothing was made or published: what was committed since then is in no slot. Rows that are "
        "still in the table go out by the snapshot of a new slot (snapshot.mode=initial); without one: ",
        MakeSlotSql(config.slot.name));
  }
  if (slot->confirmed_flush_lsn > evidence.record->lsn && !evidence.record->handed_back) {
    return absl::StrCat(name, " stands at ", slot->confirmed_flush_lsn.ToString(), ", and ", Shows(evidence),
                        ": another program has read it on, or it was dropped and made anew, so this relay has not "
                        "published what lies between");
  }
  return "";
}

}  // namespace

absl::StatusOr<std::string> CheckContinuity(const config::Config& config, const Evidence& evidence,
                                            const ServerIdentity& identity, const std::optional<SlotRow>& slot,
                                            const Target& target) {
  if (!slot && config.slot.create == config::SlotCreate::kNever) {
    return MakeFault(
        Fault::kSlot,
        absl::StrCat("replication slot ", QuoteIdentifier(config.slot.name), " is not there at ", target.address,
                     ", and postrider.slot.create=never: make it: ", MakeSlotSql(config.slot.name)));
  }
  if (!evidence.record) return std::string();
  std::string other = CheckCluster(evidence, identity, target);
  if (!other.empty() && config.slot.accept_gap) return other;
  if (!other.empty()) return MakeFault(Fault::kContinuity, absl::StrCat(other, kGoOn));
  std::string gap = CheckSlotPosition(config, evidence, slot, target);
  const bool made_anyway = !slot && config.slot.create == config::SlotCreate::kIfMissing;
  const bool by_snapshot = config.snapshot.mode == config::SnapshotMode::kWhenNeeded;
  if (gap.empty() || config.slot.accept_gap || made_anyway || by_snapshot) return gap;
  return MakeFault(Fault::kSlot, absl::StrCat(gap, kGoOn));
}

}  // namespace postrider::postgres
