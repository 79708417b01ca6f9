// Routes one event many times, so that callgrind can say what one costs.
//
//   router_bench expand|plain COUNT
//   valgrind --tool=callgrind build/release/tests/bench/router_bench expand 1000
//
// The event is an outbox row with a payload of 300 bytes. `expand`: the configuration of the README (JSON expansion,
// schemas on); `plain`: without expansion. The cost of one event is the difference between two runs, divided by the
// difference of their counts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "decoder/decoder.h"
#include "router/router.h"

namespace {

using postrider::Table;
using postrider::TableColumn;

// What pgoutput sends: big-endian integers, texts with their length or a NUL.
void AppendInt(uint32_t value, size_t size, std::string& out) {
  for (size_t i = size; i-- > 0;) out.push_back(static_cast<char>(value >> 8 * i & 0xff));
}
void AppendName(std::string_view name, std::string& out) {
  out.append(name).push_back('\0');
}
void AppendText(std::string_view text, std::string& out) {
  out.push_back('t');
  AppendInt(static_cast<uint32_t>(text.size()), 4, out);
  out.append(text);
}

constexpr uint32_t kUuid = 2950, kVarchar = 1043, kJsonb = 3802, kTimestamptz = 1184;
constexpr struct {
  const char* name;
  uint32_t type_oid;
  const char* type_name;
  bool not_null;
} kColumns[] = {{"id", kUuid, "uuid", true},
                {"aggregatetype", kVarchar, "varchar", true},
                {"aggregateid", kVarchar, "varchar", true},
                {"type", kVarchar, "varchar", true},
                {"payload", kJsonb, "jsonb", true},
                {"created_at", kTimestamptz, "timestamptz", true},
                {"published_at", kTimestamptz, "timestamptz", false}};

constexpr std::string_view kPayload =
    R"({"total": 99.00, "orderId": 1234567, "customer": {"id": 7, "name": "Jane Doe", "email": "jane.doe@example.org"}, )"
    R"("currency": "EUR", "lines": [{"sku": "A-1001", "price": 19.99, "quantity": 2}, {"sku": "B-2002", "price": 59.02, "quantity": 1}], )"
    R"("eventVersion": 1, "placedAt": "2026-01-02T03:04:05Z", "note": "leave at the door, please, thanks"})";

std::string RelationBytes() {
  std::string bytes = "R";
  AppendInt(16'400, 4, bytes);
  AppendName("public", bytes);
  AppendName("outbox", bytes);
  bytes.push_back('d');
  AppendInt(std::size(kColumns), 2, bytes);
  for (const auto& column : kColumns) {
    bytes.push_back('\0');
    AppendName(column.name, bytes);
    AppendInt(column.type_oid, 4, bytes);
    AppendInt(0xffffffff, 4, bytes);
  }
  return bytes;
}

std::string InsertBytes() {
  std::string bytes = "I";
  AppendInt(16'400, 4, bytes);
  bytes.push_back('N');
  AppendInt(std::size(kColumns), 2, bytes);
  AppendText("00000000-0000-4000-8000-000000000001", bytes);
  AppendText("order", bytes);
  AppendText("1234567", bytes);
  AppendText("OrderPlaced", bytes);
  AppendText(kPayload, bytes);
  AppendText("2026-01-02 03:04:05.678901+00", bytes);
  bytes.push_back('n');
  return bytes;
}

Table Catalogue() {
  Table table{.oid = 16'400, .schema = "public", .name = "outbox"};
  for (const auto& column : kColumns) {
    table.columns.push_back(
        TableColumn{.name = column.name,
                    .type = {.oid = column.type_oid, .schema = "pg_catalog", .name = column.type_name},
                    .not_null = column.not_null});
  }
  return table;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: router_bench expand|plain COUNT\n");
    return 2;
  }
  postrider::config::Config config{.topic_prefix = "app"};
  config.tables.table_include_list = "public.outbox";
  config.router.expand_json_payload = std::string_view(argv[1]) == "expand";
  config.converters.value.kind = postrider::config::ConverterKind::kJson;

  auto router = postrider::router::Router::Make(config);
  postrider::decoder::Decoder decoder;
  const std::string relation_bytes = RelationBytes(), insert_bytes = InsertBytes();
  const Table catalogue = Catalogue();
  const auto relation = decoder.Decode(relation_bytes);
  if (!router.ok() || !relation.ok() ||
      !(*router)->SetRelation(std::get<postrider::decoder::Relation>(*relation), &catalogue).ok()) {
    std::fprintf(stderr, "router_bench: the bench's own event is refused\n");
    return 1;
  }

  size_t bytes = 0;
  for (long count = std::strtol(argv[2], nullptr, 10); count > 0; --count) {
    const auto message = decoder.Decode(insert_bytes);
    const auto routed = (*router)->Insert(std::get<postrider::decoder::Insert>(*message), 1'800'000'000'000);
    bytes += postrider::BudgetBytes(routed->record);
  }
  std::printf("%zu bytes\n", bytes);
  return 0;
}
