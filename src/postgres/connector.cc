#include "postgres/connector.h"

#include <poll.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/text.h"
#include "base/worker.h"
#include "config/selection.h"
#include "postgres/action.h"
#include "postgres/attach.h"
#include "postgres/catalog.h"
#include "postgres/publication.h"
#include "postgres/quote.h"
#include "postgres/slot.h"
#include "postgres/snapshot.h"

namespace postrider::postgres {
namespace {

constexpr char kCannotConnectNow[] = "57P03";
constexpr int64_t kWatchTablesMs = 30'000;
constexpr int64_t kDropSlotMs = 3'000;  // the server may take a moment to notice that the stream was closed

struct Shared : Worker {
  Shared(const config::Config& configuration, const Wakeup* owner, std::shared_ptr<evidence::Store> store)
      : Worker(owner),
        config(configuration),
        filter(config::TablesOf(configuration.tables)),
        evidence(std::move(store)) {}

  const config::Config config;
  const absl::StatusOr<TableFilter> filter;
  const std::shared_ptr<evidence::Store> evidence;
  std::atomic<bool> server_stopping{false};

  // Guarded by the mutex.
  std::deque<std::function<void()>> questions;
  std::optional<absl::StatusOr<Connected>> connected;
  std::optional<absl::Status> finished;
  std::optional<absl::StatusOr<Table>> table;
  std::optional<absl::StatusOr<bool>> found_row;
  std::optional<absl::Status> fault;

  // The thread's own.
  Seen seen;
  bool stands_by = false;
  std::optional<Deadline> watch_tables_at;
  std::optional<Connection> query;  // kept for questions about tables, and to be told when the server stops
};

std::function<void()> NextQuestion(Shared& shared) {
  const std::lock_guard<std::mutex> lock(shared.mutex);
  if (shared.questions.empty()) return nullptr;
  std::function<void()> question = std::move(shared.questions.front());
  shared.questions.pop_front();
  return question;
}

// The kept connection says something although nothing was asked: mostly that it ends. When no new one is let in because
// the server shuts down (or starts, and then the stream is lost as well), that is the news.
void HearServer(Shared& shared) {
  if (PQconsumeInput(shared.query->raw()) != 0 && PQstatus(shared.query->raw()) == CONNECTION_OK) return;
  shared.query.reset();
  absl::StatusOr<Connection> again = Connection::Open(shared.config, ConnectionKind::kQuery, &shared.stop);
  if (again.ok()) {
    shared.query = *std::move(again);
    return;
  }
  if (SqlstateOf(again.status()) != kCannotConnectNow) return;
  shared.server_stopping = true;
  shared.RingOwner();
}

// While the stream runs: compares the lists with the publication, at intervals.
void WatchTables(Shared& shared) {
  if (!shared.watch_tables_at || std::chrono::steady_clock::now() < *shared.watch_tables_at) return;
  shared.watch_tables_at = After(kWatchTablesMs);
  if (!shared.query) return;
  absl::Status status = ExtendPublication(*shared.query, shared.config, *shared.filter);
  if (status.ok()) return;
  if (FaultOf(status) != Fault::kPublication) return HearServer(shared);
  shared.Answer(shared.fault, std::move(status));
}

int UntilWatchMs(const Shared& shared) {
  if (!shared.watch_tables_at) return -1;
  const auto left = *shared.watch_tables_at - std::chrono::steady_clock::now();
  return static_cast<int>(std::max<int64_t>(std::chrono::ceil<std::chrono::milliseconds>(left).count(), 0));
}

void Work(const std::shared_ptr<Shared>& shared) {
  while (true) {
    pollfd polled[3] = {{shared->stop.fd(), POLLIN, 0},
                        {shared->asked.fd(), POLLIN, 0},
                        {shared->query ? PQsocket(shared->query->raw()) : -1, POLLIN, 0}};
    if (poll(polled, 3, UntilWatchMs(*shared)) < 0) continue;
    if (polled[0].revents != 0) break;
    WatchTables(*shared);
    if (polled[2].revents != 0 && shared->query) HearServer(*shared);
    if (polled[1].revents == 0) continue;
    shared->asked.Clear();
    while (const std::function<void()> question = NextQuestion(*shared)) question();
  }
  shared->query.reset();
  shared->End();
}

// Once the process has streamed, secrets and rights that are refused are being changed: that passes.
absl::Status AfterTheStart(const absl::Status& status) {
  if (status.ok() || absl::IsCancelled(status) || absl::IsNotFound(status) ||
      FaultOf(status) != Fault::kDatabaseRefuses)
    return status;
  return MakeFault(Fault::kPassing, MessageOf(status));
}

absl::StatusOr<Evidence> EvidenceOf(const Shared& shared) {
  if (shared.evidence == nullptr) return Evidence{};
  absl::StatusOr<std::optional<evidence::Record>> record = shared.evidence->Read(shared.stop);
  Evidence evidence{.record = std::nullopt, .place = shared.evidence->place()};
  if (absl::IsUnavailable(record.status())) return MakeFault(Fault::kPassing, MessageOf(record.status()));
  if (record.ok()) {
    evidence.record = *std::move(record);
  } else if (!shared.config.slot.accept_gap) {
    return MakeFault(Fault::kContinuity,
                     absl::StrCat(evidence.place, " should hold the evidence record, and cannot be used: ",
                                  record.status().message(), "; mend or remove it, or start once with --accept-gap"));
  }
  return evidence;
}

absl::StatusOr<Connected> Connect(Shared& shared, const ConnectRequest& request) {
  if (!shared.filter.ok()) return shared.filter.status();
  // One that stands by goes on asking over the connection it has; else the server may be another one by now.
  if (!shared.stands_by) shared.query.reset();
  absl::StatusOr<Connected> connected = Attach(
      shared.config, *shared.filter, request, [&] { return EvidenceOf(shared); }, shared.seen, shared.query,
      &shared.stop);
  shared.stands_by = !connected.ok() && IsStandby(connected.status());
  if (connected.ok()) shared.server_stopping = false;
  shared.watch_tables_at.reset();
  if (connected.ok() && !connected->source->is_snapshot()) shared.watch_tables_at = After(kWatchTablesMs);
  if (connected.ok() || shared.stands_by) return connected;
  shared.query.reset();
  return request.first ? connected.status() : AfterTheStart(connected.status());
}

absl::StatusOr<std::vector<Table>> ReadOneTable(Shared& shared, uint32_t oid) {
  if (!shared.query) {
    absl::StatusOr<Connection> query = Connection::Open(shared.config, ConnectionKind::kQuery, &shared.stop);
    if (!query.ok()) return query.status();
    shared.query = *std::move(query);
  }
  return ReadTables(*shared.query, {oid});
}

absl::StatusOr<Table> Lookup(Shared& shared, uint32_t oid) {
  const bool kept = shared.query.has_value();
  absl::StatusOr<std::vector<Table>> tables = ReadOneTable(shared, oid);
  if (!tables.ok() && kept) {
    // The kept one may have been closed in the meantime.
    shared.query.reset();
    tables = ReadOneTable(shared, oid);
  }
  if (!tables.ok()) return AfterTheStart(tables.status());
  if (tables->empty()) return absl::NotFoundError(absl::StrCat("no table has the oid ", oid));
  return std::move(tables->front());
}

absl::StatusOr<bool> FindRow(Shared& shared, uint32_t oid, const std::string& id) {
  const absl::StatusOr<Table> table = Lookup(shared, oid);
  if (absl::IsNotFound(table.status())) return false;
  if (!table.ok()) return table.status();
  // The literal takes the column's type, so that the column's index is used.
  const absl::StatusOr<std::vector<Result>> results = shared.query->Execute(
      absl::StrCat("SELECT FROM ", QuoteTable(table->schema, table->name), " WHERE ",
                   QuoteIdentifier(shared.config.router.event_id), " = ", QuoteLiteral(id), " LIMIT 1"),
      {.doing = "looking for the row of an event"});
  if (!results.ok()) return AfterTheStart(results.status());
  return results->back().rows() > 0;
}

class ThreadedConnector : public Connector {
 public:
  ThreadedConnector(const config::Config& config, const Wakeup* wakeup, std::shared_ptr<evidence::Store> evidence)
      : shared_(std::make_shared<Shared>(config, wakeup, std::move(evidence))), thread_(Work, shared_) {
    if (config.heartbeat.interval_ms > 0 && !config.heartbeat.action_query.empty()) action_.emplace(config, wakeup);
  }

  ~ThreadedConnector() override {
    action_.reset();
    shared_->Leave(thread_);
  }

  void StartConnect(const ConnectRequest& request) override {
    Ask([shared = shared_.get(), request] { shared->Answer(shared->connected, Connect(*shared, request)); });
  }
  std::optional<absl::StatusOr<Connected>> TakeConnected() override { return shared_->Take(shared_->connected); }

  void StartFinishSnapshot(std::unique_ptr<Source> source) override {
    POSTRIDER_CHECK(source != nullptr && source->is_snapshot());
    // A function can be copied, a source cannot.
    std::shared_ptr<Source> kept = std::move(source);
    Ask([shared = shared_.get(), kept = std::move(kept)]() mutable {
      absl::Status finished = static_cast<Snapshot&>(*kept).Finish(shared->config);
      kept.reset();
      shared->Answer(shared->finished, std::move(finished));
    });
  }
  std::optional<absl::Status> TakeFinishedSnapshot() override { return shared_->Take(shared_->finished); }

  void StartLookup(uint32_t relation_oid) override {
    Ask([shared = shared_.get(), relation_oid] { shared->Answer(shared->table, Lookup(*shared, relation_oid)); });
  }
  std::optional<absl::StatusOr<Table>> TakeTable() override { return shared_->Take(shared_->table); }

  void StartFindRow(uint32_t relation_oid, std::string_view id) override {
    Ask([shared = shared_.get(), relation_oid, id = std::string(id)] {
      shared->Answer(shared->found_row, FindRow(*shared, relation_oid, id));
    });
  }
  std::optional<absl::StatusOr<bool>> TakeFoundRow() override { return shared_->Take(shared_->found_row); }

  void StartAction() override {
    if (action_) action_->Start();
  }
  std::optional<absl::Status> TakeAction() override { return action_ ? action_->Take() : std::nullopt; }

  std::optional<absl::Status> TakeFault() override { return shared_->Take(shared_->fault); }

  bool server_stopping() const override { return shared_->server_stopping; }

  absl::Status DropSlot() override;

 private:
  void Ask(std::function<void()> question) {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    shared_->questions.push_back(std::move(question));
    shared_->asked.Ring();
  }

  std::shared_ptr<Shared> shared_;
  std::thread thread_;
  std::optional<Action> action_;
};

absl::Status ThreadedConnector::DropSlot() {
  const Deadline deadline = After(kDropSlotMs);
  absl::StatusOr<Connection> query = Connection::Open(shared_->config, ConnectionKind::kQuery, &shared_->stop);
  if (!query.ok()) return query.status();
  while (true) {
    absl::Status dropped = postgres::DropSlot(*query, shared_->config.slot.name);
    if (SqlstateOf(dropped) != "55006" || std::chrono::steady_clock::now() > deadline) return dropped;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace

std::unique_ptr<Connector> MakeConnector(const config::Config& config, const Wakeup* wakeup,
                                         std::shared_ptr<evidence::Store> evidence) {
  return std::make_unique<ThreadedConnector>(config, wakeup, std::move(evidence));
}

}  // namespace postrider::postgres
