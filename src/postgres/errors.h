// What a server or libpq said -> a fault with a sentence for the operator.
//
// The class decides what happens next: a passing fault is tried again for ever, a lasting one ends `run`
// (base/fault.h). Told apart by SQLSTATE, never by translated text; only libpq's own texts, which have no code and are
// not translated here, are read. What a server says of data (classes 22, 23, P0) is left out of the sentence, because
// it may quote the data. Pure. Tested by tests/unit/postgres/errors_test.cc.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/fault.h"
#include "config/config.h"
#include "postgres/conninfo.h"

namespace postrider::postgres {

// Whom we talk to, and about what: the names that a sentence needs.
struct Target {
  std::string address;  // "db.example:5432"
  std::string user;
  std::string dbname;
  std::string slot;
  std::string publication;
};
Target MakeTarget(const config::Config& config, const Host& host);

struct ServerError {
  std::string sqlstate;  // empty where libpq itself failed: the connection broke
  std::string message;   // the primary message, in the server's language
  std::string context;   // walsender: slot, plugin and LSN
};

// A connection that could not be made. `libpq_text` is PQerrorMessage with PQERRORS_VERBOSE set, so that it carries
// SQLSTATEs.
absl::Status ConnectFault(const Target& target, ConnectionKind kind, std::string_view libpq_text);

// The general rule for a command that failed: rights are lasting, all else passes. `doing` as in "creating the slot".
absl::Status CommandFault(const Target& target, const ServerError& error, std::string_view doing);
// A fault with a sentence of one's own; it carries the SQLSTATE.
absl::Status FaultWithState(Fault fault, const ServerError& error, std::string_view sentence);

// START_REPLICATION was refused, or the stream ended with an error.
absl::Status StartFault(const Target& target, const ServerError& error);
absl::Status StreamFault(const Target& target, const ServerError& error);
// The publication was not there yet where the slot stands (an error up to 17, a warning that skips rows from 18 on).
absl::Status PublicationTooYoung(const Target& target, std::string_view lsn);

// The SQLSTATE that a status carries; empty where there is none.
std::string SqlstateOf(const absl::Status& status);

// Where in the log the change stands that ended the stream with an error: "0/15D68A0"; empty where the server did not
// say.
std::string StreamLsnOf(const absl::Status& status);

// "message (SQLSTATE 42501)", on one line, without the message where it may quote data.
std::string Describe(const ServerError& error);

}  // namespace postrider::postgres
