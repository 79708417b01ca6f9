// The slot as the server sees it, from outside of the stream: one round of questions, one report.
//
// Works for 13 to 18, on a primary and on a standby, while nobody reads the slot and while it is missing. A role
// without pg_monitor may ask too; what it does not see is then absent and `blind_for` says so. Everything in a report
// is of this round: what could not be read is absent, never that of the round before.
//
// A SlotReporter is one ordinary connection; blocking, with a deadline for each call, ended by `stop`. One thread at a
// time. Sources: https://www.postgresql.org/docs/current/view-pg-replication-slots.html and
// monitoring-stats.html of each version. Tested by tests/unit/postgres/slot_report_test.cc (needs a server).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "decoder/lsn.h"

namespace postrider::postgres {

// A row of pg_replication_slots. Times are microseconds since 1970, of the server's clock.
struct SlotReading {
  std::string name;
  std::string plugin;    // empty: a physical slot
  std::string database;  // likewise
  bool temporary = false;
  bool active = false;
  int active_pid = 0;            // 0: nobody reads it
  std::string wal_status;        // reserved, extended, unreserved, lost; empty where the server does not say
  std::string application_name;  // of who reads it; empty where hidden
  Lsn restart_lsn;
  Lsn confirmed_flush_lsn;
  std::optional<int64_t> retained_bytes;     // behind restart_lsn; absent without one: a slot that is lost, or new
  std::optional<int64_t> unconfirmed_bytes;  // behind confirmed_flush_lsn
  std::optional<int64_t> safe_wal_bytes;  // until it may be lost; absent where there is no limit. Below 0: at the next
                                          // checkpoint
  std::optional<int64_t> catalog_xmin_age;   // transactions
  std::optional<int64_t> inactive_since_us;  // from 17 on, while nobody reads it
  std::string invalidation_reason;           // from 17 on; "conflicting" on 16
  bool failover = false, synced = false;     // from 17 on

  // How long nobody has read it, at `server_us`; absent while somebody does, or where the server does not say.
  std::optional<int64_t> inactive_us(int64_t server_us) const {
    if (active || !inactive_since_us) return std::nullopt;
    return std::max<int64_t>(0, server_us - *inactive_since_us);
  }
  bool lost() const { return wal_status == "lost" || !invalidation_reason.empty(); }
};

// pg_stat_replication_slots, from 14 on: since the server's statistics were reset.
struct DecodingCounters {
  int64_t spilled_transactions = 0, spilled_bytes = 0;
  int64_t streamed_transactions = 0, streamed_bytes = 0;
  int64_t total_transactions = 0, total_bytes = 0;
};

// The oldest transaction that has written something and is not over: restart_lsn cannot pass it.
struct OldestTransaction {
  int pid = 0;      // 0: a prepared one
  std::string gid;  // of a prepared one
  std::string database;
  std::string user;
  int64_t age_us = 0;
};

struct SlotReport {
  int server_version = 0;  // as PQserverVersion
  bool in_recovery = false;
  uint32_t timeline = 0;                    // 0 on a standby
  int64_t server_us = 0;                    // since 1970, of the server's clock
  Lsn current_lsn;                          // pg_current_wal_lsn(), on a standby pg_last_wal_replay_lsn()
  std::optional<SlotReading> slot;          // absent: there is no slot of this name
  std::vector<SlotReading> others;          // kOtherSlotsMax of them, those that retain most
  std::optional<int64_t> slot_limit_bytes;  // max_slot_wal_keep_size; absent: unlimited
  int64_t segment_bytes = 0;
  int64_t slots_max = 0;                      // max_replication_slots
  std::optional<int64_t> checkpoint_us;       // when the last one was made
  std::optional<DecodingCounters> decoding;   // of our slot
  std::optional<OldestTransaction> oldest;    // absent: there is none, or blind_for holds it
  bool sees_transactions = false;             // so that an absent `oldest` means that there is none
  std::optional<int64_t> unpublished_tables;  // that the lists match and the publication leaves out; every 30 s
  std::string blind_for;                      // what the role does not see, one sentence; empty: nothing

  std::string version_name() const { return absl::StrCat(server_version / 10000, ".", server_version % 10000); }
};

class SlotReporter {
 public:
  static constexpr int kOtherSlotsMax = 50;

  // The password is read anew. A fault as of Connection::Open.
  static absl::StatusOr<std::unique_ptr<SlotReporter>> Open(const config::Config& config, const Wakeup* stop);
  ~SlotReporter();

  // One round. After an error the connection is of no more use.
  absl::StatusOr<SlotReport> Read();

 private:
  struct Session;
  explicit SlotReporter(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session_;
};

}  // namespace postrider::postgres
