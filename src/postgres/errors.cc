#include "postgres/errors.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/text.h"
#include "postgres/quote.h"

namespace postrider::postgres {
namespace {

constexpr char kSqlstateUrl[] = "postrider/sqlstate";
constexpr char kStreamLsnUrl[] = "postrider/stream-lsn";

bool IsSqlstate(absl::string_view text) {
  if (text.size() != 5) return false;
  for (const char c : text)
    if (!absl::ascii_isdigit(c) && !absl::ascii_isupper(c)) return false;
  return true;
}

// libpq's verbose text: "connection to server at ... failed: FATAL:  28P01: password ...\nLOCATION:  ...\n", one block
// for each address that was tried.
struct ConnectText {
  std::string text;      // on one line
  std::string reasons;   // the same without the hosts' names, which may read like a reason
  std::string sqlstate;  // of the last block that has one
};

ConnectText ReadConnectText(absl::string_view libpq_text) {
  ConnectText result;
  std::vector<std::string> kept;
  for (absl::string_view line : absl::StrSplit(libpq_text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || absl::StartsWith(line, "LOCATION:") || absl::StartsWith(line, "Is the server running"))
      continue;
    const std::vector<absl::string_view> parts = absl::StrSplit(line, ": ");
    for (const absl::string_view part : parts) {
      const absl::string_view code = absl::StripAsciiWhitespace(part);
      if (IsSqlstate(code)) result.sqlstate = std::string(code);
    }
    // sslmode=prefer tries once more without TLS, and hears the same.
    absl::ConsumeSuffix(&line, ".");
    if (kept.empty() || kept.back() != line) kept.emplace_back(line);
    const size_t failed = line.find(" failed: ");
    if (failed != absl::string_view::npos) absl::StrAppend(&result.reasons, line.substr(failed), "; ");
  }
  result.text = absl::StrJoin(kept, "; ");
  return result;
}

// The words in small letters.
bool ContainsAny(absl::string_view text, const std::vector<absl::string_view>& words) {
  const std::string lower = absl::AsciiStrToLower(text);
  return std::any_of(words.begin(), words.end(),
                     [&](absl::string_view word) { return absl::StrContains(lower, word); });
}

// PgBouncer, Supavisor, Neon's and Odyssey's proxies: none of them carries a replication connection in their usual
// modes.
bool IsPooler(absl::string_view text) {
  return ContainsAny(text, {"unsupported startup parameter", "bouncer", "pooler", "supavisor", "odyssey",
                            "tenant or user not found", "replication connections are not supported"});
}

// A handshake that broke off says nothing about certificates.
bool IsTls(absl::string_view text) {
  if (ContainsAny(text, {"syscall", "unexpected eof"})) return false;
  return ContainsAny(text, {"ssl", "certificate", "private key", "tls", "channel binding"});
}

std::string Named(const Target& target) {
  return absl::StrCat("database ", QuoteIdentifier(target.dbname), " at ", target.address);
}

absl::Status WithState(Fault fault, const std::string& sqlstate, std::string_view sentence) {
  absl::Status status = MakeFault(fault, sentence);
  if (!sqlstate.empty()) status.SetPayload(kSqlstateUrl, absl::Cord(sqlstate));
  return status;
}

// Why no login was possible; empty where the code says nothing about that.
std::string LoginAdvice(const Target& target, ConnectionKind kind, absl::string_view sqlstate) {
  const std::string role = QuoteIdentifier(target.user);
  if (sqlstate == "28P01") return "check database.user and database.password";
  if (absl::StartsWith(sqlstate, "28")) {
    return absl::StrCat("pg_hba.conf needs a line for this user, database and address such as: hostssl ", target.dbname,
                        " ", target.user, " <address>/32 scram-sha-256; and the role a login: ALTER ROLE ", role,
                        " LOGIN");
  }
  if (sqlstate == "3D000") return "check database.dbname";
  if (sqlstate == "42501" && kind == ConnectionKind::kReplication) {
    return absl::StrCat("the role may not replicate; a superuser runs: ALTER ROLE ", role,
                        " REPLICATION (on Amazon RDS: GRANT rds_replication TO ", role, ")");
  }
  if (sqlstate == "42501") {
    return absl::StrCat("an owner runs: GRANT CONNECT ON DATABASE ", QuoteIdentifier(target.dbname), " TO ", role);
  }
  return "";
}

// Where libpq gave up before the server answered with a code.
absl::Status LocalConnectFault(const Target& target, const std::string& text) {
  const auto refused = [&](absl::string_view advice) {
    return MakeFault(Fault::kDatabaseRefuses, absl::StrCat("no login to ", Named(target), ": ", text, ": ", advice));
  };
  if (ContainsAny(text, {"invalid sslmode", "invalid port", "invalid integer value"})) {
    return MakeFault(Fault::kConfiguration, absl::StrCat("no connection to ", Named(target), ": ", text));
  }
  if (absl::StrContains(text, "no password supplied")) return refused("set database.password");
  if (absl::StrContains(text, "could not load private key file")) {
    return refused(
        "database.sslkey has to be PEM; from the DER form of a JDBC driver: openssl pkcs8 -inform DER -in KEY -out "
        "KEY.pem");
  }
  if (IsTls(text)) return refused("check database.sslmode, database.sslrootcert, database.sslcert and database.sslkey");
  if (absl::StrContains(text, "authentication"))
    return refused("the server asks for a way to log in that is not at hand");
  std::string advice;
  if (absl::StrContains(text, "Network is unreachable")) {
    advice = ": where the address is IPv6 and this machine has no IPv6 route, use a host that has an IPv4 address";
  } else if (absl::StrContains(text, "could not translate host name")) {
    advice = ": check database.hostname";
  }
  return MakeFault(Fault::kPassing, absl::StrCat("no connection to ", Named(target), ": ", text, advice));
}

Fault DefaultFault(absl::string_view sqlstate) {
  if (absl::StartsWith(sqlstate, "28") || sqlstate == "3D000" || sqlstate == "42501") return Fault::kDatabaseRefuses;
  return Fault::kPassing;
}

// "0/15D68A0" out of `slot "s", output plugin "pgoutput", in the change callback, associated LSN 0/15D68A0`; the words
// may be translated, the last one never is.
std::string LsnOfContext(absl::string_view context) {
  const size_t line_end = context.find('\n');
  context = context.substr(0, line_end);
  const size_t slash = context.rfind('/');
  if (slash == absl::string_view::npos) return "";
  size_t begin = slash, end = slash + 1;
  while (begin > 0 && absl::ascii_isxdigit(context[begin - 1])) --begin;
  while (end < context.size() && absl::ascii_isxdigit(context[end])) ++end;
  return std::string(context.substr(begin, end - begin));
}

}  // namespace

Target MakeTarget(const config::Config& config, const Host& host) {
  return {.address = absl::StrCat(host.name, ":", host.port),
          .user = config.database.user,
          .dbname = config.database.dbname,
          .slot = config.slot.name,
          .publication = config.publication.name};
}

absl::Status ConnectFault(const Target& target, ConnectionKind kind, std::string_view libpq_text) {
  const auto [text, reasons, sqlstate] = ReadConnectText(View(libpq_text));
  if (IsPooler(reasons)) {
    return WithState(
        Fault::kDatabaseRefuses, sqlstate,
        absl::StrCat("a connection pooler answers at ", target.address, ", and a replication stream cannot pass it: ",
                     "set database.hostname and database.port to the server's direct address (", text, ")"));
  }
  if (sqlstate.empty()) return LocalConnectFault(target, text);
  const std::string advice = LoginAdvice(target, kind, sqlstate);
  if (!advice.empty()) {
    return WithState(Fault::kDatabaseRefuses, sqlstate,
                     absl::StrCat("no login to ", Named(target), ": ", text, ": ", advice));
  }
  // A setting of ours that the server, or what stands before it, does not let pass will not be let pass next time.
  const bool refused = absl::StartsWith(sqlstate, "42") || absl::StartsWith(sqlstate, "22");
  return WithState(refused ? Fault::kDatabaseRefuses : Fault::kPassing, sqlstate,
                   absl::StrCat("no connection to ", Named(target), ": ", text));
}

absl::Status CommandFault(const Target& target, const ServerError& error, std::string_view doing) {
  return FaultWithState(DefaultFault(error.sqlstate), error,
                        absl::StrCat(View(doing), " failed in ", Named(target), ": ", Describe(error)));
}

absl::Status FaultWithState(Fault fault, const ServerError& error, std::string_view sentence) {
  return WithState(fault, error.sqlstate, sentence);
}

absl::Status StartFault(const Target& target, const ServerError& error) {
  const std::string& state = error.sqlstate;
  if (state == "58P01") {
    return FaultWithState(
        Fault::kSlot, error,
        absl::StrCat("replication slot ", QuoteIdentifier(target.slot),
                     " cannot be read any more, its WAL is gone: ", Describe(error),
                     ": drop it and start again: SELECT pg_drop_replication_slot(", QuoteLiteral(target.slot), ")"));
  }
  if (state == "0A000" || state == "42601" || state == "22023" || state == "XX000") {
    return FaultWithState(
        Fault::kConfiguration, error,
        absl::StrCat("the server refuses the options of the stream: ", Describe(error), ": check slot.stream.params"));
  }
  // A slot that is gone or lost since it was looked at is found so at the next look, which knows the reason.
  return CommandFault(target, error, "starting the stream");
}

absl::Status StreamFault(const Target& target, const ServerError& error) {
  if (error.sqlstate == "42704") {
    absl::Status status = PublicationTooYoung(target, LsnOfContext(error.context));
    status.SetPayload(kSqlstateUrl, absl::Cord(error.sqlstate));
    return status;
  }
  if (error.sqlstate == "58P01") return StartFault(target, error);
  const std::string lsn = LsnOfContext(error.context);
  absl::Status status =
      CommandFault(target, error, lsn.empty() ? "the stream" : absl::StrCat("the stream, at ", lsn, ","));
  if (!lsn.empty()) status.SetPayload(kStreamLsnUrl, absl::Cord(lsn));
  return status;
}

absl::Status PublicationTooYoung(const Target& target, std::string_view lsn) {
  const std::string slot = QuoteLiteral(target.slot);
  return MakeFault(
      Fault::kPublication,
      absl::StrCat("publication ", QuoteIdentifier(target.publication), " was not there yet when the change ",
                   lsn.empty() ? "" : absl::StrCat("at ", View(lsn), " "), "was written, so replication slot ",
                   QuoteIdentifier(target.slot),
                   " cannot deliver it: make the publication first and the slot second; either drop the ",
                   "slot and start again, whose snapshot publishes the rows that are still in the table: "
                   "SELECT pg_drop_replication_slot(",
                   slot, "); or give up what was written before now: SELECT pg_replication_slot_advance(", slot,
                   ", pg_current_wal_lsn())"));
}

std::string SqlstateOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kSqlstateUrl);
  return payload ? std::string(*payload) : "";
}

std::string StreamLsnOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kStreamLsnUrl);
  return payload ? std::string(*payload) : "";
}

std::string Describe(const ServerError& error) {
  if (error.sqlstate.empty()) {
    return error.message.empty() ? "the connection is broken" : absl::StrReplaceAll(error.message, {{"\n", " "}});
  }
  std::string state = absl::StrCat("SQLSTATE ", error.sqlstate);
  for (const char* about_data : {"22", "23", "P0"})
    if (absl::StartsWith(error.sqlstate, about_data)) return state;
  return absl::StrCat(absl::StrReplaceAll(error.message, {{"\n", " "}}), " (", state, ")");
}

}  // namespace postrider::postgres
