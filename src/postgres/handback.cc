#include "postgres/handback.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "base/text.h"
#include "base/wakeup.h"
#include "postgres/connection.h"
#include "postgres/quote.h"
#include "postgres/server_state.h"
#include "postgres/slot.h"

namespace postrider::postgres {
namespace {

// Nothing is tried again: what would pass ends the command too.
absl::Status Once(const absl::Status& status) {
  if (FaultOf(status) != Fault::kPassing) return status;
  return MakeFault(Fault::kDatabaseRefuses, MessageOf(status));
}

}  // namespace

std::string OffsetsBody(const std::string& topic_prefix, const SlotPosition& slot, int64_t now_us) {
  const uint64_t confirmed = slot.confirmed_lsn.value();
  // Below restart_lsn Debezium takes an offset for lost; where both are the same no transaction is open there.
  const uint64_t processed = slot.restart_lsn < slot.confirmed_lsn ? confirmed - 1 : confirmed;
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  writer.StartObject();
  writer.Key("offsets");
  writer.StartArray();
  writer.StartObject();
  writer.Key("partition");
  writer.StartObject();
  writer.Key("server");
  writer.String(topic_prefix.data(), static_cast<rapidjson::SizeType>(topic_prefix.size()));
  writer.EndObject();
  writer.Key("offset");
  writer.StartObject();
  writer.Key("lsn");
  writer.Uint64(processed);
  writer.Key("lsn_proc");
  writer.Uint64(processed);
  writer.Key("lsn_commit");
  writer.Uint64(confirmed);
  writer.Key("messageType");
  writer.String("COMMIT");
  writer.Key("ts_usec");
  writer.Int64(now_us);
  writer.EndObject();
  writer.EndObject();
  writer.EndArray();
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

absl::StatusOr<SlotPosition> SlotToHandBack(const config::Config& config) {
  const Wakeup nobody;
  absl::StatusOr<Connection> query = Connection::Open(config, ConnectionKind::kQuery, &nobody);
  if (!query.ok()) return Once(query.status());
  absl::StatusOr<ServerState> server = ReadServerState(*query);
  if (!server.ok()) return Once(server.status());
  const Target& target = query->target();
  const std::string name = absl::StrCat("replication slot ", QuoteIdentifier(target.slot));
  if (!server->slot) {
    return MakeFault(Fault::kSlot, absl::StrCat(name, " is not there at ", target.address,
                                                ": there is no position to hand back; check slot.name and "
                                                "database.hostname"));
  }
  if (server->slot->holder) {
    const SlotHolder& holder = *server->slot->holder;
    return MakeFault(Fault::kSlotHeld,
                     absl::StrCat(name, " is being read by ",
                                  holder.application_name.empty() ? "a program without a name"
                                                                  : QuoteIdentifier(holder.application_name),
                                  ", pid ", holder.pid, ": its position moves until that is stopped"));
  }
  if (absl::Status status = CheckSlot(target, *server->slot, server->in_recovery); !status.ok()) return Once(status);
  return SlotPosition{.restart_lsn = server->slot->restart_lsn, .confirmed_lsn = server->slot->confirmed_flush_lsn};
}

}  // namespace postrider::postgres
