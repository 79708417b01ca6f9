#include "postgres/conninfo.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/fault.h"
#include "base/text.h"
#include "postgres/quote.h"

namespace postrider::postgres {
namespace {

std::vector<std::string> TrimmedList(const std::string& list) {
  std::vector<std::string> items;
  for (const absl::string_view item : absl::StrSplit(list, ',')) items.emplace_back(absl::StripAsciiWhitespace(item));
  return items;
}

// "-c name=value" for each; the values hold no space and no backslash.
std::string StartupOptions(ConnectionKind kind) {
  std::string options;
  for (const auto& [name, value] : PinnedSettings(kind)) absl::StrAppend(&options, "-c ", name, "=", value, " ");
  return options;
}

}  // namespace

absl::StatusOr<std::vector<Host>> Hosts(const config::Database& database) {
  const std::vector<std::string> names = TrimmedList(database.hostname);
  const std::vector<std::string> ports = TrimmedList(database.port);
  if (ports.size() != 1 && ports.size() != names.size()) {
    return MakeFault(Fault::kConfiguration,
                     absl::StrCat("database.port names ", ports.size(), " ports for ", names.size(),
                                  " hosts of database.hostname: give one port for all, or one for each"));
  }
  std::vector<Host> hosts;
  for (size_t i = 0; i < names.size(); ++i) {
    absl::string_view name = names[i];
    // An IPv6 address stands in brackets in a JDBC URL, and bare in libpq.
    if (absl::ConsumePrefix(&name, "[")) absl::ConsumeSuffix(&name, "]");
    hosts.push_back({std::string(name), ports.size() == 1 ? ports[0] : ports[i]});
  }
  return hosts;
}

std::vector<std::pair<std::string, std::string>> ConnectionParameters(const config::Config& config, const Host& host,
                                                                      ConnectionKind kind, bool only_primary) {
  const config::Database& database = config.database;
  std::vector<std::pair<std::string, std::string>> parameters = {
      {"host", host.name},
      {"port", host.port},
      {"user", database.user},
      {"dbname", database.dbname},
      {"application_name", absl::StrCat(View(kApplicationPrefix), config.slot.name)},
      {"client_encoding", "UTF8"},
      {"options", StartupOptions(kind)},
      {"sslmode", database.sslmode},
      {"keepalives", database.tcp_keepalive ? "1" : "0"},
      {"keepalives_idle", "10"},
      {"keepalives_interval", "5"},
      {"keepalives_count", "3"},
      {"tcp_user_timeout", "20000"},
  };
  if (kind == ConnectionKind::kReplication) parameters.emplace_back("replication", "database");
  if (only_primary) parameters.emplace_back("target_session_attrs", "primary");
  if (!database.sslcert.empty()) parameters.emplace_back("sslcert", database.sslcert);
  if (!database.sslkey.empty()) parameters.emplace_back("sslkey", database.sslkey);
  if (!database.sslrootcert.empty()) parameters.emplace_back("sslrootcert", database.sslrootcert);
  return parameters;
}

Settings PinnedSettings(ConnectionKind kind) {
  Settings settings = {
      // The text form of values.
      {"datestyle", "ISO"},
      {"intervalstyle", "postgres"},
      {"timezone", "UTC"},
      {"extra_float_digits", "3"},
      {"bytea_output", "hex"},
      {"lc_monetary", "C"},
      {"xmlbinary", "base64"},
      {"standard_conforming_strings", "on"},
      // A session that waits must not be ended for waiting.
      {"statement_timeout", "0"},
      {"lock_timeout", "0"},
      {"idle_in_transaction_session_timeout", "0"},
      // So that the server notices within half a minute that we are gone, and frees the slot.
      {"tcp_keepalives_idle", "10"},
      {"tcp_keepalives_interval", "5"},
      {"tcp_keepalives_count", "3"},
  };
  if (kind == ConnectionKind::kReplication) {
    // regclass and its kin print the whole name.
    settings.emplace_back("search_path", "");
    // Spilling to the server's disk is what makes large transactions slow.
    settings.emplace_back("logical_decoding_work_mem", "256MB");
    // A publication that PostgreSQL 18 does not find is only a warning: it must reach us (stream.h).
    settings.emplace_back("client_min_messages", "warning");
  } else {
    // A snapshot that row-level security would thin out has to fail.
    settings.emplace_back("row_security", "off");
    settings.emplace_back("default_transaction_read_only", "off");
    // Compiling a catalogue query takes longer than running it.
    settings.emplace_back("jit", "off");
  }
  return settings;
}

std::string PinnedSettingsSql(ConnectionKind kind) {
  std::string sql;
  for (const auto& [name, value] : PinnedSettings(kind))
    absl::StrAppend(&sql, "SET ", name, " = ", QuoteLiteral(value), ";");
  return sql;
}

std::string VersionSettingsSql(int server_version) {
  std::string sql;
  if (server_version >= 140000) sql += "SET idle_session_timeout = 0;";
  // A walsender replays each transaction inside one of its own, so this timeout would cut a large one in its middle.
  if (server_version >= 170000) sql += "SET transaction_timeout = 0;";
  return sql;
}

}  // namespace postrider::postgres
