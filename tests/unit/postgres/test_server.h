// A real PostgreSQL for tests, given by POSTRIDER_TEST_PGHOST and POSTRIDER_TEST_PGPORT, with a superuser in
// POSTRIDER_TEST_PGUSER (postgres) and POSTRIDER_TEST_PGPASSWORD. Without them the tests are skipped. wal_level has to
// be logical, with eight free slots.
//
// Each test has a database, a slot's name and a role of its own, and leaves none of them behind, so that tests can run
// at the same time.
#pragma once

#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/wakeup.h"
#include "config/config.h"
#include "decoder/decoder.h"
#include "postgres/connector.h"
#include "postgres/source.h"

namespace postrider::postgres {

inline std::string Environment(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value == nullptr ? fallback : value;
}

// A plain libpq session of the superuser. A statement that fails fails the test.
class Admin {
 public:
  Admin(const std::string& dbname, const std::string& more) {
    const std::string conninfo = "host=" + Environment("POSTRIDER_TEST_PGHOST", "") +
                                 " port=" + Environment("POSTRIDER_TEST_PGPORT", "") +
                                 " user=" + Environment("POSTRIDER_TEST_PGUSER", "postgres") + " dbname=" + dbname +
                                 " options='-c client_min_messages=warning' " + more;
    setenv("PGPASSWORD", Environment("POSTRIDER_TEST_PGPASSWORD", "").c_str(), 1);
    connection_.reset(PQconnectdb(conninfo.c_str()));
    unsetenv("PGPASSWORD");
    EXPECT_EQ(PQstatus(connection_.get()), CONNECTION_OK) << PQerrorMessage(connection_.get());
  }

  // The first column of all rows, one a line.
  std::string Sql(const std::string& sql) {
    PGresult* result = PQexec(connection_.get(), sql.c_str());
    const ExecStatusType status = PQresultStatus(result);
    EXPECT_TRUE(status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_COPY_BOTH)
        << sql << ": " << PQerrorMessage(connection_.get());
    std::string text;
    for (int row = 0; row < PQntuples(result); ++row)
      text += std::string(row > 0 ? "\n" : "") + PQgetvalue(result, row, 0);
    PQclear(result);
    return text;
  }
  // The same, but an error is nothing.
  void Try(const std::string& sql) { PQclear(PQexec(connection_.get(), sql.c_str())); }
  int version() const { return PQserverVersion(connection_.get()); }
  int pid() const { return PQbackendPID(connection_.get()); }

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  std::unique_ptr<PGconn, Finish> connection_;
};

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (Environment("POSTRIDER_TEST_PGHOST", "").empty() || Environment("POSTRIDER_TEST_PGPORT", "").empty()) {
      GTEST_SKIP() << "no server: set POSTRIDER_TEST_PGHOST and POSTRIDER_TEST_PGPORT to a PostgreSQL made for tests";
    }
    Admin cluster("postgres", "");
    if (cluster.Sql("SHOW wal_level") != "logical") GTEST_SKIP() << "the test server's wal_level is not logical";
    name_ = "postrider_test_" + std::to_string(getpid());
    cluster.Sql("CREATE DATABASE " + name_ + " TEMPLATE template0");
    cluster.Sql("CREATE ROLE " + name_ + " LOGIN REPLICATION PASSWORD 'first'");
    cluster.Try("GRANT with_password TO " + name_);  // where with_postgres made the server: others are trusted
    admin_ = std::make_unique<Admin>(name_, "");
    admin_->Sql("CREATE TABLE outbox (id int PRIMARY KEY, payload text)");
    admin_->Sql("GRANT CREATE ON DATABASE " + name_ + " TO " + name_ + "; GRANT CREATE, USAGE ON SCHEMA public TO " +
                name_ + "; ALTER TABLE outbox OWNER TO " + name_);
    config_.database.hostname = Environment("POSTRIDER_TEST_PGHOST", "");
    config_.database.port = Environment("POSTRIDER_TEST_PGPORT", "");
    config_.database.user = name_;
    config_.database.password = config::Secret::Plain("first");
    config_.database.dbname = name_;
    config_.slot.name = name_;
    config_.tables.table_include_list = "public.outbox";
    config_.snapshot.mode = config::SnapshotMode::kNoData;
  }

  void TearDown() override {
    if (name_.empty()) return;
    connector_.reset();
    admin_.reset();
    Admin cluster("postgres", "");
    for (int attempt = 0; attempt < 100; ++attempt) {
      cluster.Try("SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name LIKE '" + name_ +
                  "%' AND active");
      cluster.Try("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name LIKE '" +
                  name_ + "%' AND NOT active");
      if (cluster.Sql("SELECT count(*) FROM pg_replication_slots WHERE slot_name LIKE '" + name_ + "%'") == "0") break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    cluster.Sql("DROP DATABASE " + name_ + " WITH (FORCE)");
    cluster.Try("DROP DATABASE IF EXISTS " + name_ + "_other WITH (FORCE)");
    cluster.Sql("DROP ROLE " + name_);
  }

  // The answer to a question, within a minute.
  template <typename T>
  T Await(const std::function<std::optional<T>()>& take) {
    for (int rings = 0; rings < 600; ++rings) {
      std::optional<T> answer = take();
      if (answer) return std::move(*answer);
      pollfd polled{wakeup_.fd(), POLLIN, 0};
      poll(&polled, 1, 100);
      wakeup_.Clear();
    }
    ADD_FAILURE() << "no answer";
    std::abort();
  }

  absl::StatusOr<Connected> Connect(const ConnectRequest& request = {}) {
    if (!connector_) connector_ = MakeConnector(config_, &wakeup_);
    connector_->StartConnect(request);
    return Await<absl::StatusOr<Connected>>([&] { return connector_->TakeConnected(); });
  }
  absl::Status ConnectFails(const ConnectRequest& request = {}) {
    absl::StatusOr<Connected> connected = Connect(request);
    EXPECT_FALSE(connected.ok()) << connected->slot_note;
    return connected.status();
  }
  absl::Status FinishSnapshot(std::unique_ptr<Source> source) {
    connector_->StartFinishSnapshot(std::move(source));
    return Await<absl::Status>([&] { return connector_->TakeFinishedSnapshot(); });
  }

  bool IsTrueSoon(const std::string& sql) {
    for (int attempt = 0; attempt < 200; ++attempt) {
      if (admin_->Sql("SELECT " + sql) == "t") return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return false;
  }
  std::string SlotField(const std::string& field) {
    return admin_->Sql("SELECT " + field + " FROM pg_replication_slots WHERE slot_name = '" + name_ + "'");
  }

  std::string name_;  // of database, role and slot
  config::Config config_;
  Wakeup wakeup_;
  std::unique_ptr<Admin> admin_;
  std::unique_ptr<Connector> connector_;
};

// What a source gave, decoded.
struct Row {
  std::string table;
  std::vector<std::string> columns;  // "t:text" or "n:"
};

class Reader {
 public:
  explicit Reader(Source* source) : source_(source) {}

  // Reads until `enough` says so, the snapshot ends, an error comes, or 30 s have passed without a message.
  void ReadUntil(const std::function<bool()>& enough) {
    while (!enough() && !ended && status.ok()) {
      const auto message = source_->Next();
      if (!message.ok()) {
        status = message.status();
        return;
      }
      if (message->has_value()) {
        Take(**message);
        continue;
      }
      pollfd polled{source_->fd(), static_cast<short>(POLLIN | (source_->wants_write() ? POLLOUT : 0)), 0};
      const int ready = poll(&polled, 1, 30'000);
      ASSERT_GT(ready, 0) << "silence";
      if ((polled.revents & POLLOUT) != 0) status = source_->Flush();
    }
  }
  void ReadRows(size_t count) {
    ReadUntil([&] { return rows.size() >= count && !open; });
  }

  std::vector<Row> rows;
  std::vector<std::string> relations;  // the bytes of each Relation message
  bool open = false;                   // between Begin and Commit
  bool ended = false;
  int transactions = 0;
  Lsn commit_end;
  Lsn keepalive_end;
  absl::Status status;

 private:
  void Take(const SourceMessage& message) {
    if (const auto* keepalive = std::get_if<Keepalive>(&message)) keepalive_end = keepalive->end_lsn;
    if (std::holds_alternative<SnapshotEnd>(message)) ended = true;
    const auto* wal = std::get_if<WalData>(&message);
    if (wal == nullptr) return;
    const auto decoded = decoder_.Decode(wal->message);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    if (std::holds_alternative<decoder::Begin>(*decoded)) open = true;
    if (const auto* relation = std::get_if<decoder::Relation>(&*decoded)) {
      relations.emplace_back(wal->message);
      names_[relation->oid] = std::string(relation->name);
    }
    if (const auto* insert = std::get_if<decoder::Insert>(&*decoded)) TakeRow(*insert);
    if (const auto* commit = std::get_if<decoder::Commit>(&*decoded)) {
      open = false;
      ++transactions;
      commit_end = commit->end_lsn;
    }
  }
  void TakeRow(const decoder::Insert& insert) {
    std::vector<decoder::Value> values;
    insert.new_row.CopyTo(values);
    Row row{names_[insert.relation_oid], {}};
    for (const decoder::Value& value : values)
      row.columns.push_back(std::string(1, static_cast<char>(value.kind)) + ":" + std::string(value.bytes));
    rows.push_back(std::move(row));
  }

  Source* source_;
  decoder::Decoder decoder_;
  std::map<uint32_t, std::string> names_;
};

}  // namespace postrider::postgres
