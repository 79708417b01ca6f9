#include "postgres/relation_bytes.h"

#include <gtest/gtest.h>

#include "decoder/decoder.h"

namespace postrider::postgres {
namespace {

TEST(RelationBytes, IsTheTableWithoutItsGeneratedColumns) {
  const Table table{.oid = 16384,
                    .schema = "public",
                    .name = "outbox",
                    .root_schema = "public",
                    .root_name = "outbox",
                    .columns = {{.name = "id", .type = {.oid = 2950}},
                                {.name = "twice", .type = {.oid = 23}, .generated = true},
                                {.name = "kind", .type = {.oid = 1043, .modifier = 14}}}};
  const std::string bytes = RelationBytes(table);
  decoder::Decoder decoder;
  const auto message = decoder.Decode(bytes);
  ASSERT_TRUE(message.ok()) << message.status();
  const auto& relation = std::get<decoder::Relation>(*message);
  EXPECT_EQ(relation.oid, 16384);
  EXPECT_EQ(relation.schema, "public");
  EXPECT_EQ(relation.name, "outbox");
  std::vector<decoder::Column> columns;
  relation.columns.CopyTo(columns);
  ASSERT_EQ(columns.size(), 2);
  EXPECT_EQ(columns[0].name, "id");
  EXPECT_EQ(columns[1].name, "kind");
  EXPECT_EQ(columns[1].type_oid, 1043);
  EXPECT_EQ(columns[1].type_modifier, 14);
}

}  // namespace
}  // namespace postrider::postgres
