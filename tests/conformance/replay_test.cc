// Every recorded case, replayed from captured pgoutput bytes: what the router makes of them is what Debezium 3.6.1
// wrote.
//
// Partitions, which the producer chooses, and what other folders refuse are looked at by run.py against real servers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <ostream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recorded_case.h"
#include "replay.h"

namespace postrider::conformance {
namespace {

const std::string kFolder = POSTRIDER_TEST_DATA;

const std::map<std::string, Capture>& Captures() {
  static const auto* const captures = new std::map<std::string, Capture>(LoadCaptures(kFolder + "/captured.json.gz"));
  return *captures;
}

std::vector<std::string> CaseNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder + "/cases")) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Refused or held by the publication's check and by the producer: here only what comes before it can be seen.
bool IsRefusedElsewhere(const std::string& name) {
  return name == "additional-partition-out-of-range" || name == "publication-disabled-missing" ||
         name == "too-big-payload";
}

std::string Shown(const Bytes& bytes) {
  return bytes ? absl::StrCat("<", *bytes, ">") : "null";
}

// All of a record that the router decides, on one line. The clock's time is not looked at.
std::string Shown(const RecordedRecord& record, bool with_time) {
  std::string text = absl::StrCat(record.topic, " key=", Shown(record.key), " value=", Shown(record.value));
  for (const auto& [key, value] : record.headers) absl::StrAppend(&text, " ", key, "=", Shown(value));
  if (with_time && record.timestamp_ms) absl::StrAppend(&text, " @", *record.timestamp_ms);
  return text;
}

std::vector<std::string> Shown(const std::vector<RecordedRecord>& records, bool with_time) {
  std::vector<std::string> texts;
  for (const RecordedRecord& record : records) texts.push_back(Shown(record, with_time));
  return texts;
}

// The recording has the order within each partition only.
void ExpectOrderWithinPartitions(const std::vector<RecordedRecord>& expected, const std::vector<std::string>& stream,
                                 bool with_time) {
  std::map<std::pair<std::string, int>, size_t> reached;
  for (const RecordedRecord& record : expected) {
    if (!record.partition) continue;
    size_t& position = reached[{record.topic, *record.partition}];
    const auto found =
        std::find(stream.begin() + static_cast<std::ptrdiff_t>(position), stream.end(), Shown(record, with_time));
    ASSERT_NE(found, stream.end()) << "out of order: " << Shown(record, with_time);
    position = static_cast<size_t>(found - stream.begin()) + 1;
  }
}

class ReplayTest : public testing::TestWithParam<std::string> {};

TEST_P(ReplayTest, PublishesWhatDebeziumWrote) {
  const RecordedCase recorded = LoadCase(absl::StrCat(kFolder, "/cases/", GetParam(), ".json"));
  ASSERT_TRUE(Captures().contains(recorded.name)) << "run capture.py";
  const Replayed replayed = Replay(recorded, Captures().at(recorded.name));

  const bool with_time = std::any_of(recorded.records.begin(), recorded.records.end(),
                                     [](const RecordedRecord& record) { return record.timestamp_ms.has_value(); });
  const std::vector<std::string> stream = Shown(replayed.records, with_time);
  ExpectOrderWithinPartitions(recorded.records, stream, with_time);
  if (IsRefusedElsewhere(recorded.name)) return;

  EXPECT_THAT(stream, testing::UnorderedElementsAreArray(Shown(recorded.records, with_time))) << replayed.reason;
  EXPECT_EQ(replayed.stopped, recorded.stops) << replayed.reason;
  for (const std::string& word : recorded.says) {
    EXPECT_TRUE(absl::StrContains(absl::AsciiStrToLower(replayed.reason), absl::AsciiStrToLower(word)))
        << "the reason does not name " << word << ": " << replayed.reason;
  }
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Recorded, ReplayTest, testing::ValuesIn(CaseNames()), TestName);

}  // namespace
}  // namespace postrider::conformance
