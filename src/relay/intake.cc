#include "relay/intake.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/text.h"

namespace postrider::relay {
namespace {

// Messages a turn: a few milliseconds of work at the most, so that reports, statuses and signals are never late.
constexpr int kMessagesPerTurn = 1000;
constexpr int64_t kExpansionWarningEveryUs = 60'000'000;

absl::Status ProtocolBreak(std::string_view what) {
  return MakeFault(Fault::kInternal, absl::StrCat("the server broke the replication protocol: ", View(what)));
}

}  // namespace

Intake::Intake(const config::Config& config, const Clock* clock, router::Router* router, postgres::Connector* connector,
               Publisher* publisher, Tracker* tracker, Confirmer* confirmer, Stats* stats)
    : invalid_operation_(config.router.invalid_operation),
      clock_(clock),
      router_(router),
      connector_(connector),
      publisher_(publisher),
      tracker_(tracker),
      confirmer_(confirmer),
      stats_(stats) {}

void Intake::Connected(std::vector<Table> tables, bool snapshot) {
  // The server announces every relation anew on a new connection.
  decoder_.Reset();
  router_->Reset();
  catalogue_.clear();
  for (Table& table : tables) {
    const decoder::Oid oid = table.oid;
    catalogue_.insert_or_assign(oid, std::move(table));
  }
  in_hand_.reset();
  routed_.reset();
  lookup_stale_ = lookup_oid_ != 0;
  if (look_ == Look::kAsked) look_ = Look::kStale;
  snapshot_ = snapshot;
}

absl::StatusOr<Intake::Progress> Intake::Step(postgres::Source& source, bool until_commit) {
  if (in_hand_) {
    auto done = Handle(*in_hand_);
    if (!done.ok()) return done.status();
    if (!*done) return Progress::kBlocked;
    const bool commit = std::holds_alternative<decoder::Commit>(*in_hand_);
    in_hand_.reset();
    if (until_commit && commit) return Progress::kTransactionEnd;
  }
  for (int count = 0; count < kMessagesPerTurn; ++count) {
    if (tracker_->full()) return Progress::kBlocked;
    auto message = source.Next();
    if (!message.ok()) return message.status();
    if (!message->has_value()) return Progress::kIdle;
    auto progress = TakeMessage(**message, until_commit);
    if (!progress.ok() || *progress != Progress::kMore) return progress;
  }
  return Progress::kMore;
}

absl::StatusOr<Intake::Progress> Intake::TakeMessage(const postgres::SourceMessage& message, bool until_commit) {
  if (const auto* keepalive = std::get_if<postgres::Keepalive>(&message)) {
    tracker_->Position(keepalive->end_lsn);
    confirmer_->SawKeepalive(*keepalive, clock_->MonotonicMicros());
    return Progress::kMore;
  }
  if (std::holds_alternative<postgres::SnapshotEnd>(message)) return Progress::kEnd;

  const std::string_view bytes = std::get<postgres::WalData>(message).message;
  confirmer_->SawData();
  Bump<uint64_t>(stats_->wal_bytes, bytes.size());
  auto decoded = decoder_.Decode(bytes);
  if (!decoded.ok()) return ProtocolBreak(MessageOf(decoded.status()));
  auto done = Handle(*decoded);
  if (!done.ok()) return done.status();
  if (!*done) {
    in_hand_ = *std::move(decoded);
    return Progress::kBlocked;
  }
  if (until_commit && std::holds_alternative<decoder::Commit>(*decoded)) return Progress::kTransactionEnd;
  return Progress::kMore;
}

absl::StatusOr<bool> Intake::Handle(const decoder::Message& message) {
  if (const auto* insert = std::get_if<decoder::Insert>(&message)) return HandleInsert(*insert);
  if (const auto* begin = std::get_if<decoder::Begin>(&message)) {
    if (tracker_->in_transaction()) return ProtocolBreak("a Begin inside a transaction");
    commit_lsn_ = begin->final_lsn;
    ordinal_ = 0;
    tracker_->Begin(snapshot_ ? Lsn() : commit_lsn_, snapshot_ ? 0 : decoder::ToUnixMicros(begin->commit_time));
    return true;
  }
  if (const auto* commit = std::get_if<decoder::Commit>(&message)) {
    if (absl::Status status = CheckInTransaction("Commit"); !status.ok()) return status;
    tracker_->Commit(snapshot_ ? Lsn() : commit->end_lsn);
    Bump(stats_->transactions);
    return true;
  }
  if (const auto* relation = std::get_if<decoder::Relation>(&message)) return HandleRelation(*relation);
  if (const auto* update = std::get_if<decoder::Update>(&message)) {
    if (absl::Status status = HandleUpdate(*update); !status.ok()) return status;
    return true;
  }
  // Deleting a published row, or emptying the table, takes nothing back.
  if (const auto* deletion = std::get_if<decoder::Delete>(&message)) {
    Ignore(router_->TableName(deletion->relation_oid));
    return true;
  }
  if (std::holds_alternative<decoder::Truncate>(message)) {
    Bump(stats_->events_ignored);
    return true;
  }
  if (std::holds_alternative<decoder::Type>(message) || std::holds_alternative<decoder::Origin>(message) ||
      std::holds_alternative<decoder::LogicalMessage>(message))
    return true;
  return ProtocolBreak("a streamed or two-phase message, which was not asked for");
}

void Intake::Ignore(std::string_view table) {
  Bump(stats_->events_ignored);
  const uint32_t series = stats_->meter.Find(table, "");
  stats_->meter.Count(series, Fate::kRead, 0);
  stats_->meter.Count(series, Fate::kIgnored, 0);
}

absl::Status Intake::CheckInTransaction(std::string_view what) const {
  if (tracker_->in_transaction()) return absl::OkStatus();
  return ProtocolBreak(absl::StrCat("a ", View(what), " outside of a transaction"));
}

absl::StatusOr<bool> Intake::HandleRelation(const decoder::Relation& relation) {
  if (!router_->Wants(relation)) return SetRelation(relation, nullptr);
  const auto known = catalogue_.find(relation.oid);
  if (known == catalogue_.end()) return Lookup(relation);
  // Used once: the next Relation of this table may mean that it was altered, also in what the message does not carry
  // (defaults, NOT NULL), and the catalogue is read anew, as Debezium does (PgOutputMessageDecoder,
  // handleRelationMessage). What is read is the catalogue of now, later than the message: an ALTER that comes further
  // on in the stream is seen by rows before it already. Debezium has the same; columns that the message does not name
  // are not taken from the catalogue.
  const Table table = std::move(known->second);
  catalogue_.erase(known);
  return SetRelation(relation, &table);
}

absl::StatusOr<bool> Intake::Lookup(const decoder::Relation& relation) {
  if (lookup_oid_ != 0) {
    auto table = connector_->TakeTable();
    if (!table) return false;
    const bool wanted = !lookup_stale_ && lookup_oid_ == relation.oid;
    lookup_oid_ = 0;
    lookup_stale_ = false;
    if (wanted && table->ok()) return SetRelation(relation, &**table);
    if (wanted && absl::IsNotFound(table->status())) return SetRelation(relation, nullptr);
    if (wanted) return table->status();
  }
  connector_->StartLookup(relation.oid);
  lookup_oid_ = relation.oid;
  return false;
}

absl::StatusOr<bool> Intake::SetRelation(const decoder::Relation& relation, const Table* catalogue) {
  if (absl::Status status = router_->SetRelation(relation, catalogue); !status.ok()) return status;
  return true;
}

absl::Status Intake::Route(const decoder::Insert& insert, std::string_view table, int64_t now_us) {
  if (absl::Status status = CheckInTransaction("row"); !status.ok()) return status;
  auto routed = router_->Insert(insert, clock_->UnixMillis());
  if (!routed.ok()) return ProtocolBreak(MessageOf(routed.status()));
  routed_ = *std::move(routed);
  if (routed_->kind != router::Routed::Kind::kIgnored) {
    const bool record = routed_->kind == router::Routed::Kind::kRecord;
    const uint32_t series = stats_->meter.Find(table, record ? routed_->record.topic : "");
    const size_t bytes = record ? RecordBytes(routed_->record) : 0;
    stats_->meter.Count(series, Fate::kRead, bytes);
    if (record) stats_->meter.Count(series, Fate::kRouted, bytes);
  }
  if (routed_->kind == router::Routed::Kind::kHeld) {
    row_text_ = router_->RowAsJson(insert);
    routed_->record = Record{.value = row_text_, .timestamp_ms = clock_->UnixMillis(), .id = routed_->record.id};
  }
  if (!routed_->expansion_failed) return absl::OkStatus();
  Bump(stats_->expansions_failed);
  if (now_us - expansion_warned_us_ > kExpansionWarningEveryUs || expansion_warned_us_ == 0) {
    expansion_warned_us_ = now_us;
    LogWarning("expansion_failed", {{"table", std::string(table)}, {"id", std::string(routed_->record.id)}},
               "a payload could not be expanded and went out as text");
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Intake::HandleInsert(const decoder::Insert& insert) {
  const int64_t now_us = clock_->MonotonicMicros();
  const std::string_view table = router_->TableName(insert.relation_oid);
  if (!routed_) {
    if (absl::Status status = Route(insert, table, now_us); !status.ok()) return status;
  }
  const Tracker::RowPlace place{snapshot_ ? Lsn() : commit_lsn_, ordinal_};
  Publisher::Offered offered = Publisher::Offered::kTaken;
  switch (routed_->kind) {
    case router::Routed::Kind::kIgnored:
      Ignore(table);
      break;
    case router::Routed::Kind::kHeld:
      offered = publisher_->OfferUnroutable(routed_->reason, routed_->record, table, place, now_us);
      break;
    case router::Routed::Kind::kRecord:
      offered = publisher_->Offer(routed_->record, table, place, now_us);
      break;
  }
  if (offered == Publisher::Offered::kBlocked) {
    if (publisher_->asks_for_row()) LookForRow(insert, now_us);
    return false;
  }
  routed_.reset();
  ++ordinal_;
  return true;
}

// Whether the payload could still be read from the table. Until that is known the row waits.
void Intake::LookForRow(const decoder::Insert& insert, int64_t now_us) {
  if (look_ != Look::kNone) {
    auto found = connector_->TakeFoundRow();
    if (!found) return;
    const bool wanted = look_ == Look::kAsked;
    look_ = Look::kNone;
    if (wanted) return publisher_->TellRow(routed_->record, found->ok() && **found, now_us);
  }
  connector_->StartFindRow(insert.relation_oid, routed_->record.id);
  look_ = Look::kAsked;
}

absl::Status Intake::HandleUpdate(const decoder::Update& update) {
  Ignore(router_->TableName(update.relation_oid));
  if (!router_->Routes(update.relation_oid)) return absl::OkStatus();
  const std::string table(router_->TableName(update.relation_oid));
  switch (invalid_operation_) {
    case config::InvalidOperation::kWarn:
      LogWarning("update_ignored", {{"table", table}}, "an update of an outbox row is not an event and was ignored");
      return absl::OkStatus();
    case config::InvalidOperation::kError:
      LogError("update_ignored", {{"table", table}}, "an update of an outbox row is not an event and was ignored");
      return absl::OkStatus();
    case config::InvalidOperation::kFatal:
      return MakeFault(
          Fault::kConfiguration,
          absl::StrCat("an update of a row in ", table,
                       " was received and table.op.invalid.behavior=fatal asks to stop: set it to warn or error, or "
                       "keep the application from updating outbox rows"));
  }
  return absl::OkStatus();
}

}  // namespace postrider::relay
