#include "postgres/tap.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "postgres/catalog.h"
#include "postgres/connection.h"
#include "postgres/quote.h"
#include "postgres/slot.h"
#include "postgres/stream.h"

namespace postrider::postgres {
namespace {

// Of this process alone; letters, digits and _ as PostgreSQL wants it.
std::string TapSlotName() {
  return absl::StrCat("postrider_tail_", getpid());
}

absl::Status CheckPublication(Connection& query, const std::string& name) {
  const auto found =
      query.Execute(absl::StrCat("SELECT FROM pg_catalog.pg_publication WHERE pubname = ", QuoteLiteral(name)),
                    {.doing = "looking for the publication"});
  if (!found.ok()) return found.status();
  if (found->back().rows() > 0) return absl::OkStatus();
  return MakeFault(Fault::kPublication,
                   absl::StrCat("publication ", QuoteIdentifier(name),
                                " does not exist, and tail makes none: run the relay once, or postrider setup"));
}

class StreamTap final : public Tap {
 public:
  StreamTap(Connection query, Connection replication, std::string slot)
      : query_(std::move(query)), stream_(std::move(replication)), slot_(std::move(slot)) {}

  Source& source() override { return stream_; }
  const std::string& slot() const override { return slot_; }

  absl::StatusOr<Table> ReadTable(uint32_t relation_oid) override {
    absl::StatusOr<std::vector<Table>> tables = ReadTables(query_, {relation_oid});
    if (!tables.ok()) return tables.status();
    if (tables->empty()) return absl::NotFoundError(absl::StrCat("no table has the oid ", relation_oid));
    return std::move(tables->front());
  }

  absl::StatusOr<int64_t> RetainedBytes() override {
    const auto rows = query_.Execute(
        absl::StrCat("SELECT pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_lsn(), restart_lsn)::bigint FROM "
                     "pg_catalog.pg_replication_slots WHERE slot_name = ",
                     QuoteLiteral(slot_)),
        {.doing = "looking at the slot", .timeout_ms = 5'000});
    if (!rows.ok()) return rows.status();
    return rows->back().rows() == 0 ? 0 : rows->back().Integer(0, 0);
  }

 private:
  Connection query_;
  Stream stream_;
  const std::string slot_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Tap>> Tap::Open(const config::Config& config, const Wakeup* stop) {
  config::Config tapped = config;
  tapped.slot.name = TapSlotName();
  auto query = Connection::Open(tapped, ConnectionKind::kQuery, stop);
  if (!query.ok()) return query.status();
  if (absl::Status status = CheckPublication(*query, config.publication.name); !status.ok()) return status;
  auto replication = Connection::Open(tapped, ConnectionKind::kReplication, stop);
  if (!replication.ok()) return replication.status();
  const auto made = MakeSlot(*replication, *query, tapped.slot.name, SlotPurpose::kTap, false);
  if (!made.ok()) return made.status();
  const auto started = replication->Execute(StartCommand(tapped, Lsn()),
                                            {.doing = "starting the stream", .copy = true, .fault = &StartFault});
  if (!started.ok()) return started.status();
  if (started->back().status() != PGRES_COPY_BOTH)
    return MakeFault(Fault::kInternal, "START_REPLICATION did not start a stream");
  return std::make_unique<StreamTap>(*std::move(query), *std::move(replication), tapped.slot.name);
}

}  // namespace postrider::postgres
