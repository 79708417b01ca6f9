// The messages of pgoutput, protocol versions 1 to 4, as typed views.
//
// Source of every layout: PostgreSQL manual, "Logical Replication Message Formats";
// src/backend/replication/logical/proto.c. All views (string_view, Tuple, ColumnList) point into the bytes given to
// Decoder::Decode and live as long as those bytes do. Nothing here allocates. A Tuple or ColumnList that came out of
// the decoder was checked to its end, so walking it cannot fail.
//
// Times are microseconds since 2000-01-01 00:00:00 UTC, as on the wire; ToUnixMicros converts.
//
// Tested by tests/unit/decoder: message_test.cc, decoder_test.cc, and capture_test.cc on what servers 13 to 18 sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "decoder/lsn.h"

namespace postrider::decoder {

using Oid = uint32_t;
using Xid = uint32_t;

inline constexpr int64_t kPostgresEpochUnixMicros = 946'684'800'000'000;
constexpr int64_t ToUnixMicros(int64_t postgres_micros) {
  return postgres_micros + kPostgresEpochUnixMicros;
}

enum class ValueKind : char {
  kNull = 'n',
  kUnchanged = 'u',  // a TOASTed value that an UPDATE did not touch: not a value, never to be taken for NULL
  kText = 't',       // output of the type's text function
  kBinary = 'b',     // output of the type's send function
};

struct Value {
  ValueKind kind = ValueKind::kNull;
  std::string_view bytes;
};

// One row: column values in the order of the relation's columns.
class Tuple {
 public:
  Tuple() = default;
  Tuple(uint16_t size, std::string_view body) : size_(size), body_(body) {}

  uint16_t size() const { return size_; }
  // Replaces `values` by this row's columns; its capacity is kept, so a reused vector stops allocating.
  void CopyTo(std::vector<Value>& values) const;

 private:
  uint16_t size_ = 0;
  std::string_view body_;
};

struct Column {
  bool key = false;  // part of the replica identity
  std::string_view name;
  Oid type_oid = 0;
  int32_t type_modifier = -1;
};

class ColumnList {
 public:
  ColumnList() = default;
  ColumnList(uint16_t size, std::string_view body) : size_(size), body_(body) {}

  uint16_t size() const { return size_; }
  void CopyTo(std::vector<Column>& columns) const;

 private:
  uint16_t size_ = 0;
  std::string_view body_;
};

struct Begin {
  Lsn final_lsn;  // start of the commit record: equals the commit_lsn of the Commit that follows
  int64_t commit_time = 0;
  Xid xid = 0;
};

struct Commit {
  Lsn commit_lsn;
  Lsn end_lsn;  // the first byte after the commit record: the position to confirm
  int64_t commit_time = 0;
};

struct Origin {
  Lsn origin_lsn;
  std::string_view name;
};

struct Relation {
  std::optional<Xid> xid;  // in streamed transactions only, as in the row messages below
  Oid oid = 0;
  std::string_view schema;  // empty: pg_catalog
  std::string_view name;
  char replica_identity = 'd';
  ColumnList columns;
};

struct Type {
  std::optional<Xid> xid;
  Oid oid = 0;
  std::string_view schema;
  std::string_view name;  // for a domain: the name of its base type
};

struct Insert {
  std::optional<Xid> xid;
  Oid relation_oid = 0;
  Tuple new_row;
};

struct Update {
  std::optional<Xid> xid;
  Oid relation_oid = 0;
  std::optional<Tuple> old_key;
  std::optional<Tuple> old_row;
  Tuple new_row;
};

struct Delete {
  std::optional<Xid> xid;
  Oid relation_oid = 0;
  std::optional<Tuple> old_key;
  std::optional<Tuple> old_row;
};

struct Truncate {
  std::optional<Xid> xid;
  bool cascade = false;
  bool restart_identity = false;
  std::string_view relation_oids;  // 4 bytes each, big-endian

  size_t relation_count() const { return relation_oids.size() / 4; }
  Oid relation_oid(size_t index) const;
};

struct LogicalMessage {
  std::optional<Xid> xid;
  bool transactional = false;
  Lsn lsn;  // end of its WAL record
  std::string_view prefix;
  std::string_view content;
};

struct StreamStart {
  Xid xid = 0;
  bool first_segment = false;
};

struct StreamStop {};

struct StreamCommit {
  Xid xid = 0;
  Lsn commit_lsn;
  Lsn end_lsn;
  int64_t commit_time = 0;
};

struct StreamAbort {
  Xid xid = 0;
  Xid subxid = 0;
  Lsn abort_lsn;  // zero unless streaming is `parallel`
  int64_t abort_time = 0;
};

struct BeginPrepare {
  Lsn prepare_lsn;
  Lsn end_lsn;
  int64_t prepare_time = 0;
  Xid xid = 0;
  std::string_view gid;
};

struct Prepare {
  Lsn prepare_lsn;
  Lsn end_lsn;
  int64_t prepare_time = 0;
  Xid xid = 0;
  std::string_view gid;
};

struct CommitPrepared {
  Lsn commit_lsn;
  Lsn end_lsn;
  int64_t commit_time = 0;
  Xid xid = 0;
  std::string_view gid;
};

struct RollbackPrepared {
  Lsn prepare_end_lsn;
  Lsn rollback_end_lsn;
  int64_t prepare_time = 0;
  int64_t rollback_time = 0;
  Xid xid = 0;
  std::string_view gid;
};

struct StreamPrepare {
  Lsn prepare_lsn;
  Lsn end_lsn;
  int64_t prepare_time = 0;
  Xid xid = 0;
  std::string_view gid;
};

using Message = std::variant<Begin, Commit, Origin, Relation, Type, Insert, Update, Delete, Truncate, LogicalMessage,
                             StreamStart, StreamStop, StreamCommit, StreamAbort, BeginPrepare, Prepare, CommitPrepared,
                             RollbackPrepared, StreamPrepare>;

}  // namespace postrider::decoder
