// A publisher over a scripted Kafka, for the tests of what it does. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "fake_producer.h"
#include "relay/publisher.h"

namespace postrider::relay {

using Offered = Publisher::Offered;
using Outcome = FakeKafka::Outcome;

inline constexpr int64_t kSecond = 1'000'000;
inline constexpr uint64_t kJitterSeed = 1;

// Rows belong to transactions whose commit record starts at a multiple of 100.
class PublisherTest : public testing::Test {
 protected:
  PublisherTest() { config_.inflight_bytes_max = 10'000; }

  void Start() {
    publisher_.emplace(config_, "orders-connector", &kafka_, &tracker_, &stats_, kJitterSeed);
    ASSERT_TRUE(publisher_->Start().ok());
  }
  void Begin(uint64_t commit) {
    commit_ = commit;
    tracker_.Begin(Lsn(commit));
  }
  Offered Offer(const std::string& id, uint32_t ordinal, size_t value_bytes = 10, std::string_view topic = "events") {
    const std::string value(value_bytes, 'v');
    const Record record{.topic = topic, .key = "key", .value = value, .id = id};
    return publisher_->Offer(record, "public.outbox", {Lsn(commit_), ordinal}, now_us_);
  }
  // A transaction of one row that is taken.
  void Send(uint64_t commit, const std::string& id) {
    Begin(commit);
    ASSERT_EQ(Offer(id, 0), Offered::kTaken);
    tracker_.Commit(Lsn(commit + 50));
  }
  Offered OfferBeside() { return publisher_->OfferBeside({.topic = "beats", .key = "key", .value = "value"}, now_us_); }
  absl::Status Poll() { return publisher_->Poll(now_us_); }
  void PollAfter(int64_t us) {
    now_us_ += us;
    ASSERT_TRUE(Poll().ok());
    ASSERT_GT(publisher_->next_deadline_us(now_us_), now_us_) << "a deadline in the past lets the loop spin";
  }
  // What the relay does when asked: the stream begins again behind what is confirmed.
  void Rewind() {
    ASSERT_TRUE(publisher_->rewind_wanted());
    tracker_.Rewind();
    publisher_->Rewound();
  }
  const Hold& hold() const { return *publisher_->hold(); }

  config::Relay config_;
  FakeKafka kafka_;
  Tracker tracker_;
  Stats stats_;
  std::optional<Publisher> publisher_;
  uint64_t commit_ = 0;
  int64_t now_us_ = 100 * kSecond;
};

}  // namespace postrider::relay
