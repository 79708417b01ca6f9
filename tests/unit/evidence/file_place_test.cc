#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "evidence/place.h"

namespace postrider::evidence {
namespace {

Record At(uint64_t lsn) {
  return {.system_identifier = "1", .timeline = 1, .slot = "orders", .lsn = Lsn(lsn), .time_ms = 1000};
}

class FilePlaceTest : public testing::Test {
 protected:
  FilePlaceTest() {
    std::string name = testing::TempDir() + "postrider-evidence-XXXXXX";
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/orders.json";
    place_ = MakeFilePlace(path_);
  }
  ~FilePlaceTest() override { std::filesystem::remove_all(folder_); }

  // What another process finds there.
  Record Kept() {
    const auto record = MakeFilePlace(path_)->Read(never_);
    EXPECT_TRUE(record.ok() && record->has_value()) << record.status();
    return record.ok() && record->has_value() ? **record : Record();
  }

  const Wakeup never_;
  std::string folder_, path_;
  std::unique_ptr<Place> place_;
};

TEST_F(FilePlaceTest, ANewOneIsEmptyAndKeepsWhatIsWritten) {
  ASSERT_TRUE(place_->Open().ok());
  const auto nothing = place_->Read(never_);
  ASSERT_TRUE(nothing.ok()) << nothing.status();
  EXPECT_FALSE(nothing->has_value());
  EXPECT_TRUE(place_->Write(At(100), never_).ok());
  EXPECT_TRUE(place_->Write(At(200), never_).ok());
  EXPECT_EQ(Kept(), At(200));
  EXPECT_EQ(std::filesystem::file_size(path_), 512u);
}

TEST_F(FilePlaceTest, AFileThatWasRemovedIsMadeAgain) {
  EXPECT_TRUE(place_->Write(At(100), never_).ok());
  std::filesystem::remove(path_);
  EXPECT_TRUE(place_->Write(At(200), never_).ok());
  EXPECT_EQ(Kept(), At(200));
}

TEST_F(FilePlaceTest, AFolderThatIsGoneIsNotWaitedFor) {
  EXPECT_TRUE(place_->Write(At(100), never_).ok());
  std::filesystem::remove_all(folder_);
  const absl::Status status = place_->Write(At(200), never_);
  EXPECT_FALSE(status.ok());
  EXPECT_FALSE(absl::IsUnavailable(status));
}

TEST_F(FilePlaceTest, DamageIsToldApartFromNothing) {
  std::ofstream(path_) << "{\"format\":1";
  EXPECT_EQ(place_->Read(never_).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(FilePlaceTest, AFolderThatIsMissingIsAnError) {
  const absl::Status status = MakeFilePlace(folder_ + "/none/orders.json")->Open();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("/none/orders.json"));
}

TEST_F(FilePlaceTest, AHandbackIsMarkedWhereThereIsARecord) {
  EXPECT_FALSE(*MarkHandedBack(*place_)) << "nothing to mark";
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_TRUE(place_->Write(At(200), never_).ok());
  const auto marked = MarkHandedBack(*MakeFilePlace(path_));
  ASSERT_TRUE(marked.ok()) << marked.status();
  EXPECT_TRUE(*marked);
  Record expected = At(200);
  expected.handed_back = true;
  EXPECT_EQ(Kept(), expected);
}

}  // namespace
}  // namespace postrider::evidence
