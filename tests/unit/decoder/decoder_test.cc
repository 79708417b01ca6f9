#include "decoder/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <memory>

#include "bytes.h"

namespace postrider::decoder {
namespace {

using testing::HasSubstr;

constexpr uint64_t kLsn = 0x16B374D848;
constexpr uint64_t kEndLsn = 0x16B374D888;
constexpr uint64_t kTime = 0x0002'7654'3210'ABCD;
constexpr Xid kXid = 0xfffffff0;

// A whole message of each type, as outside a streamed block.
std::string RelationBody() {
  return Bytes()
      .Int32(16385)
      .String("public")
      .String("outbox")
      .Char('d')
      .Int16(2)
      .Int8(1)
      .String("id")
      .Int32(2950)
      .Int32(0xffffffff)
      .Int8(0)
      .String("payload")
      .Int32(3802)
      .Int32(0xffffffff)
      .str();
}
std::string InsertBody() {
  return Bytes().Int32(16385).Char('N').Int16(4).Text("abc").Null().Binary("\x01\x02").Unchanged().str();
}
std::string UpdateBody() {
  return Bytes().Int32(16385).Char('K').Int16(2).Text("1").Null().Char('N').Int16(2).Text("2").Unchanged().str();
}
std::string DeleteBody() {
  return Bytes().Int32(16385).Char('O').Int16(2).Text("1").Null().str();
}
std::string TruncateBody() {
  return Bytes().Int32(2).Int8(3).Int32(16385).Int32(16386).str();
}
std::string TypeBody() {
  return Bytes().Int32(16390).String("shop").String("mood").str();
}
std::string MessageBody() {
  return Bytes().Int8(1).Int64(kLsn).String("prefix").Int32(3).Raw(std::string_view("a\0b", 3)).str();
}

const std::string kBegin = Bytes('B').Int64(kLsn).Int64(kTime).Int32(kXid).str();
const std::string kCommit = Bytes('C').Int8(0).Int64(kLsn).Int64(kEndLsn).Int64(kTime).str();
const std::string kOrigin = Bytes('O').Int64(kLsn).String("elsewhere").str();
const std::string kRelation = Bytes('R').Raw(RelationBody()).str();
const std::string kType = Bytes('Y').Raw(TypeBody()).str();
const std::string kInsert = Bytes('I').Raw(InsertBody()).str();
const std::string kUpdate = Bytes('U').Raw(UpdateBody()).str();
const std::string kDelete = Bytes('D').Raw(DeleteBody()).str();
const std::string kTruncate = Bytes('T').Raw(TruncateBody()).str();
const std::string kMessage = Bytes('M').Raw(MessageBody()).str();
const std::string kStreamStart = Bytes('S').Int32(kXid).Int8(1).str();
const std::string kStreamStop = "E";
const std::string kStreamCommit = Bytes('c').Int32(kXid).Int8(0).Int64(kLsn).Int64(kEndLsn).Int64(kTime).str();
const std::string kStreamAbort = Bytes('A').Int32(kXid).Int32(7).str();
const std::string kStreamAbortParallel = Bytes('A').Int32(kXid).Int32(7).Int64(kLsn).Int64(kTime).str();
const std::string kBeginPrepare = Bytes('b').Int64(kLsn).Int64(kEndLsn).Int64(kTime).Int32(kXid).String("gid").str();
const std::string kPrepare = Bytes('P').Int8(0).Int64(kLsn).Int64(kEndLsn).Int64(kTime).Int32(kXid).String("gid").str();
const std::string kCommitPrepared =
    Bytes('K').Int8(0).Int64(kLsn).Int64(kEndLsn).Int64(kTime).Int32(kXid).String("gid").str();
const std::string kRollbackPrepared =
    Bytes('r').Int8(0).Int64(kLsn).Int64(kEndLsn).Int64(kTime).Int64(kTime + 1).Int32(kXid).String("gid").str();
const std::string kStreamPrepare =
    Bytes('p').Int8(0).Int64(kLsn).Int64(kEndLsn).Int64(kTime).Int32(kXid).String("gid").str();

const std::string* const kAll[] = {
    &kBegin,          &kCommit,           &kOrigin,        &kRelation,           &kType,
    &kInsert,         &kUpdate,           &kDelete,        &kTruncate,           &kMessage,
    &kStreamStart,    &kStreamCommit,     &kPrepare,       &kStreamAbort,        &kBeginPrepare,
    &kCommitPrepared, &kRollbackPrepared, &kStreamPrepare, &kStreamAbortParallel};

// Decodes as the first message of a session, and fails the test where that does not give a T. The bytes are kept, since
// the message points into them.
template <typename T>
T DecodeAs(std::string bytes) {
  static std::deque<std::string> kept;
  Decoder decoder;
  const absl::StatusOr<Message> message = decoder.Decode(kept.emplace_back(std::move(bytes)));
  EXPECT_TRUE(message.ok()) << message.status();
  if (!message.ok() || !std::holds_alternative<T>(*message)) {
    ADD_FAILURE() << "not the expected type of message";
    return T();
  }
  return std::get<T>(*message);
}

// Decodes a copy whose end is the end of an allocation, so that a read beyond it is caught by AddressSanitizer.
absl::Status StatusOf(Decoder& decoder, std::string_view bytes) {
  const auto copy = std::make_unique<char[]>(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.get(), bytes.data(), bytes.size());
  return decoder.Decode(std::string_view(copy.get(), bytes.size())).status();
}

std::vector<Value> Values(const Tuple& tuple) {
  std::vector<Value> values;
  tuple.CopyTo(values);
  return values;
}

TEST(Decoder, Begin) {
  const auto begin = DecodeAs<Begin>(kBegin);
  EXPECT_EQ(begin.final_lsn, Lsn(kLsn));
  EXPECT_EQ(begin.commit_time, static_cast<int64_t>(kTime));
  EXPECT_EQ(begin.xid, kXid);
}

TEST(Decoder, Commit) {
  const auto commit = DecodeAs<Commit>(kCommit);
  EXPECT_EQ(commit.commit_lsn, Lsn(kLsn));
  EXPECT_EQ(commit.end_lsn, Lsn(kEndLsn));
  EXPECT_EQ(commit.commit_time, static_cast<int64_t>(kTime));
}

TEST(Decoder, TimesBefore2000AreNegative) {
  const std::string bytes = Bytes('B').Int64(kLsn).Int64(static_cast<uint64_t>(-5)).Int32(1).str();
  EXPECT_EQ(DecodeAs<Begin>(bytes).commit_time, -5);
}

TEST(Decoder, Origin) {
  const auto origin = DecodeAs<Origin>(kOrigin);
  EXPECT_EQ(origin.origin_lsn, Lsn(kLsn));
  EXPECT_EQ(origin.name, "elsewhere");
}

TEST(Decoder, Relation) {
  const auto relation = DecodeAs<Relation>(kRelation);
  EXPECT_FALSE(relation.xid);
  EXPECT_EQ(relation.oid, 16385u);
  EXPECT_EQ(relation.schema, "public");
  EXPECT_EQ(relation.name, "outbox");
  EXPECT_EQ(relation.replica_identity, 'd');
  std::vector<Column> columns;
  relation.columns.CopyTo(columns);
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_TRUE(columns[0].key);
  EXPECT_EQ(columns[1].name, "payload");
  EXPECT_EQ(columns[1].type_oid, 3802u);
  EXPECT_EQ(columns[1].type_modifier, -1);
}

TEST(Decoder, RelationWithoutColumnsInPgCatalog) {
  const auto relation = DecodeAs<Relation>(Bytes('R').Int32(1).String("").String("t").Char('n').Int16(0).str());
  EXPECT_EQ(relation.schema, "");
  EXPECT_EQ(relation.columns.size(), 0);
}

TEST(Decoder, Type) {
  const auto type = DecodeAs<Type>(kType);
  EXPECT_EQ(type.oid, 16390u);
  EXPECT_EQ(type.schema, "shop");
  EXPECT_EQ(type.name, "mood");
}

TEST(Decoder, InsertWithEveryKindOfValue) {
  const auto insert = DecodeAs<Insert>(kInsert);
  EXPECT_EQ(insert.relation_oid, 16385u);
  const auto values = Values(insert.new_row);
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0].kind, ValueKind::kText);
  EXPECT_EQ(values[0].bytes, "abc");
  EXPECT_EQ(values[1].kind, ValueKind::kNull);
  EXPECT_EQ(values[2].kind, ValueKind::kBinary);
  EXPECT_EQ(values[2].bytes, "\x01\x02");
  EXPECT_EQ(values[3].kind, ValueKind::kUnchanged);
}

TEST(Decoder, UpdateWithOldKeyOldRowOrNeither) {
  const auto with_key = DecodeAs<Update>(kUpdate);
  ASSERT_TRUE(with_key.old_key);
  EXPECT_FALSE(with_key.old_row);
  EXPECT_EQ(Values(*with_key.old_key)[0].bytes, "1");
  EXPECT_EQ(Values(with_key.new_row)[0].bytes, "2");
  EXPECT_EQ(Values(with_key.new_row)[1].kind, ValueKind::kUnchanged);

  const auto with_row =
      DecodeAs<Update>(Bytes('U').Int32(1).Char('O').Int16(1).Text("old").Char('N').Int16(1).Text("new").str());
  EXPECT_FALSE(with_row.old_key);
  ASSERT_TRUE(with_row.old_row);
  EXPECT_EQ(Values(*with_row.old_row)[0].bytes, "old");
  EXPECT_EQ(Values(with_row.new_row)[0].bytes, "new");

  const auto plain = DecodeAs<Update>(Bytes('U').Int32(1).Char('N').Int16(1).Text("new").str());
  EXPECT_FALSE(plain.old_key);
  EXPECT_FALSE(plain.old_row);
  EXPECT_EQ(Values(plain.new_row)[0].bytes, "new");
}

TEST(Decoder, DeleteWithKeyOrRow) {
  const auto by_row = DecodeAs<Delete>(kDelete);
  EXPECT_FALSE(by_row.old_key);
  ASSERT_TRUE(by_row.old_row);
  EXPECT_EQ(Values(*by_row.old_row)[0].bytes, "1");
  const auto by_key = DecodeAs<Delete>(Bytes('D').Int32(9).Char('K').Int16(1).Text("k").str());
  EXPECT_EQ(by_key.relation_oid, 9u);
  ASSERT_TRUE(by_key.old_key);
  EXPECT_FALSE(by_key.old_row);
}

TEST(Decoder, Truncate) {
  const auto truncate = DecodeAs<Truncate>(kTruncate);
  EXPECT_TRUE(truncate.cascade);
  EXPECT_TRUE(truncate.restart_identity);
  ASSERT_EQ(truncate.relation_count(), 2u);
  EXPECT_EQ(truncate.relation_oid(1), 16386u);
  const auto plain = DecodeAs<Truncate>(Bytes('T').Int32(0).Int8(0).str());
  EXPECT_FALSE(plain.cascade);
  EXPECT_FALSE(plain.restart_identity);
  EXPECT_EQ(plain.relation_count(), 0u);
}

TEST(Decoder, LogicalMessage) {
  const auto message = DecodeAs<LogicalMessage>(kMessage);
  EXPECT_TRUE(message.transactional);
  EXPECT_EQ(message.lsn, Lsn(kLsn));
  EXPECT_EQ(message.prefix, "prefix");
  EXPECT_EQ(message.content, std::string_view("a\0b", 3));
}

TEST(Decoder, RowMessagesCarryTheTransactionOnlyWithinAStreamedBlock) {
  struct Case {
    char type;
    std::string body;
  };
  for (const Case& c :
       {Case{'R', RelationBody()}, Case{'Y', TypeBody()}, Case{'I', InsertBody()}, Case{'U', UpdateBody()},
        Case{'D', DeleteBody()}, Case{'T', TruncateBody()}, Case{'M', MessageBody()}}) {
    Decoder decoder;
    const std::string streamed = Bytes(c.type).Int32(4711).Raw(c.body).str();
    const std::string plain = Bytes(c.type).Raw(c.body).str();
    const auto xid_of = [&](const std::string& bytes) {
      const auto message = decoder.Decode(bytes);
      EXPECT_TRUE(message.ok()) << c.type << ": " << message.status();
      return std::visit(
          [](const auto& typed) -> std::optional<Xid> {
            if constexpr (requires { typed.xid.has_value(); }) return typed.xid;
            ADD_FAILURE() << "not a row message";
            return std::nullopt;
          },
          message.ok() ? *message : Message());
    };
    ASSERT_TRUE(decoder.Decode(kStreamStart).ok());
    EXPECT_EQ(xid_of(streamed), 4711u) << c.type;
    ASSERT_TRUE(decoder.Decode(kStreamStop).ok());
    EXPECT_EQ(xid_of(plain), std::nullopt) << c.type;
    ASSERT_TRUE(decoder.Decode(kStreamStart).ok());
    decoder.Reset();
    EXPECT_EQ(xid_of(plain), std::nullopt) << c.type << " after Reset";
  }
}

TEST(Decoder, StreamStartAndStopMustTakeTurns) {
  Decoder decoder;
  EXPECT_THAT(std::string(decoder.Decode(kStreamStop).status().message()), HasSubstr("no streamed block is open"));
  EXPECT_TRUE(decoder.Decode(kStreamStart).ok());
  EXPECT_THAT(std::string(decoder.Decode(kStreamStart).status().message()), HasSubstr("is open already"));
  EXPECT_TRUE(decoder.Decode(kStreamStop).ok()) << "a refused message must not change the state";
}

TEST(Decoder, StreamStart) {
  const auto start = DecodeAs<StreamStart>(kStreamStart);
  EXPECT_EQ(start.xid, kXid);
  EXPECT_TRUE(start.first_segment);
  EXPECT_FALSE(DecodeAs<StreamStart>(Bytes('S').Int32(1).Int8(0).str()).first_segment);
}

TEST(Decoder, StreamCommit) {
  const auto commit = DecodeAs<StreamCommit>(kStreamCommit);
  EXPECT_EQ(commit.xid, kXid);
  EXPECT_EQ(commit.commit_lsn, Lsn(kLsn));
  EXPECT_EQ(commit.end_lsn, Lsn(kEndLsn));
  EXPECT_EQ(commit.commit_time, static_cast<int64_t>(kTime));
}

TEST(Decoder, StreamAbortWithAndWithoutPosition) {
  const auto plain = DecodeAs<StreamAbort>(kStreamAbort);
  EXPECT_EQ(plain.xid, kXid);
  EXPECT_EQ(plain.subxid, 7u);
  EXPECT_FALSE(plain.abort_lsn.valid());
  EXPECT_EQ(plain.abort_time, 0);
  const auto parallel = DecodeAs<StreamAbort>(kStreamAbortParallel);
  EXPECT_EQ(parallel.subxid, 7u);
  EXPECT_EQ(parallel.abort_lsn, Lsn(kLsn));
  EXPECT_EQ(parallel.abort_time, static_cast<int64_t>(kTime));
}

template <typename T>
void ExpectPrepared(const std::string& bytes) {
  const auto prepared = DecodeAs<T>(bytes);
  EXPECT_EQ(prepared.prepare_lsn, Lsn(kLsn));
  EXPECT_EQ(prepared.end_lsn, Lsn(kEndLsn));
  EXPECT_EQ(prepared.prepare_time, static_cast<int64_t>(kTime));
  EXPECT_EQ(prepared.xid, kXid);
  EXPECT_EQ(prepared.gid, "gid");
}

TEST(Decoder, BeginPrepare) {
  ExpectPrepared<BeginPrepare>(kBeginPrepare);
}
TEST(Decoder, Prepare) {
  ExpectPrepared<Prepare>(kPrepare);
}
TEST(Decoder, StreamPrepare) {
  ExpectPrepared<StreamPrepare>(kStreamPrepare);
}

TEST(Decoder, CommitPrepared) {
  const auto commit = DecodeAs<CommitPrepared>(kCommitPrepared);
  EXPECT_EQ(commit.commit_lsn, Lsn(kLsn));
  EXPECT_EQ(commit.end_lsn, Lsn(kEndLsn));
  EXPECT_EQ(commit.commit_time, static_cast<int64_t>(kTime));
  EXPECT_EQ(commit.xid, kXid);
  EXPECT_EQ(commit.gid, "gid");
}

TEST(Decoder, RollbackPrepared) {
  const auto rollback = DecodeAs<RollbackPrepared>(kRollbackPrepared);
  EXPECT_EQ(rollback.prepare_end_lsn, Lsn(kLsn));
  EXPECT_EQ(rollback.rollback_end_lsn, Lsn(kEndLsn));
  EXPECT_EQ(rollback.prepare_time, static_cast<int64_t>(kTime));
  EXPECT_EQ(rollback.rollback_time, static_cast<int64_t>(kTime + 1));
  EXPECT_EQ(rollback.xid, kXid);
  EXPECT_EQ(rollback.gid, "gid");
}

TEST(Decoder, EveryCutIsAnError) {
  for (const std::string* whole : kAll) {
    for (size_t size = 0; size < whole->size(); ++size) {
      if (whole == &kStreamAbortParallel && size == kStreamAbort.size()) continue;  // a whole message of its own
      Decoder decoder;
      const absl::Status status = StatusOf(decoder, std::string_view(*whole).substr(0, size));
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << (*whole)[0] << " cut to " << size << " bytes";
    }
  }
}

TEST(Decoder, EveryCutWithinAStreamedBlockIsAnError) {
  for (const std::string* whole : {&kRelation, &kType, &kInsert, &kUpdate, &kDelete, &kTruncate, &kMessage}) {
    const std::string streamed = Bytes((*whole)[0]).Int32(kXid).Raw(whole->substr(1)).str();
    Decoder decoder;
    ASSERT_TRUE(decoder.Decode(kStreamStart).ok());
    for (size_t size = 0; size < streamed.size(); ++size) {
      EXPECT_FALSE(StatusOf(decoder, std::string_view(streamed).substr(0, size)).ok())
          << (*whole)[0] << " cut to " << size << " bytes";
    }
    EXPECT_TRUE(StatusOf(decoder, streamed).ok());
  }
}

TEST(Decoder, NoChangedByteReadsBeyondTheEnd) {
  for (const std::string* whole : kAll) {
    for (size_t at = 1; at < whole->size(); ++at) {
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        std::string changed = *whole;
        changed[at] = static_cast<char>(value);
        const auto copy = std::make_unique<char[]>(changed.size());
        std::memcpy(copy.get(), changed.data(), changed.size());
        Decoder decoder;
        const auto message = decoder.Decode(std::string_view(copy.get(), changed.size()));
        if (!message.ok()) continue;
        if (const auto* insert = std::get_if<Insert>(&*message)) Values(insert->new_row);
        if (const auto* relation = std::get_if<Relation>(&*message)) {
          std::vector<Column> columns;
          relation->columns.CopyTo(columns);
          EXPECT_EQ(columns.size(), relation->columns.size());
        }
      }
    }
  }
}

TEST(Decoder, BytesBeyondAKnownMessageAreTolerated) {
  for (const std::string* whole : kAll) {
    if (whole == &kStreamAbort) continue;  // there the length tells which form it is
    Decoder decoder;
    EXPECT_TRUE(StatusOf(decoder, *whole + "later").ok()) << (*whole)[0];
  }
}

TEST(Decoder, ReservedFlagsAreAnError) {
  for (const std::string* whole : {&kCommit, &kPrepare, &kCommitPrepared, &kRollbackPrepared, &kStreamPrepare}) {
    std::string flagged = *whole;
    flagged[1] = 1;
    Decoder decoder;
    EXPECT_THAT(std::string(StatusOf(decoder, flagged).message()), HasSubstr("at byte 1: it carries flags"))
        << flagged[0];
  }
  std::string flagged = kStreamCommit;
  flagged[5] = 1;
  Decoder decoder;
  EXPECT_THAT(std::string(StatusOf(decoder, flagged).message()), HasSubstr("at byte 5: it carries flags"));
}

TEST(Decoder, ErrorsNameTypeAndOffsetAndNoContents) {
  Decoder decoder;
  EXPECT_EQ(decoder.Decode("Zsecret").status().message(),
            "pgoutput message 0x5a of 7 bytes is malformed at byte 0: no such type of message is known");
  EXPECT_EQ(decoder.Decode("\xff").status().message(),
            "pgoutput message 0xff of 1 bytes is malformed at byte 0: no such type of message is known");
  EXPECT_EQ(decoder.Decode("").status().message(), "pgoutput message of 0 bytes");
  EXPECT_EQ(
      decoder.Decode(Bytes('I').Int32(1).Char('N').Int16(1).Char('t').Int32(7).Raw("secret").str()).status().message(),
      "pgoutput message 0x49 of 19 bytes is malformed at byte 13: a length points beyond its end");
  EXPECT_EQ(
      decoder.Decode(Bytes('I').Int32(1).Char('N').Int16(1).Char('x').str()).status().message(),
      "pgoutput message 0x49 of 9 bytes is malformed at byte 8: a column is neither null, unchanged, text nor binary");
  EXPECT_EQ(decoder.Decode(Bytes('I').Int32(1).Char('K').Int16(0).str()).status().message(),
            "pgoutput message 0x49 of 8 bytes is malformed at byte 5: the new row does not follow");
  EXPECT_EQ(decoder.Decode(Bytes('D').Int32(1).Char('N').Int16(0).str()).status().message(),
            "pgoutput message 0x44 of 8 bytes is malformed at byte 5: the old row does not follow");
}

TEST(Decoder, LengthsNearTheLimitsOfTheirTypesDoNotWrap) {
  for (const uint32_t length : {0x7fffffffu, 0x80000000u, 0xffffffffu, 0xfffffffbu}) {
    Decoder decoder;
    EXPECT_FALSE(
        StatusOf(decoder, Bytes('I').Int32(1).Char('N').Int16(1).Char('t').Int32(length).Raw("ab").str()).ok());
    EXPECT_FALSE(StatusOf(decoder, Bytes('T').Int32(length).Int8(0).Int32(1).str()).ok());
    EXPECT_FALSE(StatusOf(decoder, Bytes('M').Int8(0).Int64(1).String("p").Int32(length).Raw("ab").str()).ok());
  }
  Decoder decoder;
  EXPECT_FALSE(StatusOf(decoder, Bytes('T').Int32(0x40000000).Int8(0).str()).ok()) << "4 times the count is 2^32";
}

}  // namespace
}  // namespace postrider::decoder
