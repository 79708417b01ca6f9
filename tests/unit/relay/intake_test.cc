#include "relay/intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "relay_harness.h"

namespace postrider::relay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Progress = Intake::Progress;

// Intake alone, over a stream that the test writes; publisher, tracker and confirmer are the real ones.
class IntakeTest : public RelayHarness {
 protected:
  void Connect(bool snapshot = false, std::vector<Table> tables = {OutboxTable()}) {
    if (!intake_) {
      publisher_.emplace(config_.relay, "outbox-connector", &kafka_, &tracker_, &stats_, /*jitter_seed=*/1);
      ASSERT_TRUE(publisher_->Start().ok());
      intake_.emplace(config_, &clock_, &router_, &connector_, &*publisher_, &tracker_, &confirmer_, &stats_);
    }
    tracker_.Rewind();
    publisher_->ForgetRowInHand();
    source_.reset();  // before the stream that it reads
    stream_ = std::make_unique<FakeStream>();
    source_ = std::make_unique<FakeSource>(stream_.get());
    intake_->Connected(std::move(tables), snapshot);
  }
  absl::StatusOr<Progress> Take(bool until_commit = false) { return intake_->Step(*source_, until_commit); }
  Fault FaultOfTake() {
    auto progress = Take();
    return progress.ok() ? Fault::kPassing : FaultOf(progress.status());
  }

  Tracker tracker_;
  Confirmer confirmer_{10'000};
  std::optional<Publisher> publisher_;
  std::optional<Intake> intake_;
  std::unique_ptr<FakeStream> stream_;
  std::unique_ptr<FakeSource> source_;
};

TEST_F(IntakeTest, ReadsUntilNothingWaits) {
  Connect();
  SendTransaction(*stream_, 200, {Row("a"), Row("b")});
  SendTransaction(*stream_, 300, {Row("c")});
  EXPECT_EQ(*Take(), Progress::kIdle);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(tracker_.received(), Lsn(350));
  EXPECT_EQ(stats_.transactions, 2u);
}

TEST_F(IntakeTest, ATurnIsBounded) {
  Connect();
  for (uint64_t lsn = 1; lsn <= 2'500; ++lsn) stream_->SendKeepalive(Lsn(lsn));
  EXPECT_EQ(*Take(), Progress::kMore);
  EXPECT_EQ(stream_->waiting(), 1'500u);
}

TEST_F(IntakeTest, StopsAfterTheCommitWhenAsked) {
  Connect();
  SendTransaction(*stream_, 200, {Row("a")});
  SendTransaction(*stream_, 300, {Row("b")});
  EXPECT_EQ(*Take(true), Progress::kTransactionEnd);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a"));
}

TEST_F(IntakeTest, NothingIsReadBehindARowThatWaits) {
  Connect();
  kafka_.refusals["a"] = {.kind = kafka::Acceptance::Kind::kWait};
  SendTransaction(*stream_, 200, {Row("a"), Row("b")});
  EXPECT_EQ(*Take(), Progress::kBlocked);
  EXPECT_EQ(*Take(), Progress::kBlocked);
  EXPECT_TRUE(intake_->row_in_hand());
  EXPECT_EQ(stream_->waiting(), 2u);
  kafka_.refusals.clear();
  EXPECT_EQ(*Take(), Progress::kIdle);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b"));
}

TEST_F(IntakeTest, NothingIsReadWhileTheTrackerIsFull) {
  Connect();
  for (size_t count = 0; count < Tracker::kEntriesMax; ++count) {
    tracker_.Begin(Lsn(1'000 + count * 100));
    tracker_.Add(0, 1);
    tracker_.Commit(Lsn(1'050 + count * 100));
  }
  stream_->SendKeepalive(Lsn(900'000'000));
  EXPECT_EQ(*Take(), Progress::kBlocked);
  EXPECT_EQ(stream_->waiting(), 1u);
}

TEST_F(IntakeTest, RowsThatAreNoEventsTakeAnOrdinalSoThatARepeatCountsAlike) {
  Connect();
  kafka_.Cork();
  OutboxRow ignored = Row("x");
  ignored.topic = "ignored";
  SendTransaction(*stream_, 200, {ignored, Row("a"), ignored, Row("b")});
  EXPECT_EQ(*Take(), Progress::kIdle);
  EXPECT_EQ(stats_.events_ignored, 2u);
  EXPECT_EQ(tracker_.PlaceOf(kafka_.outstanding()[1].tag), (Tracker::RowPlace{Lsn(200), 3}));
}

TEST_F(IntakeTest, DeletesTruncatesMessagesTypesAndOriginsMoveNothing) {
  Connect();
  stream_->Send(BeginBytes(Lsn(200)));
  stream_->Send(decoder::Bytes('O').Int64(1).String("elsewhere").str());
  stream_->Send(decoder::Bytes('Y').Int32(9'000).String("public").String("mood").str());
  stream_->Send(decoder::Bytes('D').Int32(kOutboxOid).Char('K').Int16(1).Text("a").str());
  stream_->Send(decoder::Bytes('T').Int32(1).Int8(0).Int32(kOutboxOid).str());
  stream_->Send(decoder::Bytes('M').Int8(1).Int64(180).String("prefix").Int32(2).Raw("ab").str());
  stream_->Send(CommitBytes(Lsn(200), Lsn(250)));
  EXPECT_EQ(*Take(), Progress::kIdle);
  EXPECT_EQ(stats_.events_ignored, 2u);
  EXPECT_EQ(tracker_.confirmable(), Lsn(250));
}

TEST_F(IntakeTest, AnUpdateIsIgnoredOrFatalAsConfigured) {
  Connect();
  OpenTransaction(*stream_, 200, {Row("a")});
  stream_->Send(UpdateBytes(Row("a")));
  EXPECT_EQ(*Take(), Progress::kIdle);
  EXPECT_EQ(stats_.events_ignored, 1u);

  intake_.reset();
  config_.router.invalid_operation = config::InvalidOperation::kFatal;
  Connect();
  OpenTransaction(*stream_, 300, {Row("b")});
  stream_->Send(UpdateBytes(Row("b")));
  EXPECT_EQ(FaultOfTake(), Fault::kConfiguration);
}

TEST_F(IntakeTest, AFatalUpdateOfATableThatIsNotRoutedIsOnlyIgnored) {
  config_.router.invalid_operation = config::InvalidOperation::kFatal;
  Connect();
  stream_->Send(BeginBytes(Lsn(200)));
  stream_->Send(UpdateBytes(Row("a"), 99));
  EXPECT_EQ(*Take(), Progress::kIdle);
}

TEST_F(IntakeTest, MessagesOutOfTurnBreakTheProtocol) {
  for (const std::string& message : {CommitBytes(Lsn(200), Lsn(250)), InsertBytes(Row("a")), std::string("?"),
                                     decoder::Bytes('S').Int32(1).Int8(1).str()}) {
    Connect();
    stream_->Send(message);
    EXPECT_EQ(FaultOfTake(), Fault::kInternal) << message[0];
  }
  Connect();
  stream_->Send(BeginBytes(Lsn(200)));
  stream_->Send(BeginBytes(Lsn(300)));
  EXPECT_EQ(FaultOfTake(), Fault::kInternal);
  Connect();
  stream_->Send(BeginBytes(Lsn(200)));
  stream_->Send(InsertBytes(Row("a")));
  EXPECT_EQ(FaultOfTake(), Fault::kInternal) << "its relation was not announced on this connection";
}

// ---- catalogue ------------------------------------------------------------------------------------------------------

TEST_F(IntakeTest, TheCatalogueReadWithTheConnectionServesOnce) {
  Connect();
  SendTransaction(*stream_, 200, {Row("a")});
  SendTransaction(*stream_, 300, {Row("b")});
  EXPECT_EQ(*Take(), Progress::kIdle);
  EXPECT_THAT(connector_.lookups, IsEmpty());
  EXPECT_EQ(router_.plans_compiled, 1);
}

TEST_F(IntakeTest, ARelationThatComesAgainReadsTheCatalogueAnewThoughItLooksTheSame) {
  Connect();
  SendTransaction(*stream_, 200, {Row("a")});
  // ALTER COLUMN SET DEFAULT and DROP NOT NULL change nothing that the message says.
  stream_->announced = false;
  SendTransaction(*stream_, 300, {Row("b")});
  EXPECT_EQ(*Take(), Progress::kBlocked);
  EXPECT_THAT(connector_.lookups, ElementsAre(kOutboxOid));
  connector_.AnswerLookup(OutboxTable(kOutboxOid, "outbox", "altered"));
  EXPECT_EQ(*Take(), Progress::kIdle);
  EXPECT_EQ(router_.plans_compiled, 2);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a", "b"));
}

TEST_F(IntakeTest, ANewTableWaitsForItsCatalogue) {
  Connect(false, {});
  SendTransaction(*stream_, 200, {Row("a")});
  EXPECT_EQ(*Take(), Progress::kBlocked);
  EXPECT_EQ(*Take(), Progress::kBlocked);
  EXPECT_THAT(connector_.lookups, ElementsAre(kOutboxOid)) << "asked once";
  connector_.AnswerLookup(OutboxTable());
  EXPECT_EQ(*Take(), Progress::kIdle);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a"));
}

TEST_F(IntakeTest, ATableThatIsGoneIsReadWithoutCatalogue) {
  Connect(false, {});
  SendTransaction(*stream_, 200, {Row("a")});
  EXPECT_EQ(*Take(), Progress::kBlocked);
  connector_.AnswerLookup(absl::NotFoundError("no such table"));
  EXPECT_EQ(*Take(), Progress::kIdle);
  EXPECT_THAT(kafka_.ids(), ElementsAre("a"));
}

TEST_F(IntakeTest, ALookupThatFailsEndsTheStream) {
  Connect(false, {});
  SendTransaction(*stream_, 200, {Row("a")});
  EXPECT_EQ(*Take(), Progress::kBlocked);
  connector_.AnswerLookup(MakeFault(Fault::kPassing, "the connection broke"));
  EXPECT_FALSE(Take().ok());
}

TEST_F(IntakeTest, AnAnswerToALookupOfAnEarlierConnectionIsNotUsed) {
  Connect(false, {});
  SendTransaction(*stream_, 200, {Row("a")});
  EXPECT_EQ(*Take(), Progress::kBlocked);
  Connect(false, {});
  SendTransaction(*stream_, 200, {Row("a")});
  EXPECT_EQ(*Take(), Progress::kBlocked);
  connector_.AnswerLookup(OutboxTable(kOutboxOid, "outbox", "old"));
  EXPECT_EQ(*Take(), Progress::kBlocked);
  EXPECT_THAT(connector_.lookups, ElementsAre(kOutboxOid, kOutboxOid)) << "asked anew";
  EXPECT_EQ(router_.plans_compiled, 0);
  connector_.AnswerLookup(OutboxTable(kOutboxOid, "outbox", "new"));
  EXPECT_EQ(*Take(), Progress::kIdle);
  EXPECT_EQ(router_.plans_compiled, 1);
}

TEST_F(IntakeTest, ATableThatIsNotWantedNeedsNoCatalogue) {
  Connect(false, {});
  stream_->Send(BeginBytes(Lsn(200)));
  stream_->Send(RelationBytes(50, "orders"));
  stream_->Send(InsertBytes(Row("a"), 50));
  EXPECT_EQ(*Take(), Progress::kIdle);
  EXPECT_THAT(connector_.lookups, IsEmpty());
  EXPECT_EQ(stats_.events_ignored, 1u);
}

TEST_F(IntakeTest, ANewConnectionKnowsNoRelations) {
  Connect();
  SendTransaction(*stream_, 200, {Row("a")});
  EXPECT_EQ(*Take(), Progress::kIdle);
  Connect();
  stream_->Send(BeginBytes(Lsn(300)));
  stream_->Send(InsertBytes(Row("b")));
  EXPECT_EQ(FaultOfTake(), Fault::kInternal);
}

}  // namespace
}  // namespace postrider::relay
