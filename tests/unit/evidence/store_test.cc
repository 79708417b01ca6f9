#include "evidence/store.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <mutex>
#include <thread>

namespace postrider::evidence {
namespace {

Record At(uint64_t lsn) {
  return {.system_identifier = "1", .timeline = 1, .slot = "orders", .lsn = Lsn(lsn), .time_ms = 1000};
}

// What a place holds, beyond the store's own life; it fails as it is told.
struct Memory {
  std::mutex mutex;
  std::optional<Record> record;
  absl::Status answer = absl::OkStatus();
  absl::Status opening = absl::OkStatus();
  int writes = 0;
};

class MemoryPlace final : public Place {
 public:
  explicit MemoryPlace(Memory* memory) : memory_(memory) {}
  absl::Status Open() override { return memory_->opening; }
  absl::StatusOr<std::optional<Record>> Read(const Wakeup& /*stop*/) override {
    const std::lock_guard<std::mutex> lock(memory_->mutex);
    if (!memory_->answer.ok()) return memory_->answer;
    return memory_->record;
  }
  absl::Status Write(const Record& record, const Wakeup& /*stop*/) override {
    const std::lock_guard<std::mutex> lock(memory_->mutex);
    ++memory_->writes;
    if (memory_->answer.ok()) memory_->record = record;
    return memory_->answer;
  }
  std::string name() const override { return "memory"; }

 private:
  Memory* const memory_;
};

class StoreTest : public testing::Test {
 protected:
  std::unique_ptr<Store> Open() {
    auto store = OpenStore(std::make_unique<MemoryPlace>(&memory_), &wakeup_);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  // Waits for the bell and for the position.
  void Await(Store& store, uint64_t lsn) {
    while (store.covered() != Lsn(lsn)) {
      pollfd bell{.fd = wakeup_.fd(), .events = POLLIN, .revents = 0};
      ASSERT_EQ(poll(&bell, 1, 10'000), 1) << "the writer did not ring";
      wakeup_.Clear();
    }
  }
  void Write(Store& store, uint64_t lsn, bool anew = false) {
    store.Write(At(lsn), anew);
    Await(store, lsn);
  }
  void Answer(const absl::Status& status) {
    const std::lock_guard<std::mutex> lock(memory_.mutex);
    memory_.answer = status;
  }
  uint64_t Kept() {
    const std::lock_guard<std::mutex> lock(memory_.mutex);
    return memory_.record ? memory_.record->lsn.value() : 0;
  }

  Wakeup wakeup_;
  Memory memory_;
};

TEST_F(StoreTest, CoversWhatIsWritten) {
  const std::unique_ptr<Store> store = Open();
  EXPECT_EQ(store->covered(), Lsn());
  Write(*store, 100);
  Write(*store, 200);
  EXPECT_EQ(Kept(), 200u);
}

TEST_F(StoreTest, WhatWaitsIsWrittenBeforeTheEnd) {
  Open()->Write(At(300), true);
  EXPECT_EQ(Kept(), 300u);
}

TEST_F(StoreTest, ARecordThatIsAheadStaysUnlessItIsMadeAnew) {
  const std::unique_ptr<Store> store = Open();
  Write(*store, 500, true);
  Write(*store, 400);
  EXPECT_EQ(Kept(), 500u);
  Write(*store, 400, true);
  EXPECT_EQ(Kept(), 400u);
}

TEST_F(StoreTest, ARecordOfAnotherClusterIsReplaced) {
  const std::unique_ptr<Store> store = Open();
  memory_.record = At(500);
  memory_.record->system_identifier = "2";
  Write(*store, 400);
  EXPECT_EQ(Kept(), 400u);
}

TEST_F(StoreTest, WhatWasCoveredBeforeARecordIsMadeAnewIsCoveredNoMore) {
  const std::unique_ptr<Store> store = Open();
  for (int round = 0; round < 50; ++round) {
    Write(*store, 500);
    store->Write(At(500), false);  // the writer may be at work
    store->Write(At(400), true);
    Lsn covered = store->covered();
    for (; covered != Lsn(400); covered = store->covered())
      ASSERT_EQ(covered, Lsn()) << "the record may be set back at any moment";
  }
}

TEST_F(StoreTest, AWriteThatFailsForGoodHoldsNothingBack) {
  const std::unique_ptr<Store> store = Open();
  Write(*store, 100);
  Answer(absl::FailedPreconditionError("no right"));
  Write(*store, 200);
  EXPECT_EQ(Kept(), 100u);
  Answer(absl::OkStatus());
  Write(*store, 300);
  EXPECT_EQ(Kept(), 300u);
}

TEST_F(StoreTest, NothingIsCoveredWhileThePlaceIsAway) {
  const std::unique_ptr<Store> store = Open();
  Write(*store, 100);
  Answer(absl::UnavailableError("away"));
  store->Write(At(400), true);
  store->Write(At(90), false);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(store->covered(), Lsn());
  Answer(absl::OkStatus());
  Await(*store, 90);  // by itself, and as the first one of its connection still
  EXPECT_EQ(Kept(), 90u);
}

TEST_F(StoreTest, AnEndWhileThePlaceIsAwayIsNotWaitedFor) {
  Answer(absl::UnavailableError("away"));
  std::unique_ptr<Store> store = Open();
  store->Write(At(100), true);
  store.reset();
  EXPECT_LE(memory_.writes, 3);
}

TEST_F(StoreTest, APlaceThatCannotBeOpenedIsAnError) {
  memory_.opening = absl::InvalidArgumentError("no folder");
  EXPECT_EQ(OpenStore(std::make_unique<MemoryPlace>(&memory_), &wakeup_).status(), memory_.opening);
}

}  // namespace
}  // namespace postrider::evidence
