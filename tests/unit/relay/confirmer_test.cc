#include "relay/confirmer.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/fault.h"
#include "fake_source.h"

namespace postrider::relay {
namespace {

constexpr int64_t kMs = 1000;
constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kStart = 50 * kSecond;

class ConfirmerTest : public testing::Test {
 protected:
  // A stream from position 100, at kStart.
  void Connect(int64_t wal_sender_timeout_ms = 60'000, int64_t status_interval_ms = 10'000) {
    confirmer_.emplace(status_interval_ms);
    confirmer_->Connected(Lsn(100), wal_sender_timeout_ms, kStart);
  }
  // One step; true when it sent a status.
  bool Step(int64_t now_us, uint64_t received, uint64_t confirmable, bool reading = false) {
    const size_t before = stream_.statuses().size();
    EXPECT_TRUE(confirmer_->Step(source_, Lsn(received), Lsn(confirmable), reading, now_us).ok());
    return stream_.statuses().size() > before;
  }
  void Keepalive(uint64_t end_lsn, bool reply_requested, int64_t now_us) {
    confirmer_->SawKeepalive({Lsn(end_lsn), reply_requested}, now_us);
  }

  FakeStream stream_;
  FakeSource source_{&stream_};
  std::optional<Confirmer> confirmer_;
};

TEST_F(ConfirmerTest, SaysZeroUntilAPositionIsKnownAndWhereTheStreamBegan) {
  Connect();
  ASSERT_TRUE(Step(kStart + 10 * kSecond, 0, 0));
  EXPECT_EQ(stream_.last_status().write, Lsn(100));
  EXPECT_EQ(stream_.last_status().flush, Lsn());
}

TEST_F(ConfirmerTest, SpeaksOnItsOwnTimerThoughNothingIsRead) {
  Connect();
  EXPECT_FALSE(Step(kStart + 9'999 * kMs, 200, 0));
  EXPECT_TRUE(Step(kStart + 10'000 * kMs, 200, 0));
  EXPECT_FALSE(Step(kStart + 19'999 * kMs, 200, 0));
  EXPECT_TRUE(Step(kStart + 20'000 * kMs, 200, 0));
  EXPECT_FALSE(stream_.last_status().reply_requested);
}

TEST_F(ConfirmerTest, SpeaksThreeTimesWithinTheServersTimeout) {
  Connect(6'000);
  EXPECT_FALSE(Step(kStart + 1'999 * kMs, 200, 0));
  EXPECT_TRUE(Step(kStart + 2'000 * kMs, 200, 0));
}

TEST_F(ConfirmerTest, ATimeoutThatIsOffLeavesTheConfiguredInterval) {
  Connect(0, 3'000);
  EXPECT_FALSE(Step(kStart + 2'999 * kMs, 200, 0));
  EXPECT_TRUE(Step(kStart + 3'000 * kMs, 200, 0));
}

TEST_F(ConfirmerTest, TellsANewConfirmedPositionSoonAndOnce) {
  Connect();
  EXPECT_FALSE(Step(kStart + 100 * kMs, 200, 150));
  EXPECT_EQ(confirmer_->next_deadline_us(false), kStart + 200 * kMs);
  EXPECT_TRUE(Step(kStart + 200 * kMs, 200, 150));
  EXPECT_EQ(stream_.last_status().write, Lsn(200));
  EXPECT_EQ(stream_.last_status().flush, Lsn(150));
  EXPECT_FALSE(Step(kStart + 500 * kMs, 200, 150)) << "no news";
}

TEST_F(ConfirmerTest, PositionsOnlyGrow) {
  Connect();
  ASSERT_TRUE(Step(kStart + 1 * kSecond, 300, 250));
  Step(kStart + 20 * kSecond, 200, 150);
  EXPECT_EQ(stream_.last_status().write, Lsn(300));
  EXPECT_EQ(stream_.last_status().flush, Lsn(250));
}

TEST_F(ConfirmerTest, ANewStreamForgetsWhatTheLastOneReported) {
  Connect();
  ASSERT_TRUE(Step(kStart + 1 * kSecond, 300, 250));
  confirmer_->Connected(Lsn(50), 60'000, kStart + 2 * kSecond);
  ASSERT_TRUE(Step(kStart + 12 * kSecond, 0, 0));
  EXPECT_EQ(stream_.last_status().write, Lsn(50));
  EXPECT_EQ(stream_.last_status().flush, Lsn());
}

TEST_F(ConfirmerTest, AsksOnceASecondWhileItReadsAndHearsNothing) {
  Connect();
  EXPECT_FALSE(Step(kStart + 999 * kMs, 100, 0, true));
  EXPECT_TRUE(Step(kStart + 1'000 * kMs, 100, 0, true));
  EXPECT_TRUE(stream_.last_status().reply_requested);
  EXPECT_FALSE(Step(kStart + 1'999 * kMs, 100, 0, true));
  Keepalive(120, false, kStart + 1'999 * kMs);
  EXPECT_FALSE(Step(kStart + 2'998 * kMs, 100, 0, true)) << "a keepalive came: it told the position";
  EXPECT_TRUE(Step(kStart + 2'999 * kMs, 100, 0, true));
}

TEST_F(ConfirmerTest, AServerThatStaysSilentIsGivenUp) {
  Connect(5'000);
  const auto status = [&](int64_t at_us) { return confirmer_->Step(source_, Lsn(100), Lsn(), true, at_us); };
  for (int second = 1; second < 15; ++second) EXPECT_TRUE(status(kStart + second * kSecond).ok()) << second;
  const absl::Status silent = status(kStart + 15 * kSecond);
  EXPECT_EQ(FaultOf(silent), Fault::kPassing);
  EXPECT_FALSE(silent.ok());
  // The next one is given twice as long, until there is data again.
  confirmer_->Connected(Lsn(100), 5'000, kStart);
  EXPECT_TRUE(status(kStart + 29 * kSecond).ok());
  EXPECT_FALSE(status(kStart + 30 * kSecond).ok());
  confirmer_->Connected(Lsn(100), 5'000, kStart);
  confirmer_->SawData();
  EXPECT_TRUE(status(kStart + 1 * kSecond).ok());
  EXPECT_FALSE(status(kStart + 16 * kSecond).ok());
}

TEST_F(ConfirmerTest, SilenceDoesNotCountWhileNothingIsRead) {
  Connect(5'000);
  for (int second = 1; second < 100; ++second) Step(kStart + second * kSecond, 100, 0, false);
  EXPECT_TRUE(confirmer_->Step(source_, Lsn(100), Lsn(), true, kStart + 101 * kSecond).ok());
}

TEST_F(ConfirmerTest, AsksNothingWhileNothingIsRead) {
  Connect();
  EXPECT_FALSE(Step(kStart + 5 * kSecond, 100, 0, false));
  EXPECT_GT(confirmer_->next_deadline_us(false), kStart + 5 * kSecond) << "a deadline in the past lets the loop spin";
  EXPECT_LE(confirmer_->next_deadline_us(true), kStart + 5 * kSecond);
}

TEST_F(ConfirmerTest, AnswersTheServersQuestionAtOnce) {
  Connect();
  Keepalive(100, true, kStart + 10 * kMs);
  EXPECT_TRUE(Step(kStart + 11 * kMs, 100, 0));
  EXPECT_FALSE(stream_.last_status().reply_requested);
  EXPECT_FALSE(Step(kStart + 12 * kMs, 100, 0)) << "one answer for one question";
}

// A stopping server asks again after each answer; the loop's time is older than the keepalive's, because the loop takes
// it first.
TEST_F(ConfirmerTest, AnswersToAStoppingServerKeepTheirDistance) {
  Connect();
  Keepalive(100, true, kStart + 5);
  EXPECT_TRUE(Step(kStart, 100, 0));
  Keepalive(100, true, kStart + 1 * kMs);
  EXPECT_FALSE(Step(kStart + 2 * kMs, 100, 0)) << "nothing new to say";
  EXPECT_EQ(confirmer_->next_deadline_us(false), kStart + 100 * kMs);
  EXPECT_TRUE(Step(kStart + 100 * kMs, 100, 0));
  Keepalive(100, true, kStart + 101 * kMs);
  EXPECT_TRUE(Step(kStart + 102 * kMs, 100, 100)) << "news go out at once";
}

TEST_F(ConfirmerTest, NoticesAServerThatStopsByItsThirdQuestion) {
  Connect();
  int64_t now_us = kStart;
  for (int question = 1; question <= 3; ++question) {
    EXPECT_FALSE(confirmer_->server_stopping());
    Keepalive(100, true, now_us + 5);  // read within the step that answers
    EXPECT_TRUE(Step(now_us, 100, 0));
    now_us += 100 * kMs;
  }
  EXPECT_TRUE(confirmer_->server_stopping());
}

TEST_F(ConfirmerTest, DataOrAnotherPositionBetweenTheQuestionsMeansThatItGoesOn) {
  Connect();
  for (int question = 0; question < 6; ++question) {
    Keepalive(100, true, kStart + question * kSecond);
    EXPECT_TRUE(Step(kStart + question * kSecond, 100, 0));
    if (question % 2 == 1) confirmer_->SawData();
    EXPECT_FALSE(confirmer_->server_stopping());
  }
  for (int question = 0; question < 6; ++question) {
    Keepalive(200 + question, true, kStart + (10 + question) * kSecond);
    EXPECT_TRUE(Step(kStart + (10 + question) * kSecond, 100, 0));
    EXPECT_FALSE(confirmer_->server_stopping());
  }
}

TEST_F(ConfirmerTest, QuestionsHalfATimeoutApartAreTheServersUsualOnes) {
  Connect(10'000);
  for (int question = 0; question < 5; ++question) {
    Keepalive(100, true, kStart + question * 5 * kSecond);
    EXPECT_TRUE(Step(kStart + question * 5 * kSecond, 100, 0));
  }
  EXPECT_FALSE(confirmer_->server_stopping());
}

TEST_F(ConfirmerTest, UnansweredQuestionsDoNotCount) {
  Connect();
  for (int question = 0; question < 5; ++question) Keepalive(100, true, kStart + question * kMs);
  EXPECT_FALSE(confirmer_->server_stopping());
}

TEST_F(ConfirmerTest, TheLastWordAsksForAnAnswer) {
  Connect();
  EXPECT_TRUE(confirmer_->SendFinal(source_, Lsn(300), Lsn(300), kStart + kMs).ok());
  EXPECT_EQ(stream_.last_status().flush, Lsn(300));
  EXPECT_TRUE(stream_.last_status().reply_requested);
  EXPECT_EQ(confirmer_->reported(), Lsn(300));
}

TEST_F(ConfirmerTest, AStatusThatCouldNotBeSentWasNotReported) {
  Connect();
  stream_.BreakWriting(MakeFault(Fault::kPassing, "the connection broke"));
  EXPECT_FALSE(confirmer_->Step(source_, Lsn(300), Lsn(300), false, kStart + kSecond).ok());
  EXPECT_EQ(confirmer_->reported(), Lsn());
}

TEST_F(ConfirmerTest, RemembersHowFarTheServerIs) {
  Connect();
  EXPECT_EQ(confirmer_->server_lsn(), Lsn(100));
  Keepalive(700, false, kStart);
  Keepalive(600, false, kStart);
  EXPECT_EQ(confirmer_->server_lsn(), Lsn(700));
}

}  // namespace
}  // namespace postrider::relay
