// src/evidence/file_store.cc
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "evidence/store.h"

namespace postrider::evidence {
namespace {

Record At(uint64_t lsn) {
  return {.system_identifier = "1", .timeline = 1, .slot = "orders", .lsn = Lsn(lsn), .time_ms = 1000};
}

class FileStoreTest : public testing::Test {
 protected:
  FileStoreTest() {
    std::string name = testing::TempDir() + "postrider-evidence-XXXXXX";
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/orders.json";
  }
  ~FileStoreTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Store> Open() {
    auto store = OpenFileStore(path_, &wakeup_);
    EXPECT_TRUE(store.ok()) << store.status();
    return *std::move(store);
  }
  // Waits for the bell and for the position.
  void Write(Store& store, uint64_t lsn, bool anew = false) {
    store.Write(At(lsn), anew);
    while (store.covered() != Lsn(lsn)) {
      pollfd bell{.fd = wakeup_.fd(), .events = POLLIN, .revents = 0};
      ASSERT_EQ(poll(&bell, 1, 10'000), 1) << "the writer did not ring";
      wakeup_.Clear();
    }
  }
  uint64_t Kept() {
    const auto record = Open()->Read();
    EXPECT_TRUE(record.ok() && record->has_value()) << record.status();
    return (*record)->lsn.value();
  }

  Wakeup wakeup_;
  std::string folder_, path_;
};

TEST_F(FileStoreTest, ANewOneIsEmptyAndKeepsWhatIsWritten) {
  const std::unique_ptr<Store> store = Open();
  const auto nothing = store->Read();
  ASSERT_TRUE(nothing.ok()) << nothing.status();
  EXPECT_FALSE(nothing->has_value());
  EXPECT_EQ(store->covered(), Lsn());
  Write(*store, 100);
  Write(*store, 200);
  EXPECT_EQ(Kept(), 200u);
  EXPECT_EQ(std::filesystem::file_size(path_), 512u);
}

TEST_F(FileStoreTest, WhatWaitsIsWrittenBeforeTheEnd) {
  Open()->Write(At(300), true);
  EXPECT_EQ(Kept(), 300u);
}

TEST_F(FileStoreTest, ARecordThatIsAheadStaysUnlessItIsMadeAnew) {
  const std::unique_ptr<Store> store = Open();
  Write(*store, 500, true);
  Write(*store, 400);
  EXPECT_EQ(Kept(), 500u);
  Write(*store, 400, true);
  EXPECT_EQ(Kept(), 400u);
}

TEST_F(FileStoreTest, WhatWasCoveredBeforeARecordIsMadeAnewIsCoveredNoMore) {
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

TEST_F(FileStoreTest, AFileThatWasRemovedIsMadeAgain) {
  const std::unique_ptr<Store> store = Open();
  Write(*store, 100);
  std::filesystem::remove(path_);
  Write(*store, 200);
  EXPECT_EQ(Kept(), 200u);
}

TEST_F(FileStoreTest, AFailedWriteHoldsNothingBack) {
  const std::unique_ptr<Store> store = Open();
  Write(*store, 100);
  std::filesystem::remove_all(folder_);
  Write(*store, 200);
  std::filesystem::create_directory(folder_);
  Write(*store, 300);
  EXPECT_EQ(Kept(), 300u);
}

TEST_F(FileStoreTest, AHandbackIsMarkedUntilTheRecordIsMadeAnew) {
  EXPECT_FALSE(*MarkHandedBack(path_)) << "nothing to mark";
  EXPECT_FALSE(std::filesystem::exists(path_));
  Write(*Open(), 200);
  const auto marked = MarkHandedBack(path_);
  ASSERT_TRUE(marked.ok()) << marked.status();
  EXPECT_TRUE(*marked);
  const std::unique_ptr<Store> store = Open();
  EXPECT_TRUE((*store->Read())->handed_back);
  EXPECT_EQ(Kept(), 200u);
  Write(*store, 100, true);
  EXPECT_FALSE((*store->Read())->handed_back);
}

TEST_F(FileStoreTest, DamageIsToldApartFromNothing) {
  std::ofstream(path_) << "{\"format\":1";
  const auto record = Open()->Read();
  EXPECT_EQ(record.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(FileStoreTest, AFolderThatIsMissingIsAnError) {
  const auto store = OpenFileStore(folder_ + "/none/orders.json", &wakeup_);
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(std::string(store.status().message()), testing::HasSubstr("/none/orders.json"));
}

}  // namespace
}  // namespace postrider::evidence
