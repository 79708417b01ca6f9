#include "config/source_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/fault.h"
#include "scratch.h"

namespace postrider::config {
namespace {

using ::testing::HasSubstr;

std::string Error(const std::string& path, std::string_view text) {
  return std::string(ParseSource(path, text).status().message());
}

TEST(SourceFile, TheNamesEndDecidesTheForm) {
  EXPECT_EQ(ParseSource("a.json", "{\"k\":\"v\"}")->front().value, "v");
  EXPECT_EQ(ParseSource("a.properties", "{k=v")->front().key, "{k");
  EXPECT_THAT(Error("a.json", "k=v"), HasSubstr("a.json:1, column 1: not JSON"));
}

TEST(SourceFile, ElseTheFirstByteDoes) {
  EXPECT_EQ(ParseSource("-", " \n {\"k\":\"v\"}")->front().key, "k");
  EXPECT_EQ(ParseSource("connector.conf", "# {\nk=v")->front().key, "k");
}

TEST(SourceFile, SkipsAByteOrderMark) {
  EXPECT_EQ(ParseSource("a.properties", "\xEF\xBB\xBFk=v")->front().key, "k");
  EXPECT_EQ(ParseSource("a", "\xEF\xBB\xBF{\"k\":\"v\"}")->front().key, "k");
}

TEST(SourceFile, ErrorsNameFileAndLine) {
  EXPECT_THAT(Error("conf/a.properties", "a=1\nb=\\u1"), HasSubstr("conf/a.properties:2: \\u must be"));
  EXPECT_THAT(Error("-", "{\n1}"), HasSubstr("standard input:2, column 1: not JSON"));
}

TEST(SourceFile, SaysWhyAFileCannotBeRead) {
  const Scratch scratch;
  const absl::Status missing = ReadSourceFile(scratch.Path("no.properties")).status();
  EXPECT_EQ(FaultOf(missing), Fault::kConfiguration);
  EXPECT_EQ(std::string(missing.message()), scratch.Path("no.properties") + " does not exist");
  EXPECT_THAT(std::string(ReadSourceFile(scratch.Path("")).status().message()), HasSubstr("is a directory"));
  scratch.Write("big.properties", std::string(kFileBytesMax + 1, '#'));
  EXPECT_THAT(std::string(ReadSourceFile(scratch.Path("big.properties")).status().message()),
              HasSubstr("is larger than 1048576 bytes"));
}

TEST(SourceFile, ReadsAFile) {
  const Scratch scratch;
  EXPECT_EQ(ReadSourceFile(scratch.Write("a.properties", "k=v"))->front().value, "v");
}

}  // namespace
}  // namespace postrider::config
