#include "postgres/pgoutput_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "decoder/decoder.h"

namespace postrider::postgres {
namespace {

using decoder::ValueKind;
using std::string_literals::operator""s;

template <typename T>
T Decoded(const std::string& bytes) {
  decoder::Decoder decoder;
  const auto message = decoder.Decode(bytes);
  EXPECT_TRUE(message.ok()) << message.status();
  return std::get<T>(*message);
}

TEST(PgoutputWriter, BeginAndCommitCarryOnePosition) {
  std::string bytes = "old";
  WriteBegin(Lsn(0x16B374D848), 946'684'800'000'007, bytes);
  const auto begin = Decoded<decoder::Begin>(bytes);
  EXPECT_EQ(begin.final_lsn, Lsn(0x16B374D848));
  EXPECT_EQ(begin.commit_time, 7);
  WriteCommit(Lsn(0x16B374D848), 946'684'800'000'007, bytes);
  const auto commit = Decoded<decoder::Commit>(bytes);
  EXPECT_EQ(commit.commit_lsn, Lsn(0x16B374D848));
  EXPECT_EQ(commit.end_lsn, Lsn(0x16B374D848));
  EXPECT_EQ(commit.commit_time, 7);
}

TEST(PgoutputWriter, RelationHasNamesTypesAndModifiers) {
  std::string bytes;
  WriteRelation(4'000'000'000, "Tenant.A", "Ереписка", {{"id", 2950, -1}, {"Тип", 1043, 259}}, bytes);
  const auto relation = Decoded<decoder::Relation>(bytes);
  EXPECT_EQ(relation.oid, 4'000'000'000);
  EXPECT_EQ(relation.schema, "Tenant.A");
  EXPECT_EQ(relation.name, "Ереписка");
  std::vector<decoder::Column> columns;
  relation.columns.CopyTo(columns);
  ASSERT_EQ(columns.size(), 2);
  EXPECT_EQ(columns[0].name, "id");
  EXPECT_EQ(columns[0].type_oid, 2950);
  EXPECT_EQ(columns[0].type_modifier, -1);
  EXPECT_EQ(columns[1].name, "Тип");
  EXPECT_EQ(columns[1].type_modifier, 259);
}

TEST(PgoutputWriter, InsertTellsNullEmptyAndTextApart) {
  std::string bytes;
  ASSERT_TRUE(WriteInsert(16384, "\\N\t\t{\"a\": \"x\\\\ny\"}\ta\\tb\n", 4, bytes).ok());
  const auto insert = Decoded<decoder::Insert>(bytes);
  EXPECT_EQ(insert.relation_oid, 16384);
  std::vector<decoder::Value> values;
  insert.new_row.CopyTo(values);
  ASSERT_EQ(values.size(), 4);
  EXPECT_EQ(values[0].kind, ValueKind::kNull);
  EXPECT_EQ(values[1].kind, ValueKind::kText);
  EXPECT_EQ(values[1].bytes, "");
  EXPECT_EQ(values[2].bytes, "{\"a\": \"x\\ny\"}");
  EXPECT_EQ(values[3].bytes, "a\tb");
}

TEST(PgoutputWriter, LongValuesHaveTheirWholeLength) {
  std::string bytes;
  const std::string text(300'000, 'x');
  ASSERT_TRUE(WriteInsert(1, text + "\n", 1, bytes).ok());
  std::vector<decoder::Value> values;
  Decoded<decoder::Insert>(bytes).new_row.CopyTo(values);
  EXPECT_EQ(values[0].bytes, text);
}

TEST(PgoutputWriter, ARowThatDoesNotFitIsAFaultThatDoesNotShowIt) {
  std::string bytes;
  for (const size_t columns : {1, 3}) {
    const absl::Status status = WriteInsert(1, "secret\tsecret\n", columns, bytes);
    EXPECT_EQ(FaultOf(status), Fault::kInternal);
    EXPECT_THAT(std::string(status.message()), testing::Not(testing::HasSubstr("secret")));
  }
}

}  // namespace
}  // namespace postrider::postgres
