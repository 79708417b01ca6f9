// One function a message, each reading its fields in the order of the wire. A function returns whatever it could read;
// Decode() asks the reader once whether all of it was there, and drops the message when not.
#include "decoder/decoder.h"

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "decoder/wire.h"

namespace postrider::decoder {
namespace {

Lsn ReadLsn(Reader& reader) {
  return Lsn(reader.Int<uint64_t>());
}
int64_t ReadTime(Reader& reader) {
  return static_cast<int64_t>(reader.Int<uint64_t>());
}

// Reserved by the protocol; PostgreSQL's own subscriber refuses them too, since a flag could change what a commit
// means.
void ReadZeroFlags(Reader& reader) {
  if (reader.Int<uint8_t>() != 0) reader.Fail("it carries flags that the protocol reserves", 1);
}

Tuple ReadTuple(Reader& reader) {
  const auto size = reader.Int<uint16_t>();
  const char* body = reader.position();
  for (uint16_t i = 0; i < size && reader.ok(); ++i) {
    switch (static_cast<ValueKind>(reader.Int<uint8_t>())) {
      case ValueKind::kNull:
      case ValueKind::kUnchanged:
        break;
      case ValueKind::kText:
      case ValueKind::kBinary:
        reader.Bytes(reader.Int<uint32_t>());
        break;
      default:
        reader.Fail("a column is neither null, unchanged, text nor binary", 1);
    }
  }
  if (!reader.ok()) return {};
  return Tuple(size, std::string_view(body, static_cast<size_t>(reader.position() - body)));
}

ColumnList ReadColumns(Reader& reader) {
  const auto size = reader.Int<uint16_t>();
  const char* body = reader.position();
  for (uint16_t i = 0; i < size && reader.ok(); ++i) {
    reader.Int<uint8_t>();
    reader.String();
    reader.Int<uint64_t>();  // type and modifier
  }
  if (!reader.ok()) return {};
  return ColumnList(size, std::string_view(body, static_cast<size_t>(reader.position() - body)));
}

Begin ReadBegin(Reader& reader) {
  Begin begin;
  begin.final_lsn = ReadLsn(reader);
  begin.commit_time = ReadTime(reader);
  begin.xid = reader.Int<Xid>();
  return begin;
}

Commit ReadCommit(Reader& reader) {
  Commit commit;
  ReadZeroFlags(reader);
  commit.commit_lsn = ReadLsn(reader);
  commit.end_lsn = ReadLsn(reader);
  commit.commit_time = ReadTime(reader);
  return commit;
}

Origin ReadOrigin(Reader& reader) {
  Origin origin;
  origin.origin_lsn = ReadLsn(reader);
  origin.name = reader.String();
  return origin;
}

Relation ReadRelation(Reader& reader, std::optional<Xid> xid) {
  Relation relation;
  relation.xid = xid;
  relation.oid = reader.Int<Oid>();
  relation.schema = reader.String();
  relation.name = reader.String();
  relation.replica_identity = static_cast<char>(reader.Int<uint8_t>());
  relation.columns = ReadColumns(reader);
  return relation;
}

Type ReadType(Reader& reader, std::optional<Xid> xid) {
  Type type;
  type.xid = xid;
  type.oid = reader.Int<Oid>();
  type.schema = reader.String();
  type.name = reader.String();
  return type;
}

Insert ReadInsert(Reader& reader, std::optional<Xid> xid) {
  Insert insert;
  insert.xid = xid;
  insert.relation_oid = reader.Int<Oid>();
  if (reader.Int<uint8_t>() != 'N') reader.Fail("the new row does not follow", 1);
  insert.new_row = ReadTuple(reader);
  return insert;
}

// The row before the change, whose marker was read already: the key alone, or the whole row.
template <typename Change>
void ReadOldRow(Reader& reader, uint8_t marker, Change& change) {
  (marker == 'K' ? change.old_key : change.old_row) = ReadTuple(reader);
}

Update ReadUpdate(Reader& reader, std::optional<Xid> xid) {
  Update update;
  update.xid = xid;
  update.relation_oid = reader.Int<Oid>();
  auto marker = reader.Int<uint8_t>();
  if (marker == 'K' || marker == 'O') {
    ReadOldRow(reader, marker, update);
    marker = reader.Int<uint8_t>();
  }
  if (marker != 'N') reader.Fail("the new row does not follow", 1);
  update.new_row = ReadTuple(reader);
  return update;
}

Delete ReadDelete(Reader& reader, std::optional<Xid> xid) {
  Delete deleted;
  deleted.xid = xid;
  deleted.relation_oid = reader.Int<Oid>();
  const auto marker = reader.Int<uint8_t>();
  if (marker != 'K' && marker != 'O') reader.Fail("the old row does not follow", 1);
  ReadOldRow(reader, marker, deleted);
  return deleted;
}

Truncate ReadTruncate(Reader& reader, std::optional<Xid> xid) {
  Truncate truncate;
  truncate.xid = xid;
  const size_t count = reader.Int<uint32_t>();
  const auto flags = reader.Int<uint8_t>();
  truncate.cascade = (flags & 1) != 0;
  truncate.restart_identity = (flags & 2) != 0;
  truncate.relation_oids = reader.Bytes(count * sizeof(Oid));
  return truncate;
}

LogicalMessage ReadLogicalMessage(Reader& reader, std::optional<Xid> xid) {
  LogicalMessage message;
  message.xid = xid;
  message.transactional = (reader.Int<uint8_t>() & 1) != 0;
  message.lsn = ReadLsn(reader);
  message.prefix = reader.String();
  message.content = reader.Bytes(reader.Int<uint32_t>());
  return message;
}

StreamStart ReadStreamStart(Reader& reader) {
  StreamStart start;
  start.xid = reader.Int<Xid>();
  start.first_segment = reader.Int<uint8_t>() != 0;
  return start;
}

StreamCommit ReadStreamCommit(Reader& reader) {
  StreamCommit commit;
  commit.xid = reader.Int<Xid>();
  ReadZeroFlags(reader);
  commit.commit_lsn = ReadLsn(reader);
  commit.end_lsn = ReadLsn(reader);
  commit.commit_time = ReadTime(reader);
  return commit;
}

// Position and time are there only where the client asked for `streaming 'parallel'`: the length tells.
StreamAbort ReadStreamAbort(Reader& reader) {
  StreamAbort abort;
  abort.xid = reader.Int<Xid>();
  abort.subxid = reader.Int<Xid>();
  if (reader.remaining() > 0) {
    abort.abort_lsn = ReadLsn(reader);
    abort.abort_time = ReadTime(reader);
  }
  return abort;
}

// The common body of Begin Prepare, Prepare and Stream Prepare; all but the first have flags before it.
template <typename Prepared>
Prepared ReadPrepared(Reader& reader) {
  Prepared prepared;
  prepared.prepare_lsn = ReadLsn(reader);
  prepared.end_lsn = ReadLsn(reader);
  prepared.prepare_time = ReadTime(reader);
  prepared.xid = reader.Int<Xid>();
  prepared.gid = reader.String();
  return prepared;
}

CommitPrepared ReadCommitPrepared(Reader& reader) {
  CommitPrepared commit;
  ReadZeroFlags(reader);
  commit.commit_lsn = ReadLsn(reader);
  commit.end_lsn = ReadLsn(reader);
  commit.commit_time = ReadTime(reader);
  commit.xid = reader.Int<Xid>();
  commit.gid = reader.String();
  return commit;
}

RollbackPrepared ReadRollbackPrepared(Reader& reader) {
  RollbackPrepared rollback;
  ReadZeroFlags(reader);
  rollback.prepare_end_lsn = ReadLsn(reader);
  rollback.rollback_end_lsn = ReadLsn(reader);
  rollback.prepare_time = ReadTime(reader);
  rollback.rollback_time = ReadTime(reader);
  rollback.xid = reader.Int<Xid>();
  rollback.gid = reader.String();
  return rollback;
}

template <typename Prepared>
Prepared ReadFlagsAndPrepared(Reader& reader) {
  ReadZeroFlags(reader);
  return ReadPrepared<Prepared>(reader);
}

absl::Status Malformed(uint8_t type, size_t size, size_t offset, const char* fault) {
  return absl::InvalidArgumentError(
      absl::StrFormat("pgoutput message 0x%02x of %d bytes is malformed at byte %d: %s", type, size, offset, fault));
}

}  // namespace

Message Decoder::Read(uint8_t type, Reader& reader) {
  // Within a streamed block the messages of a transaction carry their (sub)transaction's number first.
  const auto xid = [&] { return in_stream_ ? std::optional<Xid>(reader.Int<Xid>()) : std::nullopt; };
  switch (type) {
    case 'B':
      return ReadBegin(reader);
    case 'C':
      return ReadCommit(reader);
    case 'I':
      return ReadInsert(reader, xid());
    case 'U':
      return ReadUpdate(reader, xid());
    case 'D':
      return ReadDelete(reader, xid());
    case 'T':
      return ReadTruncate(reader, xid());
    case 'R':
      return ReadRelation(reader, xid());
    case 'Y':
      return ReadType(reader, xid());
    case 'M':
      return ReadLogicalMessage(reader, xid());
    case 'O':
      return ReadOrigin(reader);
    case 'S':
      if (in_stream_) reader.Fail("a streamed block is open already", 1);
      return ReadStreamStart(reader);
    case 'E':
      if (!in_stream_) reader.Fail("no streamed block is open", 1);
      return StreamStop{};
    case 'c':
      return ReadStreamCommit(reader);
    case 'A':
      return ReadStreamAbort(reader);
    case 'b':
      return ReadPrepared<BeginPrepare>(reader);
    case 'P':
      return ReadFlagsAndPrepared<Prepare>(reader);
    case 'K':
      return ReadCommitPrepared(reader);
    case 'r':
      return ReadRollbackPrepared(reader);
    case 'p':
      return ReadFlagsAndPrepared<StreamPrepare>(reader);
    default:
      reader.Fail("no such type of message is known", 1);
      return StreamStop{};
  }
}

absl::StatusOr<Message> Decoder::Decode(std::string_view bytes) {
  if (bytes.empty()) return absl::InvalidArgumentError("pgoutput message of 0 bytes");
  Reader reader(bytes);
  const auto type = reader.Int<uint8_t>();
  absl::StatusOr<Message> message(Read(type, reader));
  if (!reader.ok()) [[unlikely]]
    return Malformed(type, bytes.size(), reader.fault_offset(), reader.fault());
  if (type == 'S') in_stream_ = true;
  if (type == 'E') in_stream_ = false;
  return message;
}

}  // namespace postrider::decoder
