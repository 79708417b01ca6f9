// Memory while nothing is acknowledged: transactions without events, and keepalives, cost nothing however many come.
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "relay/intake.h"
#include "relay_harness.h"

namespace postrider::relay {
namespace {

// A server that sends Begin and Commit of everybody else's transactions (13 and 14 do), with a keepalive behind every
// tenth, and takes no memory for them.
class EmptyTransactions final : public postgres::Source {
 public:
  explicit EmptyTransactions(uint64_t limit) : limit_(limit) {}

  absl::StatusOr<std::optional<postgres::SourceMessage>> Next() override {
    if (sent_ == limit_) return std::optional<postgres::SourceMessage>();
    step_ = (step_ + 1) % 3;
    if (step_ == 1) {
      lsn_ = Lsn(lsn_.value() + 128);
      Write(begin_, 1, lsn_);
      return postgres::SourceMessage(postgres::WalData{.lsn = Lsn(), .message = begin_});
    }
    if (step_ == 2) {
      Write(commit_, 2, lsn_);
      Write(commit_, 10, Lsn(lsn_.value() + 48));
      return postgres::SourceMessage(postgres::WalData{.lsn = Lsn(), .message = commit_});
    }
    ++sent_;
    if (sent_ % 10 != 0) return Next();
    return postgres::SourceMessage(postgres::Keepalive{.end_lsn = Lsn(lsn_.value() + 64)});
  }
  absl::Status SendStatus(Lsn, Lsn, bool) override { return absl::OkStatus(); }
  int fd() const override { return -1; }
  bool wants_write() const override { return false; }
  absl::Status Flush() override { return absl::OkStatus(); }
  size_t WaitingBytes() const override { return 0; }
  bool is_snapshot() const override { return false; }

  Lsn lsn() const { return lsn_; }

 private:
  static void Write(std::string& message, size_t at, Lsn lsn) {
    for (size_t byte = 0; byte < 8; ++byte) message[at + byte] = static_cast<char>(lsn.value() >> (56 - 8 * byte));
  }

  const uint64_t limit_;
  uint64_t sent_ = 0;
  int step_ = 0;
  Lsn lsn_{1'000};
  std::string begin_ = BeginBytes(Lsn(0));
  std::string commit_ = CommitBytes(Lsn(0), Lsn(0));
};

int64_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t size_pages = 0, resident_pages = 0;
  statm >> size_pages >> resident_pages;
  return resident_pages * sysconf(_SC_PAGESIZE);
}

class FlatMemoryTest : public RelayHarness {
 protected:
  static constexpr int64_t kGrowthMax = 1'000'000;

  void Read(postgres::Source& source) {
    for (;;) {
      const auto progress = intake_.Step(source, false);
      ASSERT_TRUE(progress.ok());
      if (*progress == Intake::Progress::kIdle) return;
      ASSERT_EQ(*progress, Intake::Progress::kMore);
    }
  }

  Tracker tracker_;
  Confirmer confirmer_{10'000};
  Publisher publisher_{config_.relay, "outbox", &kafka_, &tracker_, &stats_, /*jitter_seed=*/1};
  Intake intake_{config_, &clock_, &router_, &connector_, &publisher_, &tracker_, &confirmer_, &stats_};
};

TEST_F(FlatMemoryTest, TenMillionEmptyTransactionsBehindAFrozenBrokerCostNothing) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr uint64_t kTransactions = 300'000;
#else
  constexpr uint64_t kTransactions = 10'000'000;
#endif
  ASSERT_TRUE(publisher_.Start().ok());
  intake_.Connected({OutboxTable()}, false);
  kafka_.Cork();
  FakeStream stream;
  SendTransaction(stream, 500, {Row("a")});
  FakeSource source(&stream);
  Read(source);
  ASSERT_EQ(tracker_.outstanding_records(), 1u);

  EmptyTransactions first(10'000), others(kTransactions);
  Read(first);
  const int64_t before = ResidentBytes();
  Read(others);
  EXPECT_LT(ResidentBytes() - before, kGrowthMax);
  EXPECT_LE(tracker_.entries(), 2u);
  EXPECT_EQ(tracker_.confirmable(), Lsn());
  EXPECT_EQ(stats_.transactions, 10'001 + kTransactions);

  kafka_.Uncork();
  ASSERT_TRUE(publisher_.Poll(clock_.MonotonicMicros()).ok());
  EXPECT_EQ(tracker_.confirmable(), Lsn(others.lsn().value() + 64)) << "and then all of it is confirmed at once";
}

}  // namespace
}  // namespace postrider::relay
