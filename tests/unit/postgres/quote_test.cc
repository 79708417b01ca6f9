#include "postgres/quote.h"

#include <gtest/gtest.h>

namespace postrider::postgres {
namespace {

TEST(Quote, IdentifiersKeepCaseAndDoubleTheirMark) {
  EXPECT_EQ(QuoteIdentifier("outbox"), "\"outbox\"");
  EXPECT_EQ(QuoteIdentifier("My \"own\" Table"), "\"My \"\"own\"\" Table\"");
  EXPECT_EQ(QuoteIdentifier("a'b"), "\"a'b\"");
}

TEST(Quote, LiteralsDoubleTheirMarkAndLeaveBackslashes) {
  EXPECT_EQ(QuoteLiteral("it's"), "'it''s'");
  EXPECT_EQ(QuoteLiteral("a\\'; DROP TABLE x"), "'a\\''; DROP TABLE x'");
}

TEST(Quote, AZeroByteCannotCutTheStatementShort) {
  using std::string_literals::operator""s;
  EXPECT_EQ(QuoteLiteral("a\0'b"s), "'a''b'");
  EXPECT_EQ(QuoteIdentifier("a\0b"s), "\"ab\"");
}

TEST(Quote, TablesAreQuotedInTwoParts) {
  EXPECT_EQ(QuoteTable("Tenant.A", "out\"box"), "\"Tenant.A\".\"out\"\"box\"");
}

}  // namespace
}  // namespace postrider::postgres
