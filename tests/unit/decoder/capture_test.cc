// Decodes what real servers sent: tests/data/pgoutput, made by scripts/capture-pgoutput, which says what was done
// there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "decoder/decoder.h"
#include "decoder/wire.h"

namespace postrider::decoder {
namespace {

using testing::ElementsAre;
using testing::MatchesRegex;
using testing::UnorderedElementsAre;
using namespace std::string_view_literals;

struct Capture {
  const char* name;
  bool binary = false;
  bool messages = false;
  bool streaming = false;
  bool parallel = false;
  bool two_phase = false;
};
constexpr Capture kText{"proto1-text"};
constexpr Capture kBinary{.name = "proto1-binary", .binary = true, .messages = true};
constexpr Capture kStreaming{.name = "proto2-streaming", .messages = true, .streaming = true};
constexpr Capture kTwoPhase{.name = "proto3-two-phase", .messages = true, .streaming = true, .two_phase = true};
constexpr Capture kParallel{
    .name = "proto4-parallel", .messages = true, .streaming = true, .parallel = true, .two_phase = true};

constexpr int64_t k2026UnixMicros = 1'767'225'600'000'000;  // 2026-01-01 00:00:00 UTC

// One row, away from the bytes of its message.
struct Row {
  std::string table;
  std::vector<ValueKind> kinds;
  std::vector<std::string> values;
};

class CaptureTest : public testing::TestWithParam<std::pair<int, Capture>> {
 protected:
  void SetUp() override {
    const std::string path = absl::StrCat(POSTRIDER_TEST_DATA "/../../data/pgoutput/pg", GetParam().first, "-",
                                          GetParam().second.name, ".bin");
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    ASSERT_FALSE(bytes.empty()) << path;
    Reader reader(bytes);
    while (reader.remaining() > 0) raw_.emplace_back(reader.Bytes(reader.Int<uint32_t>()));
    ASSERT_TRUE(reader.ok()) << path;
    Decoder decoder;
    for (const std::string& each : raw_) {
      const auto message = decoder.Decode(each);
      ASSERT_TRUE(message.ok()) << message.status();
      messages_.push_back(*message);
    }
  }

  // The type bytes in order, without Relation and Type: how often those come depends on when the server's caches are
  // reset.
  std::string Sequence() const {
    std::string sequence;
    for (const std::string& each : raw_)
      if (each[0] != 'R' && each[0] != 'Y') sequence.push_back(each[0]);
    return sequence;
  }

  template <typename T>
  std::vector<T> All() const {
    std::vector<T> all;
    for (const Message& message : messages_)
      if (const auto* typed = std::get_if<T>(&message)) all.push_back(*typed);
    return all;
  }

  std::string TableName(const Relation& relation) const {
    return std::string(relation.schema) + "." + std::string(relation.name);
  }

  // The new rows of all Inserts, with the table that the Relation before them named.
  std::vector<Row> InsertedRows() const {
    std::map<Oid, std::string> tables;
    std::vector<Row> rows;
    for (const Message& message : messages_) {
      if (const auto* relation = std::get_if<Relation>(&message)) tables[relation->oid] = TableName(*relation);
      if (const auto* insert = std::get_if<Insert>(&message))
        rows.push_back(Copy(tables[insert->relation_oid], insert->new_row));
    }
    return rows;
  }

  static Row Copy(const std::string& table, const Tuple& tuple) {
    std::vector<Value> values;
    tuple.CopyTo(values);
    Row row{table, {}, {}};
    for (const Value& value : values) {
      row.kinds.push_back(value.kind);
      row.values.emplace_back(value.bytes);
    }
    return row;
  }

  const Capture& mode() const { return GetParam().second; }

  std::vector<std::string> raw_;
  std::vector<Message> messages_;
};

TEST_P(CaptureTest, SequenceOfMessages) {
  std::string expected = "BICBIICBUCBUCBICBUCBDCBDCBTCBOIC";
  expected += mode().messages ? "BMICMBIICBIIC" : "BICBIICBIIC";
  expected += mode().two_phase ? "bIPKbIPr" : "BIC";
  if (mode().streaming) expected += "(SIIIE)+A(SIIIE)+c(SIIIE)+A";
  if (mode().streaming && mode().two_phase) expected += "(SIIIE)+pK";
  EXPECT_THAT(Sequence(), MatchesRegex(expected + "BIC"));
}

TEST_P(CaptureTest, EveryCutOfEveryMessageIsAnError) {
  for (size_t i = 0; i < raw_.size(); ++i) {
    for (size_t size = 0; size < raw_[i].size(); ++size) {
      constexpr size_t kPlainStreamAbortBytes = 9;
      if (raw_[i][0] == 'A' && size == kPlainStreamAbortBytes) continue;
      Decoder decoder;
      const bool in_stream = std::visit(
          [](const auto& typed) {
            if constexpr (requires { typed.xid.has_value(); }) return typed.xid.has_value();
            return std::is_same_v<std::decay_t<decltype(typed)>, StreamStop>;
          },
          messages_[i]);
      if (in_stream && !decoder.Decode("S\0\0\0\1\1"sv).ok()) FAIL();
      EXPECT_FALSE(decoder.Decode(std::string_view(raw_[i]).substr(0, size)).ok())
          << "message " << i << " (" << raw_[i][0] << ") cut to " << size << " bytes";
    }
  }
}

TEST_P(CaptureTest, CommitsAgreeWithTheirBeginsAndRise) {
  Lsn last_end;
  const auto rises = [&](Lsn commit, Lsn end) {
    EXPECT_LT(commit, end);
    EXPECT_LT(last_end, end);
    last_end = end;
  };
  std::optional<Begin> begin;
  for (const Message& message : messages_) {
    if (const auto* each = std::get_if<Begin>(&message)) begin = *each;
    if (std::holds_alternative<Origin>(message)) {
      EXPECT_EQ(ToUnixMicros(begin->commit_time), k2026UnixMicros) << "the commit time that the origin gave";
    }
    if (const auto* commit = std::get_if<Commit>(&message)) {
      ASSERT_TRUE(begin);
      EXPECT_EQ(commit->commit_lsn, begin->final_lsn);
      EXPECT_EQ(commit->commit_time, begin->commit_time);
      EXPECT_GE(ToUnixMicros(commit->commit_time), k2026UnixMicros);
      rises(commit->commit_lsn, commit->end_lsn);
      begin.reset();
    }
    if (const auto* commit = std::get_if<StreamCommit>(&message)) rises(commit->commit_lsn, commit->end_lsn);
    if (const auto* commit = std::get_if<CommitPrepared>(&message)) rises(commit->commit_lsn, commit->end_lsn);
  }
}

TEST_P(CaptureTest, EveryRowFitsTheRelationBeforeIt) {
  std::map<Oid, uint16_t> sizes;
  const auto fits = [&](Oid relation, const Tuple& row) {
    ASSERT_TRUE(sizes.contains(relation));
    EXPECT_EQ(row.size(), sizes[relation]);
  };
  for (const Message& message : messages_) {
    if (const auto* relation = std::get_if<Relation>(&message)) sizes[relation->oid] = relation->columns.size();
    if (const auto* insert = std::get_if<Insert>(&message)) fits(insert->relation_oid, insert->new_row);
    if (const auto* update = std::get_if<Update>(&message)) {
      fits(update->relation_oid, update->new_row);
      if (update->old_key) fits(update->relation_oid, *update->old_key);
      if (update->old_row) fits(update->relation_oid, *update->old_row);
    }
    if (const auto* deleted = std::get_if<Delete>(&message))
      fits(deleted->relation_oid, deleted->old_key ? *deleted->old_key : *deleted->old_row);
    if (const auto* truncate = std::get_if<Truncate>(&message)) {
      for (size_t i = 0; i < truncate->relation_count(); ++i) EXPECT_TRUE(sizes.contains(truncate->relation_oid(i)));
    }
  }
}

TEST_P(CaptureTest, RelationsAndTypes) {
  std::set<std::string> tables;
  std::vector<std::string> outbox_columns;
  for (const Relation& relation : All<Relation>()) {
    tables.insert(TableName(relation));
    EXPECT_EQ(relation.replica_identity, relation.name == "audit" ? 'f' : 'd') << relation.name;
    std::vector<Column> columns;
    relation.columns.CopyTo(columns);
    EXPECT_EQ(columns[0].key, true) << relation.name;
    EXPECT_EQ(columns[1].key, relation.name == "audit") << relation.name;
    if (relation.name != "outbox") continue;
    EXPECT_EQ(columns[0].type_oid, 2950u);
    EXPECT_EQ(columns[2].type_modifier, 44) << "varchar(40)";
    outbox_columns.clear();
    for (const Column& column : columns) outbox_columns.emplace_back(column.name);
  }
  EXPECT_THAT(tables, UnorderedElementsAre("public.outbox", "shop.Order Line", "shop.audit"));
  EXPECT_THAT(outbox_columns, ElementsAre("id", "aggregatetype", "aggregateid", "type", "payload", "note", "extra"));

  std::set<std::string> types;
  for (const Type& type : All<Type>())
    types.insert(absl::StrCat(std::string(type.schema), ".", std::string(type.name)));
  EXPECT_THAT(types, UnorderedElementsAre("shop.mood", ".numeric")) << "a domain is named by its base type";
}

TEST_P(CaptureTest, InsertedRows) {
  const std::vector<Row> rows = InsertedRows();
  const Row& outbox = rows.front();
  const Row& line = rows[1];
  const Row& second_line = rows[2];
  EXPECT_EQ(outbox.table, "public.outbox");
  EXPECT_EQ(line.table, "shop.Order Line");
  EXPECT_EQ(rows.back().values[1], "end");
  using enum ValueKind;
  if (mode().binary) {
    EXPECT_THAT(outbox.kinds, ElementsAre(kBinary, kBinary, kBinary, kBinary, kBinary, kNull));
    EXPECT_EQ(outbox.values[0], "\0\0\0\0\0\0\x40\0\x80\0\0\0\0\0\0\x01"sv);
    EXPECT_EQ(outbox.values[4], "\x01{\"total\": 12.50}") << "jsonb's version comes first";
    EXPECT_THAT(line.kinds, ElementsAre(kBinary, kBinary, kBinary, kBinary, kBinary));
    EXPECT_EQ(line.values[0], "\0\0\0\0\0\0\0\x01"sv);
    EXPECT_EQ(second_line.kinds[4], kBinary);
  } else {
    EXPECT_THAT(outbox.kinds, ElementsAre(kText, kText, kText, kText, kText, kNull));
    EXPECT_EQ(outbox.values[0], "00000000-0000-4000-8000-000000000001");
    EXPECT_EQ(outbox.values[4], "{\"total\": 12.50}");
    EXPECT_THAT(line.values, ElementsAre("1", "calm", "12.50", "{a,\"b c\"}", std::string(2100, 'x')));
    EXPECT_THAT(second_line.kinds, ElementsAre(kText, kNull, kNull, kNull, kText));
  }
  EXPECT_EQ(outbox.values[1], "order");
  EXPECT_EQ(second_line.values[4], "");
}

TEST_P(CaptureTest, UpdatesAndDeletes) {
  const auto updates = All<Update>();
  ASSERT_EQ(updates.size(), 3u);
  EXPECT_FALSE(updates[0].old_key || updates[0].old_row);
  EXPECT_EQ(Copy("", updates[0].new_row).kinds[4], ValueKind::kUnchanged) << "a stored value that was not touched";
  ASSERT_TRUE(updates[1].old_key);
  EXPECT_EQ(Copy("", *updates[1].old_key).values[0].back(), mode().binary ? '\2' : '2');
  EXPECT_EQ(Copy("", updates[1].new_row).values[0].back(), mode().binary ? '\3' : '3');
  ASSERT_TRUE(updates[2].old_row);
  EXPECT_EQ(Copy("", *updates[2].old_row).values[1], "made");
  EXPECT_EQ(Copy("", updates[2].new_row).values[1], "Größe 😀");

  const auto deletes = All<Delete>();
  ASSERT_EQ(deletes.size(), 2u);
  ASSERT_TRUE(deletes[0].old_row);
  EXPECT_EQ(Copy("", *deletes[0].old_row).values[1], "Größe 😀");
  ASSERT_TRUE(deletes[1].old_key);
  EXPECT_EQ(Copy("", *deletes[1].old_key).kinds[1], ValueKind::kNull);
}

TEST_P(CaptureTest, TruncateOriginAndLogicalMessages) {
  const auto truncates = All<Truncate>();
  ASSERT_EQ(truncates.size(), 1u);
  EXPECT_EQ(truncates[0].relation_count(), 2u);
  EXPECT_TRUE(truncates[0].cascade);
  EXPECT_TRUE(truncates[0].restart_identity);

  const auto origins = All<Origin>();
  ASSERT_EQ(origins.size(), 1u);
  EXPECT_EQ(origins[0].name, "elsewhere");
  EXPECT_EQ(origins[0].origin_lsn, Lsn(0xABCD));

  const auto messages = All<LogicalMessage>();
  ASSERT_EQ(messages.size(), mode().messages ? 2u : 0u);
  if (!mode().messages) return;
  EXPECT_TRUE(messages[0].transactional);
  EXPECT_EQ(messages[0].prefix, "within");
  EXPECT_EQ(messages[0].content, "transactional");
  EXPECT_FALSE(messages[1].transactional);
  EXPECT_EQ(messages[1].prefix, "beside");
  EXPECT_EQ(messages[1].content, "\0\xff"sv);
  EXPECT_LT(messages[0].lsn, messages[1].lsn);
}

TEST_P(CaptureTest, TwoPhase) {
  const auto begins = All<BeginPrepare>();
  const auto prepares = All<Prepare>();
  ASSERT_EQ(begins.size(), mode().two_phase ? 2u : 0u);
  ASSERT_EQ(prepares.size(), begins.size());
  if (!mode().two_phase) return;
  for (size_t i = 0; i < begins.size(); ++i) {
    EXPECT_EQ(begins[i].gid, i == 0 ? "kept" : "dropped");
    EXPECT_EQ(begins[i].gid, prepares[i].gid);
    EXPECT_EQ(begins[i].xid, prepares[i].xid);
    EXPECT_EQ(begins[i].prepare_lsn, prepares[i].prepare_lsn);
    EXPECT_EQ(begins[i].end_lsn, prepares[i].end_lsn);
    EXPECT_EQ(begins[i].prepare_time, prepares[i].prepare_time);
  }
  const auto commits = All<CommitPrepared>();
  ASSERT_EQ(commits.size(), 2u);
  EXPECT_EQ(commits[0].gid, "kept");
  EXPECT_EQ(commits[0].xid, prepares[0].xid);
  EXPECT_EQ(commits[1].gid, "streamed");
  const auto rollbacks = All<RollbackPrepared>();
  ASSERT_EQ(rollbacks.size(), 1u);
  EXPECT_EQ(rollbacks[0].gid, "dropped");
  EXPECT_EQ(rollbacks[0].prepare_end_lsn, prepares[1].end_lsn);
  EXPECT_EQ(rollbacks[0].prepare_time, prepares[1].prepare_time);
  EXPECT_LT(rollbacks[0].prepare_end_lsn, rollbacks[0].rollback_end_lsn);
  const auto streamed = All<StreamPrepare>();
  ASSERT_EQ(streamed.size(), 1u);
  EXPECT_EQ(streamed[0].gid, "streamed");
  EXPECT_EQ(streamed[0].xid, commits[1].xid);
}

TEST_P(CaptureTest, StreamedBlocks) {
  std::optional<Xid> open;
  std::set<Xid> started;
  for (const Message& message : messages_) {
    if (const auto* start = std::get_if<StreamStart>(&message)) {
      EXPECT_EQ(start->first_segment, started.insert(start->xid).second);
      open = start->xid;
    }
    if (std::holds_alternative<StreamStop>(message)) open.reset();
    if (const auto* insert = std::get_if<Insert>(&message)) {
      EXPECT_EQ(insert->xid.has_value(), open.has_value());
    }
    if (const auto* relation = std::get_if<Relation>(&message)) {
      EXPECT_EQ(relation->xid.has_value(), open.has_value());
    }
  }
  const auto aborts = All<StreamAbort>();
  ASSERT_EQ(aborts.size(), mode().streaming ? 2u : 0u);
  if (!mode().streaming) return;
  EXPECT_NE(aborts[0].xid, aborts[0].subxid) << "a savepoint was rolled back";
  EXPECT_EQ(aborts[1].xid, aborts[1].subxid) << "the whole transaction was rolled back";
  for (const StreamAbort& abort : aborts) {
    EXPECT_EQ(abort.abort_lsn.valid(), mode().parallel);
    EXPECT_EQ(abort.abort_time != 0, mode().parallel);
  }
  const auto commits = All<StreamCommit>();
  ASSERT_EQ(commits.size(), 1u);
  EXPECT_EQ(commits[0].xid, aborts[0].xid);
}

std::vector<std::pair<int, Capture>> Captures() {
  std::vector<std::pair<int, Capture>> captures;
  for (const int major : {13, 14, 15, 16, 17, 18}) {
    captures.emplace_back(major, kText);
    if (major >= 14) captures.emplace_back(major, kBinary);
    if (major >= 14) captures.emplace_back(major, kStreaming);
    if (major >= 15) captures.emplace_back(major, kTwoPhase);
    if (major >= 16) captures.emplace_back(major, kParallel);
  }
  return captures;
}

INSTANTIATE_TEST_SUITE_P(Servers, CaptureTest, testing::ValuesIn(Captures()), [](const auto& param_info) {
  return absl::StrReplaceAll(absl::StrCat("Pg", param_info.param.first, "_", param_info.param.second.name),
                             {{"-", "_"}});
});

}  // namespace
}  // namespace postrider::decoder
