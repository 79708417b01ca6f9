// One libpq connection. READ THIS SECOND in postgres/.
//
// Blocking for its caller, never for ever: each call has a deadline, and ends at once when `stop` is rung (it is never
// cleared). Inside, libpq is non-blocking, so that a running command can be cancelled (PQcancel) before the connection
// is closed; a slot that is being made therefore leaves nothing behind. Only the resolution of a name blocks in libpq
// itself. One thread at a time; movable. Tested by tests/unit/postgres/connection_test.cc.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "decoder/lsn.h"
#include "postgres/conninfo.h"
#include "postgres/errors.h"

namespace postrider::postgres {

using Deadline = std::chrono::steady_clock::time_point;
inline Deadline After(int64_t milliseconds) {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
}

// Waits until `fd` is ready for `events` (poll's). Cancelled when `stop` is rung, DeadlineExceeded.
absl::Status WaitFor(int fd, short events, const Wakeup* stop, Deadline deadline);

// The rows of one statement.
class Result {
 public:
  explicit Result(PGresult* result) : result_(result, PQclear) {}

  ExecStatusType status() const { return PQresultStatus(result_.get()); }
  int rows() const { return PQntuples(result_.get()); }
  int columns() const { return PQnfields(result_.get()); }
  std::string ColumnName(int column) const { return PQfname(result_.get(), column); }
  bool IsNull(int row, int column) const { return PQgetisnull(result_.get(), row, column) != 0; }
  // Empty for NULL.
  std::string Text(int row, int column) const { return PQgetvalue(result_.get(), row, column); }
  bool Bool(int row, int column) const { return Text(row, column) == "t"; }
  // 0 for NULL and for what is no number.
  int64_t Integer(int row, int column) const;
  // Zero for NULL.
  Lsn LsnAt(int row, int column) const;
  ServerError Error() const;

 private:
  std::unique_ptr<PGresult, void (*)(PGresult*)> result_;
};

struct CommandOptions {
  std::string_view doing;              // "creating the slot": begins the sentence of a fault
  int64_t timeout_ms = 0;              // 0: database.query.timeout.ms
  bool copy = false;                   // the last result may be a COPY that the caller goes on with
  std::function<void()> when_waiting;  // called once, when the answer is not there after two seconds
  // What an error of the server becomes; CommandFault where there is none.
  absl::Status (*fault)(const Target& target, const ServerError& error) = nullptr;
};

class Connection {
 public:
  // Tries the hosts in their order; the password is read anew. Session settings are in force when it returns, and on
  // ordinary connections database.initial.statements were run.
  static absl::StatusOr<Connection> Open(const config::Config& config, ConnectionKind kind, const Wakeup* stop);

  // Runs one command, or several separated by semicolons, and gives a result for each.
  absl::StatusOr<std::vector<Result>> Execute(const std::string& sql, const CommandOptions& options);

  // For COPY and streaming. libpq is in non-blocking mode.
  PGconn* raw() const { return connection_.get(); }
  int server_version() const { return PQserverVersion(raw()); }
  const Target& target() const { return target_; }
  // Bytes that have arrived and libpq has not read: in the kernel, and decrypted inside TLS, where poll() cannot see
  // them.
  size_t WaitingBytes() const;
  size_t TlsPendingBytes() const;
  // True once the server has warned that it skips a publication that it does not find (PostgreSQL 18).
  bool skipped_publication() const { return notices_->skipped_publication; }

 private:
  struct Notices {
    bool skipped_publication = false;
  };
  struct Secrets {
    std::string password, sslpassword;
  };

  Connection(PGconn* connection, Target target, const Wakeup* stop, int64_t query_timeout_ms);
  static absl::StatusOr<Connection> OpenHost(const config::Config& config, ConnectionKind kind, const Host& host,
                                             bool only_primary, const Secrets& secrets, const Wakeup* stop);
  static absl::StatusOr<Secrets> ReadSecrets(const config::Database& database);
  static void ReceiveNotice(void* notices, const PGresult* notice);
  absl::Status Establish(ConnectionKind kind);
  absl::Status Prepare(const config::Config& config, ConnectionKind kind);
  absl::Status Send(const std::string& sql, Deadline deadline);
  absl::Status AwaitResult(const CommandOptions& options, Deadline deadline);
  // Asks the server to give up what runs, and waits a moment for it to do so.
  void Cancel();
  ServerError Broken() const { return {.sqlstate = "", .message = PQerrorMessage(raw()), .context = ""}; }

  std::unique_ptr<Notices> notices_;  // outlives connection_, which holds its address
  std::unique_ptr<PGconn, void (*)(PGconn*)> connection_;
  Target target_;
  const Wakeup* stop_;
  int64_t query_timeout_ms_;
};

}  // namespace postrider::postgres
