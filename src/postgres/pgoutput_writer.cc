#include "postgres/pgoutput_writer.h"

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "decoder/message.h"
#include "postgres/copy_text.h"
#include "postgres/stream_wire.h"

namespace postrider::postgres {
namespace {

template <typename T>
void Append(T value, std::string& out) {
  char bytes[sizeof(T)];
  StoreBigEndian(value, bytes);
  out.append(bytes, sizeof bytes);
}

void AppendName(std::string_view name, std::string& out) {
  out.append(name);
  out.push_back('\0');
}

uint64_t PostgresMicros(int64_t unix_us) {
  return static_cast<uint64_t>(unix_us - decoder::kPostgresEpochUnixMicros);
}

void AppendValue(std::string_view column, std::string& out) {
  if (IsCopyNull(column)) {
    out.push_back('n');
    return;
  }
  out.push_back('t');
  const size_t length_at = out.size();
  Append(uint32_t{0}, out);
  AppendCopyText(column, out);
  StoreBigEndian(static_cast<uint32_t>(out.size() - length_at - sizeof(uint32_t)), &out[length_at]);
}

}  // namespace

void WriteBegin(Lsn position, int64_t unix_us, std::string& out) {
  out = "B";
  Append(position.value(), out);
  Append(PostgresMicros(unix_us), out);
  Append(uint32_t{0}, out);  // rows that were read have no transaction of their own
}

void WriteRelation(uint32_t oid, std::string_view schema, std::string_view name,
                   const std::vector<SnapshotColumn>& columns, std::string& out) {
  out = "R";
  Append(oid, out);
  AppendName(schema, out);
  AppendName(name, out);
  out.push_back('d');
  Append(static_cast<uint16_t>(columns.size()), out);
  for (const SnapshotColumn& column : columns) {
    out.push_back('\0');
    AppendName(column.name, out);
    Append(column.type_oid, out);
    Append(static_cast<uint32_t>(column.type_modifier), out);
  }
}

absl::Status WriteInsert(uint32_t oid, std::string_view copy_row, size_t columns, std::string& out) {
  out = "I";
  Append(oid, out);
  out.push_back('N');
  Append(static_cast<uint16_t>(columns), out);
  CopyTextRow row(copy_row);
  std::string_view column;
  size_t count = 0;
  while (row.Next(column)) {
    ++count;
    AppendValue(column, out);
  }
  if (count == columns) return absl::OkStatus();
  return MakeFault(Fault::kInternal,
                   absl::StrCat("a row of the snapshot has ", count, " columns instead of ", columns));
}

void WriteCommit(Lsn position, int64_t unix_us, std::string& out) {
  out.assign("C\0", 2);
  Append(position.value(), out);
  Append(position.value(), out);
  Append(PostgresMicros(unix_us), out);
}

}  // namespace postrider::postgres
