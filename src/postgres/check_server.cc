// Connections, settings, capacity.
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/text.h"
#include "postgres/attach.h"
#include "postgres/checks.h"
#include "postgres/quote.h"
#include "postgres/slot.h"

namespace postrider::postgres {
namespace {

constexpr char kWalLimitMegabytes[] = "20480";
constexpr char kTooManySenders[] = "53300";

// A setting of the server, in the way in which its provider lets it be changed. Google's --database-flags and the like
// replace the whole list, so no command is given there.
std::string SettingRemedy(Provider provider, std::string_view name, std::string_view value) {
  switch (provider) {
    case Provider::kAmazon:
      return absl::StrCat(View(name), "=", View(value), " in the instance's parameter group");
    case Provider::kGoogle:
      return absl::StrCat(View(name), "=", View(value), " among the instance's database flags");
    case Provider::kAzure:
      return absl::StrCat("az postgres flexible-server parameter set -g GROUP -s SERVER --name ", View(name),
                          " --value ", View(value));
    case Provider::kSupabase:
    case Provider::kNeon:
    case Provider::kNone:
      break;
  }
  return absl::StrCat("ALTER SYSTEM SET ", View(name), " = '", View(value), "'");
}

// wal_level itself is out of reach on some services, which have a switch of their own.
std::string WalLevelRemedy(Provider provider) {
  switch (provider) {
    case Provider::kAmazon:
      return SettingRemedy(provider, "rds.logical_replication", "1");
    case Provider::kGoogle:
      return SettingRemedy(provider, "cloudsql.logical_decoding", "on");
    case Provider::kAzure:
      return absl::StrCat(SettingRemedy(provider, "wal_level", "logical"),
                          " (Single Server: azure.replication_support=logical)");
    case Provider::kNeon:
      return "Neon console, Settings, Logical Replication: enable";
    case Provider::kSupabase:
    case Provider::kNone:
      break;
  }
  return SettingRemedy(provider, "wal_level", "logical");
}

std::string MoreSenders(const DatabaseFacts& facts) {
  return SettingRemedy(facts.provider, "max_wal_senders", absl::StrCat(facts.senders_max + 10));
}

// In megabytes, which every provider takes.
std::string WalLimitRemedy(Provider provider) {
  const std::string remedy = SettingRemedy(provider, "max_slot_wal_keep_size", kWalLimitMegabytes);
  return absl::StartsWith(remedy, "ALTER SYSTEM") ? absl::StrCat(remedy, "; SELECT pg_reload_conf()") : remedy;
}

// What mends a login, where there is something to run or to set.
std::string LoginRemedy(const config::Config& config, const DatabaseFacts& facts, const absl::Status& status,
                        ConnectionKind kind) {
  const std::string state = SqlstateOf(status);
  const std::string role = QuoteIdentifier(config.database.user);
  if (state == "3D000") return "database.dbname=NAME";
  if (state == "28P01") return "database.password=PASSWORD";
  if (absl::StartsWith(state, "28")) {
    return absl::StrCat("pg_hba.conf: host ", config.database.dbname, " ", config.database.user,
                        " ADDRESS/32 scram-sha-256");
  }
  if (state == kTooManySenders && kind == ConnectionKind::kReplication && facts.senders_max > 0)
    return MoreSenders(facts);
  if (state == "42501" && kind == ConnectionKind::kReplication) return ReplicationGrantSql(facts);
  if (state == "42501")
    return absl::StrCat("GRANT CONNECT ON DATABASE ", QuoteIdentifier(config.database.dbname), " TO ", role);
  return "";
}

Findings CheckOtherSlots(const DatabaseFacts& facts) {
  Findings findings;
  for (const SlotReading& slot : facts.report.others) {
    if (slot.active || slot.temporary) continue;
    findings.push_back(Warning(
        "other_slots",
        absl::StrCat("replication slot ", QuoteIdentifier(slot.name), " has no reader",
                     slot.lost()           ? " and is lost"
                     : slot.retained_bytes ? absl::StrCat(" and keeps back ", *slot.retained_bytes, " bytes of WAL")
                                           : "",
                     ": where nobody is to read it again, drop it"),
        absl::StrCat("SELECT pg_drop_replication_slot(", QuoteLiteral(slot.name), ")")));
  }
  if (findings.empty()) findings.push_back(Pass("other_slots", "no other slot is without a reader"));
  return findings;
}

}  // namespace

std::string ReplicationGrantSql(const DatabaseFacts& facts) {
  const std::string role = QuoteIdentifier(facts.target.user);
  return facts.provider == Provider::kAmazon ? absl::StrCat("GRANT rds_replication TO ", role)
                                             : absl::StrCat("ALTER ROLE ", role, " REPLICATION");
}

Findings CheckConnections(const config::Config& config, const DatabaseFacts& facts) {
  if (!facts.login.ok()) {
    return {Failure("database_login", facts.login, Fault::kDatabaseRefuses,
                    LoginRemedy(config, facts, facts.login, ConnectionKind::kQuery))};
  }
  Findings findings = {
      Pass("database_login", absl::StrCat("user ", QuoteIdentifier(facts.target.user), " is let into database ",
                                          QuoteIdentifier(facts.target.dbname), " at ", facts.target.address))};
  if (facts.replication_login.ok()) {
    findings.push_back(Pass("replication_login", "a replication connection is let in too"));
  } else {
    findings.push_back(Failure("replication_login", facts.replication_login, Fault::kDatabaseRefuses,
                               LoginRemedy(config, facts, facts.replication_login, ConnectionKind::kReplication)));
  }
  return findings;
}

Findings CheckSettings(const DatabaseFacts& facts) {
  Findings findings;
  ServerState logical = facts.server;
  logical.wal_level = "logical";
  const absl::Status server = CheckServer(facts.server_version, logical, facts.target);
  findings.push_back(server.ok() ? Pass("server", absl::StrCat("PostgreSQL ", facts.version))
                                 : Failure("server", server, Fault::kDatabaseRefuses));
  if (facts.server.wal_level == "logical") {
    findings.push_back(Pass("wal_level", "wal_level is logical"));
  } else {
    findings.push_back(
        Failure("wal_level", Fault::kDatabaseRefuses,
                absl::StrCat("wal_level is ", facts.server.wal_level, " on the server at ", facts.target.address,
                             ", and has to be logical: change it and restart the server"),
                WalLevelRemedy(facts.provider)));
  }
  if (facts.report.slot_limit_bytes) {
    findings.push_back(
        Pass("wal_limit", absl::StrCat("max_slot_wal_keep_size is ", *facts.report.slot_limit_bytes, " bytes")));
  } else {
    findings.push_back(Warning("wal_limit",
                               "max_slot_wal_keep_size is unlimited: a relay that stays away fills the server's disk",
                               WalLimitRemedy(facts.provider)));
  }
  if (absl::StrContains(facts.server.synchronous_standby_names, "*")) {
    findings.push_back(Warning("synchronous_standby",
                               "synchronous_standby_names takes every replication connection for a synchronous "
                               "standby, so commits wait for Kafka: name the standbys there"));
  }
  return findings;
}

Findings CheckCapacity(const config::Config& config, const DatabaseFacts& facts) {
  Findings findings;
  const auto used = static_cast<int64_t>(facts.slots.names.size());
  const int needed = facts.server.slot ? 0 : BeginsWithSnapshot(config, facts) ? 2 : 1;
  const absl::Status free = CheckFreeSlots(facts.slots, needed);
  if (free.ok()) {
    findings.push_back(
        Pass("free_slots", absl::StrCat(used, " of max_replication_slots = ", facts.slots.slots_max, " are in use")));
  } else {
    findings.push_back(Failure("free_slots", free, Fault::kDatabaseRefuses,
                               SettingRemedy(facts.provider, "max_replication_slots", absl::StrCat(used + needed))));
  }
  const std::string senders =
      absl::StrCat(facts.senders_used, " of max_wal_senders = ", facts.senders_max, " are in use");
  const bool runs = facts.server.slot && facts.server.slot->holder;
  if (runs || facts.senders_used < facts.senders_max) {
    findings.push_back(Pass("free_senders", senders));
  } else {
    findings.push_back(Failure("free_senders", Fault::kDatabaseRefuses,
                               absl::StrCat(senders, ", and the relay needs one: raise it and restart the server"),
                               MoreSenders(facts)));
  }
  Append(findings, CheckOtherSlots(facts));
  return findings;
}

}  // namespace postrider::postgres
