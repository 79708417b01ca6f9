#include "relay/tracker.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tracker_model.h"

namespace postrider::relay {
namespace {

constexpr size_t kBytes = 1000;

// A transaction of `rows` records; its commit record starts at `commit` and ends 16 bytes later.
std::vector<uint64_t> AddTransaction(Tracker& tracker, uint64_t commit, uint32_t rows) {
  tracker.Begin(Lsn(commit));
  std::vector<uint64_t> tags;
  for (uint32_t ordinal = 0; ordinal < rows; ++ordinal) tags.push_back(tracker.Add(ordinal, kBytes));
  tracker.Commit(Lsn(commit + 16));
  return tags;
}

TEST(Tracker, ConfirmsTheEndOfTheCommitRecordAndNotItsStart) {
  Tracker tracker;
  const auto tags = AddTransaction(tracker, 100, 1);
  EXPECT_EQ(tracker.confirmable(), Lsn());
  EXPECT_EQ(tracker.received(), Lsn(116));
  tracker.Acknowledge(tags[0]);
  EXPECT_EQ(tracker.confirmable(), Lsn(116));
  EXPECT_TRUE(tracker.idle());
}

TEST(Tracker, ALaterTransactionNeverConfirmsOverAnEarlierOne) {
  Tracker tracker;
  const auto first = AddTransaction(tracker, 100, 2);
  const auto second = AddTransaction(tracker, 200, 1);
  const auto third = AddTransaction(tracker, 300, 1);
  tracker.Acknowledge(third[0]);
  tracker.Acknowledge(second[0]);
  tracker.Acknowledge(first[1]);
  EXPECT_EQ(tracker.confirmable(), Lsn());
  tracker.Acknowledge(first[0]);
  EXPECT_EQ(tracker.confirmable(), Lsn(316));
}

TEST(Tracker, AnOpenTransactionIsNotConfirmedThoughAllItsRecordsAre) {
  Tracker tracker;
  tracker.Begin(Lsn(100));
  tracker.Acknowledge(tracker.Add(0, kBytes));
  EXPECT_EQ(tracker.confirmable(), Lsn());
  EXPECT_FALSE(tracker.idle());
  tracker.Commit(Lsn(116));
  EXPECT_EQ(tracker.confirmable(), Lsn(116));
}

TEST(Tracker, AKeepaliveIsConfirmedOnlyBehindWhatCameBeforeIt) {
  Tracker tracker;
  tracker.Position(Lsn(50));
  EXPECT_EQ(tracker.confirmable(), Lsn(50)) << "nothing is in flight";
  const auto tags = AddTransaction(tracker, 100, 1);
  tracker.Position(Lsn(500));
  EXPECT_EQ(tracker.confirmable(), Lsn(50));
  EXPECT_EQ(tracker.received(), Lsn(500));
  tracker.Acknowledge(tags[0]);
  EXPECT_EQ(tracker.confirmable(), Lsn(500));
}

TEST(Tracker, AKeepaliveInsideATransactionIsLeftOut) {
  Tracker tracker;
  tracker.Begin(Lsn(100));
  tracker.Position(Lsn(99));
  EXPECT_EQ(tracker.received(), Lsn());
  const uint64_t tag = tracker.Add(0, kBytes);
  tracker.Commit(Lsn(116));
  EXPECT_EQ(tracker.confirmable(), Lsn());
  tracker.Acknowledge(tag);
  EXPECT_EQ(tracker.confirmable(), Lsn(116));
}

TEST(Tracker, PositionsNeverGoBack) {
  Tracker tracker;
  tracker.Position(Lsn(500));
  tracker.Position(Lsn(400));
  EXPECT_EQ(tracker.confirmable(), Lsn(500));
  EXPECT_EQ(tracker.received(), Lsn(500));
}

TEST(Tracker, AMillionNeighboursWithoutRecordsAreOneEntry) {
  Tracker tracker;
  const auto tags = AddTransaction(tracker, 100, 1);
  for (uint64_t lsn = 200; lsn < 1'000'200; ++lsn) {
    if (lsn % 2 == 0) {
      tracker.Position(Lsn(lsn));
    } else {
      AddTransaction(tracker, lsn, 0);
    }
    ASSERT_FALSE(tracker.full());
  }
  tracker.Acknowledge(tags[0]);
  EXPECT_EQ(tracker.confirmable(), Lsn(1'000'199 + 16));
}

TEST(Tracker, IsFullAtItsLimitAndNotBefore) {
  Tracker tracker;
  std::vector<uint64_t> tags;
  for (size_t count = 0; count < Tracker::kEntriesMax; ++count) {
    ASSERT_FALSE(tracker.full());
    tags.push_back(AddTransaction(tracker, 100 + 100 * count, 1)[0]);
  }
  EXPECT_TRUE(tracker.full());
  tracker.Acknowledge(tags[0]);
  EXPECT_FALSE(tracker.full());
}

TEST(Tracker, BytesAndRecordsComeBackWithEveryReport) {
  Tracker tracker;
  tracker.Begin(Lsn(100));
  const uint64_t first = tracker.Add(0, 300);
  const uint64_t second = tracker.Add(1, 500);
  EXPECT_EQ(tracker.outstanding_bytes(), 800u);
  tracker.Remove(second);
  EXPECT_EQ(tracker.outstanding_bytes(), 300u);
  EXPECT_EQ(tracker.outstanding_records(), 1u);
  tracker.Commit(Lsn(116));
  tracker.Acknowledge(first);
  EXPECT_EQ(tracker.outstanding_bytes(), 0u);
  EXPECT_EQ(tracker.outstanding_records(), 0u);
}

TEST(Tracker, ARemovedRecordIsAsIfItHadNeverBeen) {
  Tracker tracker;
  const auto before = AddTransaction(tracker, 50, 1);
  AddTransaction(tracker, 80, 0);
  tracker.Begin(Lsn(100));
  tracker.Remove(tracker.Add(0, kBytes));
  tracker.Commit(Lsn(116));
  tracker.Acknowledge(before[0]);
  EXPECT_EQ(tracker.confirmable(), Lsn(116));
}

TEST(Tracker, KnowsTheRowOfATag) {
  Tracker tracker;
  AddTransaction(tracker, 100, 3);
  tracker.Begin(Lsn(200));
  tracker.Add(0, kBytes);
  const uint64_t tag = tracker.Add(7, kBytes);
  EXPECT_EQ(tracker.PlaceOf(tag), (Tracker::RowPlace{Lsn(200), 7}));
}

TEST(Tracker, ARepeatLeavesOutWhatWasAcknowledged) {
  Tracker tracker;
  AddTransaction(tracker, 40, 0);
  const auto tags = AddTransaction(tracker, 100, 130);
  tracker.Acknowledge(tags[0]);
  tracker.Acknowledge(tags[64]);
  tracker.Acknowledge(tags[129]);
  tracker.Rewind();
  EXPECT_EQ(tracker.confirmable(), Lsn(56));
  EXPECT_EQ(tracker.received(), Lsn(56)) << "what comes now comes again";
  EXPECT_EQ(tracker.outstanding_bytes(), 0u);

  tracker.Begin(Lsn(100));
  for (uint32_t ordinal = 0; ordinal < 130; ++ordinal) {
    EXPECT_EQ(tracker.AcknowledgedBefore(ordinal), ordinal == 0 || ordinal == 64 || ordinal == 129) << ordinal;
    if (tracker.AcknowledgedBefore(ordinal)) {
      tracker.AddAcknowledged(ordinal);
    } else {
      tracker.Acknowledge(tracker.Add(ordinal, kBytes));
    }
  }
  tracker.Commit(Lsn(116));
  EXPECT_EQ(tracker.confirmable(), Lsn(116));
}

TEST(Tracker, ASecondRepeatThatBreaksOffInsideATransactionForgetsNothing) {
  Tracker tracker;
  for (uint64_t tag : AddTransaction(tracker, 100, 4)) {
    if (tracker.outstanding_records() > 1) tracker.Acknowledge(tag);  // all but the last
  }
  tracker.Rewind();
  tracker.Begin(Lsn(100));
  tracker.AddAcknowledged(0);  // and the stream is lost before rows 1 and 2 come
  tracker.Rewind();
  tracker.Begin(Lsn(100));
  for (uint32_t ordinal = 0; ordinal < 4; ++ordinal)
    EXPECT_EQ(tracker.AcknowledgedBefore(ordinal), ordinal < 3) << ordinal;
}

TEST(Tracker, IsNotIdleBeforeWhatARewindForgotHasComeAgain) {
  for (const bool committed : {true, false}) {
    Tracker tracker;
    tracker.Begin(Lsn(100));
    tracker.Add(0, kBytes);
    if (committed) tracker.Commit(Lsn(116));
    tracker.Rewind();
    EXPECT_FALSE(tracker.idle());
    AddTransaction(tracker, 80, 0);
    EXPECT_FALSE(tracker.idle());
    tracker.Acknowledge(AddTransaction(tracker, 100, 1)[0]);
    EXPECT_TRUE(tracker.idle());
  }
}

TEST(Tracker, WhatWasAcknowledgedIsForgottenForAnotherServer) {
  Tracker tracker;
  const auto tags = AddTransaction(tracker, 100, 2);
  tracker.Acknowledge(tags[0]);
  tracker.Rewind();
  tracker.ForgetAcknowledged();
  tracker.Begin(Lsn(100));
  EXPECT_FALSE(tracker.AcknowledgedBefore(0));
}

TEST(Tracker, AConfirmedTransactionIsForgotten) {
  Tracker tracker;
  const auto tags = AddTransaction(tracker, 100, 2);
  tracker.Acknowledge(tags[0]);
  tracker.Rewind();
  tracker.Begin(Lsn(100));
  tracker.AddAcknowledged(0);
  tracker.Acknowledge(tracker.Add(1, kBytes));
  tracker.Commit(Lsn(116));
  // The same position again, as after a server's own rewind: all of it is new.
  tracker.Begin(Lsn(100));
  EXPECT_FALSE(tracker.AcknowledgedBefore(0));
}

TEST(Tracker, ASnapshotMovesNoPositionAndIsRepeatedWhole) {
  Tracker tracker;
  tracker.Begin(Lsn());
  const uint64_t tag = tracker.Add(0, kBytes);
  tracker.Acknowledge(tag);
  tracker.Rewind();
  tracker.Begin(Lsn());
  EXPECT_FALSE(tracker.AcknowledgedBefore(0));
  tracker.Acknowledge(tracker.Add(0, kBytes));
  tracker.Commit(Lsn());
  EXPECT_TRUE(tracker.idle());
  EXPECT_EQ(tracker.confirmable(), Lsn());
}

TEST(Tracker, ResetStartsPositionsAnew) {
  Tracker tracker;
  tracker.Position(Lsn(500));
  tracker.Reset();
  EXPECT_EQ(tracker.confirmable(), Lsn());
  EXPECT_EQ(tracker.received(), Lsn());
  tracker.Position(Lsn(100));
  EXPECT_EQ(tracker.confirmable(), Lsn(100));
}

TEST(TrackerDeathTest, AReportForATagOfAnEarlierRecordIsABrokenInvariant) {
  Tracker tracker;
  const auto old_tags = AddTransaction(tracker, 100, 1);
  tracker.Rewind();
  const auto tags = AddTransaction(tracker, 100, 1);
  EXPECT_NE(old_tags[0], tags[0]);
  EXPECT_DEATH(tracker.Acknowledge(old_tags[0]), "broken invariant");
  tracker.Acknowledge(tags[0]);
  EXPECT_DEATH(tracker.Acknowledge(tags[0]), "broken invariant") << "a second report for one record";
}

// ---- against the model ----------------------------------------------------------------------------------------------

// One random life of tracker and model together: transactions as the server would send them, again after each rewind.
class Twins {
 public:
  explicit Twins(uint32_t seed) : random_(seed) {}

  void Run(int operations) {
    for (int count = 0; count < operations && !testing::Test::HasFailure(); ++count) {
      Operate();
      Compare();
    }
  }

 private:
  struct InFlight {
    uint64_t tag;
    Tracker::RowPlace place;
  };

  bool Chance(uint32_t percent) { return random_() % 100 < percent; }

  void Operate() {
    if (Chance(2)) return Rewind();
    if (Chance(45) && !in_flight_.empty()) return AcknowledgeAny();
    if (tracker_.in_transaction()) return Chance(30) ? Commit() : Row();
    if (Chance(30)) return Keepalive();
    tracker_.Begin(Lsn(next_));
    model_.Begin(Lsn(next_));
    ordinal_ = 0;
  }

  void Row() {
    if (Chance(5)) {
      tracker_.Position(Lsn(next_));
      model_.Position(Lsn(next_));
    }
    ASSERT_EQ(tracker_.AcknowledgedBefore(ordinal_), model_.AcknowledgedBefore(ordinal_));
    if (tracker_.AcknowledgedBefore(ordinal_)) {
      tracker_.AddAcknowledged(ordinal_);
      model_.AddAcknowledged(ordinal_);
    } else if (Chance(10)) {
      tracker_.Remove(tracker_.Add(ordinal_, kBytes));
      model_.Add(ordinal_);
      model_.Remove(ordinal_);
    } else if (!Chance(10)) {  // else: a row without a record
      in_flight_.push_back({tracker_.Add(ordinal_, kBytes), {Lsn(next_), ordinal_}});
      model_.Add(ordinal_);
    }
    ++ordinal_;
  }

  void Commit() {
    tracker_.Commit(Lsn(next_ + 8));
    model_.Commit(Lsn(next_ + 8));
    next_ += 10;
  }

  void Keepalive() {
    tracker_.Position(Lsn(next_));
    model_.Position(Lsn(next_));
    if (Chance(50)) next_ += 10;
  }

  void AcknowledgeAny() {
    const size_t index = random_() % in_flight_.size();
    const InFlight report = in_flight_[index];
    in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(index));
    ASSERT_EQ(tracker_.PlaceOf(report.tag), report.place);
    tracker_.Acknowledge(report.tag);
    model_.Acknowledge(report.place.commit_lsn, report.place.ordinal);
  }

  void Rewind() {
    tracker_.Rewind();
    model_.Rewind();
    in_flight_.clear();
    next_ = std::max<uint64_t>(tracker_.confirmable().value(), 10);
    next_ += (10 - next_ % 10) % 10;  // commit records start at multiples of ten
  }

  void Compare() {
    ASSERT_EQ(tracker_.confirmable(), model_.Confirmable());
    ASSERT_LE(tracker_.confirmable(), tracker_.received());
    ASSERT_EQ(tracker_.outstanding_records(), model_.Outstanding());
    ASSERT_EQ(tracker_.outstanding_bytes(), kBytes * model_.Outstanding());
    ASSERT_EQ(tracker_.in_transaction(), model_.in_transaction());
  }

  std::minstd_rand random_;
  Tracker tracker_;
  TrackerModel model_;
  std::vector<InFlight> in_flight_;
  uint64_t next_ = 10;  // where the next commit record starts
  uint32_t ordinal_ = 0;
};

TEST(Tracker, AgreesWithTheModelInRandomLives) {
  for (uint32_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Twins(seed).Run(400);
  }
}

TEST(Tracker, GivesANoteBackWithTheAcknowledgement) {
  Tracker tracker;
  tracker.Begin(Lsn(100), 5'000);
  const uint64_t first = tracker.Add(0, kBytes, {.produced_us = 7, .series = 3});
  const uint64_t second = tracker.Add(1, kBytes + 1, {.produced_us = 8, .series = 4});
  tracker.Commit(Lsn(116));
  EXPECT_EQ(tracker.Acknowledge(second).note.series, 4u);
  const AcknowledgedRecord acknowledged = tracker.Acknowledge(first);
  EXPECT_EQ(acknowledged.note.produced_us, 7);
  EXPECT_EQ(acknowledged.commit_us, 5'000);
  EXPECT_EQ(acknowledged.bytes, kBytes);
}

TEST(Tracker, KnowsWhenTheOldestUnacknowledgedTransactionWasCommitted) {
  Tracker tracker;
  EXPECT_EQ(tracker.oldest_commit_us(), 0);
  tracker.Begin(Lsn(100), 5'000);
  const uint64_t first = tracker.Add(0, kBytes);
  tracker.Commit(Lsn(116));
  tracker.Begin(Lsn(200), 6'000);
  const uint64_t second = tracker.Add(0, kBytes);
  tracker.Commit(Lsn(216));
  tracker.Acknowledge(second);
  EXPECT_EQ(tracker.oldest_commit_us(), 5'000);
  tracker.Acknowledge(first);
  EXPECT_EQ(tracker.oldest_commit_us(), 0);
}

}  // namespace
}  // namespace postrider::relay
