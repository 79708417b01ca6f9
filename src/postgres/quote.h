// Names and values as SQL text, for statements that cannot take parameters (DDL, replication commands).
//
// Right where standard_conforming_strings is on and client_encoding is UTF8, which conninfo.h pins for every session.
// The replication grammar knows the same two forms (PostgreSQL source: repl_scanner.l). A zero byte, which no SQL text
// can hold, is left out. Pure. Tested by tests/unit/postgres/quote_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace postrider::postgres {

// "a""b"
std::string QuoteIdentifier(std::string_view name);
// 'a''b'
std::string QuoteLiteral(std::string_view value);
// "schema"."table"
std::string QuoteTable(std::string_view schema, std::string_view table);

}  // namespace postrider::postgres
