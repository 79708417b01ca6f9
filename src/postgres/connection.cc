#include "postgres/connection.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/text.h"

namespace postrider::postgres {
namespace {

constexpr int64_t kConnectTimeoutMs = 10'000;      // for each host
constexpr int64_t kWaitingNoticeMs = 2'000;        // CommandOptions::when_waiting
constexpr int64_t kCancelTimeoutMs = 400;          // to hand over the request, and again for its effect
constexpr int64_t kNoQueryTimeoutMs = 86'400'000;  // database.query.timeout.ms = 0

std::string Field(const PGresult* result, int field) {
  const char* text = PQresultErrorField(result, field);
  return text == nullptr ? "" : text;
}

// PQcancel makes a connection of its own and waits for its end, without any deadline: on a thread that may be left
// behind.
void RequestCancel(PGconn* connection) {
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
  };
  const std::shared_ptr<PGcancel> cancel(PQgetCancel(connection), PQfreeCancel);
  if (cancel == nullptr) return;
  const auto shared = std::make_shared<Shared>();
  std::thread([cancel, shared] {
    char error[256];
    PQcancel(cancel.get(), error, sizeof error);
    const std::lock_guard<std::mutex> lock(shared->mutex);
    shared->done = true;
    shared->changed.notify_all();
  }).detach();
  std::unique_lock<std::mutex> lock(shared->mutex);
  shared->changed.wait_until(lock, After(kCancelTimeoutMs), [&] { return shared->done; });
}

}  // namespace

absl::Status WaitFor(int fd, short events, const Wakeup* stop, Deadline deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd polled[2] = {{fd, events, 0}, {stop->fd(), POLLIN, 0}};
    const int ready = poll(polled, 2, static_cast<int>(std::clamp<int64_t>(left.count() + 1, 0, 3'600'000)));
    if (polled[1].revents != 0) return absl::CancelledError("stopping");
    if (ready > 0) return absl::OkStatus();
    if (ready == 0 && std::chrono::steady_clock::now() >= deadline) return absl::DeadlineExceededError("timed out");
  }
}

int64_t Result::Integer(int row, int column) const {
  int64_t value = 0;
  return absl::SimpleAtoi(Text(row, column), &value) ? value : 0;
}

Lsn Result::LsnAt(int row, int column) const {
  return IsNull(row, column) ? Lsn() : Lsn::Parse(Text(row, column)).value_or(Lsn());
}

ServerError Result::Error() const {
  const std::string primary = Field(result_.get(), PG_DIAG_MESSAGE_PRIMARY);
  return {.sqlstate = Field(result_.get(), PG_DIAG_SQLSTATE),
          .message = primary.empty() ? PQresultErrorMessage(result_.get()) : primary,
          .context = Field(result_.get(), PG_DIAG_CONTEXT)};
}

Connection::Connection(PGconn* connection, Target target, const Wakeup* stop, int64_t query_timeout_ms)
    : notices_(std::make_unique<Notices>()),
      connection_(connection, PQfinish),
      target_(std::move(target)),
      stop_(stop),
      query_timeout_ms_(query_timeout_ms) {
  PQsetErrorVerbosity(connection, PQERRORS_VERBOSE);
  PQsetNoticeReceiver(connection, &Connection::ReceiveNotice, notices_.get());
}

void Connection::ReceiveNotice(void* notices, const PGresult* notice) {
  // The text may be translated; the name of the function that raised it never is.
  if (Field(notice, PG_DIAG_SOURCE_FUNCTION) == "LoadPublications")
    static_cast<Notices*>(notices)->skipped_publication = true;
}

absl::StatusOr<Connection::Secrets> Connection::ReadSecrets(const config::Database& database) {
  Secrets secrets;
  for (const auto& [secret, key, value] :
       {std::tuple(&database.password, "database.password", &secrets.password),
        std::tuple(&database.sslpassword, "database.sslpassword", &secrets.sslpassword)}) {
    absl::StatusOr<std::string> read = secret->Read();
    if (!read.ok()) {
      return MakeFault(Fault::kDatabaseRefuses, absl::StrCat(key, " cannot be read: ", read.status().message()));
    }
    *value = *std::move(read);
  }
  return secrets;
}

absl::StatusOr<Connection> Connection::Open(const config::Config& config, ConnectionKind kind, const Wakeup* stop) {
  const absl::StatusOr<std::vector<Host>> hosts = Hosts(config.database);
  if (!hosts.ok()) return hosts.status();
  const absl::StatusOr<Secrets> secrets = ReadSecrets(config.database);
  if (!secrets.ok()) return secrets.status();
  std::string tried;
  ServerError first{};
  for (const Host& host : *hosts) {
    absl::StatusOr<Connection> connection = OpenHost(config, kind, host, hosts->size() > 1, *secrets, stop);
    if (connection.ok() || absl::IsCancelled(connection.status())) return connection;
    // A server that is up and refuses decides; one that is away, or a standby, leaves it to the next.
    if (FaultOf(connection.status()) != Fault::kPassing) return connection;
    if (first.sqlstate.empty()) first.sqlstate = SqlstateOf(connection.status());
    absl::StrAppend(&tried, tried.empty() ? "" : "; ", connection.status().message());
  }
  return FaultWithState(Fault::kPassing, first, tried);
}

absl::StatusOr<Connection> Connection::OpenHost(const config::Config& config, ConnectionKind kind, const Host& host,
                                                bool only_primary, const Secrets& secrets, const Wakeup* stop) {
  const auto parameters = ConnectionParameters(config, host, kind, only_primary);
  std::vector<const char*> keywords, values;
  for (const auto& [keyword, value] : parameters) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  for (const auto& [keyword, value] :
       {std::pair("password", &secrets.password), std::pair("sslpassword", &secrets.sslpassword)}) {
    if (value->empty()) continue;
    keywords.push_back(keyword);
    values.push_back(value->c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  PGconn* raw = PQconnectStartParams(keywords.data(), values.data(), 0);
  if (raw == nullptr) return MakeFault(Fault::kPassing, "no memory for a connection");
  const int64_t timeout = config.database.query_timeout_ms > 0 ? config.database.query_timeout_ms : kNoQueryTimeoutMs;
  Connection connection(raw, MakeTarget(config, host), stop, timeout);
  if (absl::Status status = connection.Establish(kind); !status.ok()) return status;
  if (absl::Status status = connection.Prepare(config, kind); !status.ok()) return status;
  return connection;
}

absl::Status Connection::Establish(ConnectionKind kind) {
  const Deadline deadline = After(kConnectTimeoutMs);
  PostgresPollingStatusType next = PQstatus(raw()) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
    absl::Status ready = WaitFor(PQsocket(raw()), next == PGRES_POLLING_READING ? POLLIN : POLLOUT, stop_, deadline);
    if (absl::IsDeadlineExceeded(ready)) {
      return MakeFault(Fault::kPassing,
                       absl::StrCat("no answer from ", target_.address, " within ", kConnectTimeoutMs / 1000, " s"));
    }
    if (!ready.ok()) return ready;
    next = PQconnectPoll(raw());
  }
  if (next != PGRES_POLLING_OK) return ConnectFault(target_, kind, PQerrorMessage(raw()));
  if (PQsetnonblocking(raw(), 1) != 0) return ConnectFault(target_, kind, PQerrorMessage(raw()));
  return absl::OkStatus();
}

absl::Status Connection::Prepare(const config::Config& config, ConnectionKind kind) {
  const std::string settings = VersionSettingsSql(server_version());
  if (!settings.empty()) {
    const auto done = Execute(settings, {.doing = "setting up the session"});
    if (!done.ok()) return done.status();
  }
  if (kind == ConnectionKind::kReplication || config.database.initial_statements.empty()) return absl::OkStatus();
  for (const std::string& statement : config.database.initial_statements) {
    const auto done = Execute(statement, {.doing = "a statement of database.initial.statements"});
    if (!done.ok()) return done.status();
  }
  return Execute(PinnedSettingsSql(kind), {.doing = "setting up the session"}).status();
}

absl::StatusOr<std::vector<Result>> Connection::Execute(const std::string& sql, const CommandOptions& options) {
  const Deadline deadline = After(options.timeout_ms > 0 ? options.timeout_ms : query_timeout_ms_);
  if (absl::Status status = Send(sql, deadline); !status.ok()) return status;
  std::vector<Result> results;
  absl::Status failed;
  while (true) {
    if (absl::Status status = AwaitResult(options, deadline); !status.ok()) return status;
    PGresult* raw_result = PQgetResult(raw());
    if (raw_result == nullptr) break;
    Result result(raw_result);
    switch (result.status()) {
      case PGRES_TUPLES_OK:
      case PGRES_COMMAND_OK:
      case PGRES_EMPTY_QUERY:
        results.push_back(std::move(result));
        break;
      case PGRES_COPY_OUT:
      case PGRES_COPY_BOTH:
      case PGRES_COPY_IN:
        if (!options.copy)
          return MakeFault(Fault::kConfiguration,
                           absl::StrCat(View(options.doing), " failed: COPY is not possible there"));
        results.push_back(std::move(result));
        return results;
      default:
        if (!failed.ok()) break;
        failed = options.fault != nullptr ? options.fault(target_, result.Error())
                                          : CommandFault(target_, result.Error(), options.doing);
    }
  }
  if (!failed.ok()) return failed;
  if (PQstatus(raw()) == CONNECTION_BAD) return CommandFault(target_, Broken(), options.doing);
  return results;
}

absl::Status Connection::Send(const std::string& sql, Deadline deadline) {
  if (PQsendQuery(raw(), sql.c_str()) == 0) return CommandFault(target_, Broken(), "sending a command");
  while (true) {
    const int unsent = PQflush(raw());
    if (unsent == 0) return absl::OkStatus();
    if (unsent < 0) return CommandFault(target_, Broken(), "sending a command");
    if (absl::Status ready = WaitFor(PQsocket(raw()), POLLIN | POLLOUT, stop_, deadline); !ready.ok()) return ready;
    if (PQconsumeInput(raw()) == 0) return CommandFault(target_, Broken(), "sending a command");
  }
}

absl::Status Connection::AwaitResult(const CommandOptions& options, Deadline deadline) {
  const Deadline notice = After(kWaitingNoticeMs);
  bool notify = options.when_waiting != nullptr;
  while (PQisBusy(raw()) != 0) {
    absl::Status ready = WaitFor(PQsocket(raw()), POLLIN, stop_, notify ? std::min(notice, deadline) : deadline);
    if (absl::IsDeadlineExceeded(ready) && std::chrono::steady_clock::now() < deadline) {
      notify = false;
      options.when_waiting();
      continue;
    }
    if (!ready.ok()) Cancel();
    if (absl::IsDeadlineExceeded(ready))
      return MakeFault(Fault::kPassing, absl::StrCat(View(options.doing), " took too long, and was cancelled"));
    if (!ready.ok()) return ready;
    if (PQconsumeInput(raw()) == 0) return CommandFault(target_, Broken(), options.doing);
  }
  return absl::OkStatus();
}

size_t Connection::WaitingBytes() const {
  int waiting = 0;
  if (ioctl(PQsocket(raw()), FIONREAD, &waiting) != 0 || waiting < 0) waiting = 0;
  return static_cast<size_t>(waiting) + TlsPendingBytes();
}

size_t Connection::TlsPendingBytes() const {
  auto* ssl = static_cast<SSL*>(PQsslStruct(raw(), "OpenSSL"));
  return ssl == nullptr ? 0 : static_cast<size_t>(SSL_pending(ssl));
}

void Connection::Cancel() {
  RequestCancel(raw());
  // The stop bell rings already: a bell of its own that nobody rings.
  const Wakeup silent;
  const Deadline deadline = After(kCancelTimeoutMs);
  while (PQisBusy(raw()) != 0) {
    if (!WaitFor(PQsocket(raw()), POLLIN, &silent, deadline).ok() || PQconsumeInput(raw()) == 0) return;
  }
}

}  // namespace postrider::postgres
