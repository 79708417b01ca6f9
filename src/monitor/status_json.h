// What /status answers: everything that a page for people needs, as one JSON object. Times are milliseconds since 1970,
// LSNs as PostgreSQL writes them; what is not known is left out. No payload, no secret. Any thread. Tested by
// tests/unit/monitor/status_json_test.cc.
//
//   {"now_ms", "version", "role", "state", "reason", "ready", "ready_reason",
//    "slot": {"name", "present", "active", "active_pid", "reader", "wal_status", "invalidation_reason", "restart_lsn",
//             "confirmed_flush_lsn", "retained_bytes", "unconfirmed_bytes", "safe_wal_bytes", "limit_bytes",
//             "loss_forecast_s" (absent: never or unknown), "wal_bytes_per_s", "inactive_ms", "failover", "synced"},
//    "server": {"version", "in_recovery", "timeline", "current_lsn"},
//    "watcher": {"up", "failure", "last_success_ms", "blind_for"},
//    "oldest_transaction": {"pid", "gid", "database", "user", "age_ms"},
//    "publication": {"oldest_unpublished_ms", "published_until_ms", "published_until_lsn"},
//    "relay": {"events_acknowledged", "events_held", "events_parked", "events_skipped", ..., "kafka_reachable"},
//    "held": {"id", "table", "topic", "code", "reason", "attempts", "since_ms"}, "unsendable": {"reason",
//    "advance_sql", "loses"}, "parked": [{"id", "table", "topic", "code", "reason", "attempts", "at_ms"}], oldest
//    first, "troubles": [the last warnings and errors of the log, oldest first, as base/log_line.h writes them],
//    "tables": [{"table", "topic", "events": {"read": 1, ...}, "bytes": {...}}],
//    "other_slots": [{"name", "active", "retained_bytes", "safe_wal_bytes", "wal_status", "inactive_ms"}],
//    "history": [{"ms", "retained_bytes", "unconfirmed_bytes", "oldest_unpublished_ms", "events_acknowledged"}]}
#pragma once

#include <string>
#include <vector>

#include "monitor/exposition.h"
#include "monitor/history.h"
#include "monitor/watcher.h"

namespace postrider::monitor {

// Asks the relay, through its desk, what it holds; waits for half a second at the most, and leaves that out then.
std::string StatusJson(const Sources& sources, const View& view, const std::vector<HistoryPoint>& past);

}  // namespace postrider::monitor
