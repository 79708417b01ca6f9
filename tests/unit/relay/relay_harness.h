// A whole Relay over the fakes, stepped by hand. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fake_clock.h"
#include "fake_connector.h"
#include "fake_producer.h"
#include "fake_router.h"
#include "relay/relay.h"
#include "wal_bytes.h"

namespace postrider::relay {

class RelayHarness : public testing::Test {
 protected:
  static constexpr int64_t kMs = 1'000;
  static constexpr int64_t kSecond = 1'000'000;

  RelayHarness() { config_.slot.name = "outbox"; }
  // Connections that are not answered otherwise.
  static FakeConnector::Answer Usual(uint64_t start_lsn, bool resumed = false) {
    FakeConnector::Answer answer;
    answer.start_lsn = Lsn(start_lsn);
    answer.resumed = resumed;
    answer.tables = {OutboxTable()};
    return answer;
  }

  void Make() {
    relay_ = std::make_unique<Relay>(config_,
                                     Parts{.connector = &connector_,
                                           .producers = &kafka_,
                                           .router = &router_,
                                           .evidence = evidence_,
                                           .desk = &desk_,
                                           .clock = &clock_},
                                     &stats_);
    ASSERT_TRUE(relay_->Start().ok());
  }
  // Made, connected and streaming from position 100.
  FakeStream& Start() { return Start(Usual(100)); }
  FakeStream& Start(FakeConnector::Answer answer) {
    Make();
    FakeStream& stream = connector_.Accept(std::move(answer));
    Step();
    return stream;
  }
  // Steps until the relay asks for the next connection, and accepts it.
  FakeStream& Reconnect(FakeConnector::Answer answer) {
    const size_t before = connector_.requests.size();
    for (int step = 0; step < 3'000 && connector_.requests.size() == before; ++step) RunFor(10 * kMs);
    EXPECT_EQ(connector_.requests.size(), before + 1) << "the relay did not connect again";
    FakeStream& stream = connector_.Accept(std::move(answer));
    Step();
    return stream;
  }

  void Step() {
    relay_->Step();
    if (relay_->finished() || relay_->backlog()) return;
    EXPECT_GT(relay_->next_deadline_us(), clock_.now_us() - kMs) << "a deadline in the past lets the loop spin";
  }
  // Steps every 10 ms; enough for whatever is due in between.
  void RunFor(int64_t us) {
    for (const int64_t until_us = clock_.now_us() + us; clock_.now_us() < until_us && !relay_->finished();) {
      clock_.Advance(10 * kMs);
      Step();
    }
  }
  // How often the loop would wake in this time, if nothing but its own deadlines woke it.
  int WakesIn(int64_t us) {
    int wakes = 0;
    for (const int64_t until_us = clock_.now_us() + us; clock_.now_us() < until_us && wakes < 100'000; ++wakes) {
      clock_.Advance(std::max<int64_t>(relay_->next_deadline_us() - clock_.now_us(), 0));
      relay_->Step();
      if (relay_->finished()) break;
    }
    return wakes;
  }

  // An operator's order, as another thread gives it while the loop turns.
  absl::StatusOr<Report> Ask(Order::Verb verb, const std::string& word = "", const config::Poison& poison = {}) {
    auto answer = std::async(std::launch::async, [&] {
      return desk_.Ask({verb, word, poison}, std::chrono::seconds(10));
    });
    while (answer.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) Step();
    return answer.get();
  }

  // Its commit record starts at `commit` and ends 50 bytes later.
  static void SendTransaction(FakeStream& stream, uint64_t commit, const std::vector<OutboxRow>& rows) {
    OpenTransaction(stream, commit, rows);
    stream.Send(CommitBytes(Lsn(commit), Lsn(commit + 50)));
  }
  static void OpenTransaction(FakeStream& stream, uint64_t commit, const std::vector<OutboxRow>& rows) {
    stream.Send(BeginBytes(Lsn(commit)));
    if (!rows.empty() && !std::exchange(stream.announced, true)) stream.Send(RelationBytes());
    for (const OutboxRow& row : rows) stream.Send(InsertBytes(row));
  }
  static OutboxRow Row(const std::string& id) {
    return {.id = id, .topic = "events", .key = "key", .payload = "payload"};
  }

  State state() const { return stats_.state.load(); }

  config::Config config_;
  FakeClock clock_;
  FakeConnector connector_;
  FakeKafka kafka_;
  FakeRouter router_;
  Stats stats_;
  evidence::Store* evidence_ = nullptr;
  Wakeup bell_;
  Desk desk_{&bell_};
  std::unique_ptr<Relay> relay_;
};

}  // namespace postrider::relay
