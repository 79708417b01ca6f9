// What libpq is told to connect: hosts, TLS, keepalives, and the session settings that fix the form of every value.
//
// Settings in `options` of the startup packet override those of role and database (ALTER ROLE ... SET), so that nobody
// can change our bytes from outside. Only settings that servers 13 to 18 all know may be there: an unknown one refuses
// the connection. Those of later versions follow by SET (VersionSettings). Pure. Tested by
// tests/unit/postgres/conninfo_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "config/config.h"

namespace postrider::postgres {

enum class ConnectionKind {
  kQuery,        // ordinary: SQL, the snapshot's COPY
  kReplication,  // replication=database: a walsender. Simple query protocol only
};

struct Host {
  std::string name;  // as libpq takes it: name, address, or a folder for a Unix socket
  std::string port;
};

// What names us in pg_stat_activity and pg_stat_replication. A slot whose holder begins with it is held by one of us.
inline constexpr std::string_view kApplicationPrefix = "postrider/";

// The hosts in the order to try. A fault kConfiguration where the list of ports does not fit that of hosts.
absl::StatusOr<std::vector<Host>> Hosts(const config::Database& database);

// Keywords and values for PQconnectStartParams, all but the secrets. With several hosts only the primary will do.
std::vector<std::pair<std::string, std::string>> ConnectionParameters(const config::Config& config, const Host& host,
                                                                      ConnectionKind kind, bool only_primary);

// Name and value of the settings pinned for this kind of session.
using Settings = std::vector<std::pair<const char*, const char*>>;
Settings PinnedSettings(ConnectionKind kind);
// The same as SET statements, to repeat them after database.initial.statements.
std::string PinnedSettingsSql(ConnectionKind kind);
// SET statements for what only newer servers know; empty where there is none. `server_version` as PQserverVersion.
std::string VersionSettingsSql(int server_version);

}  // namespace postrider::postgres
