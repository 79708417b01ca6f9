// Our slot, and the evidence record of earlier starts.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "postgres/checks.h"
#include "postgres/continuity.h"
#include "postgres/quote.h"
#include "postgres/slot.h"

namespace postrider::postgres {
namespace {

constexpr char kName[] = "slot";
constexpr size_t kSlotNameMax = 63;

std::string Named(const config::Config& config) {
  return absl::StrCat("replication slot ", QuoteIdentifier(config.slot.name));
}

std::string DropSql(const config::Config& config) {
  return absl::StrCat("SELECT pg_drop_replication_slot(", QuoteLiteral(config.slot.name), ")");
}

Finding CheckMissing(const config::Config& config, const DatabaseFacts& facts) {
  if (config.slot.create == config::SlotCreate::kNever) {
    return Failure(
        kName, Fault::kSlot,
        absl::StrCat(Named(config), " is not there at ", facts.target.address, ", and postrider.slot.create=never"),
        MakeSlotSql(config, facts));
  }
  return Pass(kName,
              absl::StrCat(Named(config), " is not there; a first start makes it",
                           BeginsWithSnapshot(config, facts) ? ", and publishes the rows that are in the table first"
                                                             : ", without the rows that are in the table"));
}

std::string SlotRemedy(const config::Config& config, const SlotRow& slot) {
  // It may be of use to somebody.
  if (slot.type != "logical" || slot.plugin != "pgoutput" || slot.database != config.database.dbname)
    return absl::StrCat("slot.name=", config.slot.name.substr(0, kSlotNameMax - 2), "_2");
  return IsLost(slot) ? DropSql(config) : "";
}

Finding CheckHolder(const config::Config& config, const DatabaseFacts& facts, const SlotHolder& holder) {
  const absl::Status held = HeldFault(facts.target, holder, config.slot.takeover);
  if (FaultOf(held) != Fault::kPassing) return Failure(kName, held, Fault::kSlotHeld, "postrider.slot.takeover=wait");
  if (absl::StartsWith(holder.application_name, View(kApplicationPrefix)))
    return Pass(kName, absl::StrCat(Named(config), " is read by a relay of ours, pid ", holder.pid));
  return Warning(kName, MessageOf(held));
}

}  // namespace

std::string MakeSlotSql(const config::Config& config, const DatabaseFacts& facts) {
  const bool failover = config.slot.failover && facts.server_version >= 170000;
  return absl::StrCat("SELECT pg_create_logical_replication_slot(", QuoteLiteral(config.slot.name), ", 'pgoutput'",
                      failover ? ", failover => true" : "", ")");
}

Findings CheckOwnSlot(const config::Config& config, const DatabaseFacts& facts) {
  if (!facts.server.slot) return {CheckMissing(config, facts)};
  const SlotRow& slot = *facts.server.slot;
  if (const absl::Status usable = CheckSlot(facts.target, slot, facts.server.in_recovery); !usable.ok()) {
    if (IsLost(slot) && config.snapshot.mode == config::SnapshotMode::kWhenNeeded)
      return {Warning(kName, absl::StrCat(Named(config),
                                          " is lost; snapshot.mode=when_needed drops it at the next "
                                          "start, and publishes the rows that are in the table"))};
    return {Failure(kName, usable, Fault::kSlot, SlotRemedy(config, slot))};
  }
  Findings findings;
  if (slot.holder) {
    findings.push_back(CheckHolder(config, facts, *slot.holder));
  } else {
    findings.push_back(
        Pass(kName, absl::StrCat(Named(config), " is free, and stands at ", slot.confirmed_flush_lsn.ToString())));
  }
  if (slot.wal_status == "unreserved") {
    findings.push_back(Warning(kName,
                               absl::StrCat(Named(config),
                                            " is about to be lost: it keeps back more than "
                                            "max_slot_wal_keep_size, and the next checkpoint may "
                                            "remove what it needs"),
                               "ALTER SYSTEM SET max_slot_wal_keep_size = -1; SELECT pg_reload_conf()"));
  }
  if (config.slot.failover && facts.server_version >= 170000 && !slot.failover) {
    findings.push_back(
        Warning(kName,
                absl::StrCat(Named(config),
                             " was made without slot.failover; on a replication "
                             "connection (psql \"replication=database ...\")"),
                absl::StrCat("ALTER_REPLICATION_SLOT ", QuoteIdentifier(config.slot.name), " (FAILOVER true)")));
  }
  if (config.slot.failover && facts.server_version < 170000)
    findings.push_back(Warning(kName, "slot.failover needs PostgreSQL 17: after a failover this slot is gone"));
  return findings;
}

Findings CheckEvidence(const config::Config& config, const DatabaseFacts& facts,
                       const absl::StatusOr<std::optional<evidence::Record>>& record, const std::string& place) {
  constexpr char kEvidence[] = "evidence";
  if (absl::IsUnavailable(record.status())) {
    return {Warning(kEvidence, absl::StrCat(place, " cannot be read now: ", record.status().message()))};
  }
  if (!record.ok()) {
    return {Failure(kEvidence, Fault::kContinuity,
                    absl::StrCat(place, " should hold the evidence record, and cannot be used: ",
                                 record.status().message(), "; mend or remove it"),
                    "postrider run --accept-gap FILE...")};
  }
  if (!record->has_value()) {
    return {Pass(kEvidence, facts.server.slot
                                ? "no evidence record yet: the slot is taken over where it stands"
                                : "no evidence record yet: a first start, whose continuity is not proven")};
  }
  if (!facts.identity)
    return {Warning(kEvidence, absl::StrCat(place, " cannot be compared before a replication connection is let in"))};
  const Evidence evidence{.record = *record, .place = place};
  const auto gap = CheckContinuity(config, evidence, *facts.identity, facts.server.slot, facts.target);
  if (!gap.ok()) return {Failure(kEvidence, gap.status(), Fault::kSlot, "postrider run --accept-gap FILE...")};
  if (!gap->empty()) return {Warning(kEvidence, absl::StrCat(*gap, "; the configuration goes on all the same"))};
  return {Pass(kEvidence, absl::StrCat(place, " shows that the slot was read up to ", (*record)->lsn.ToString(),
                                       ", and it stands at or behind that"))};
}

}  // namespace postrider::postgres
