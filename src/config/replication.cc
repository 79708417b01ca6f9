#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "config/parts.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr size_t kNameBytesMax = 63;  // NAMEDATALEN - 1

bool IsSlotName(std::string_view name) {
  const auto allowed = [](char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_'; };
  return !name.empty() && name.size() <= kNameBytesMax && std::all_of(name.begin(), name.end(), allowed);
}

// Options of START_REPLICATION that decide what the decoder gets, and so are ours.
bool IsOwnStreamOption(std::string_view name) {
  constexpr std::string_view kOwn[] = {"proto_version", "publication_names", "messages",
                                       "binary",        "streaming",         "two_phase"};
  return std::find(std::begin(kOwn), std::end(kOwn), name) != std::end(kOwn);
}

std::vector<std::pair<std::string, std::string>> StreamParams(Draft& draft) {
  std::vector<std::pair<std::string, std::string>> params;
  const std::string text = draft.Text("slot.stream.params");
  for (const std::string_view piece : Split(text, ';')) {
    const std::string_view part = Trim(piece);
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    const std::string_view name = Trim(part.substr(0, equals));
    if (equals == std::string_view::npos || name.empty()) {
      draft.WarnOf("slot.stream.params",
                   Cat("leaves out ", draft.Quoted("slot.stream.params", part), ": it is not name=value"));
    } else if (IsOwnStreamOption(name)) {
      draft.WarnOf("slot.stream.params", Cat("leaves out ", name, ": Postrider sets it itself"));
    } else {
      params.emplace_back(name, Trim(part.substr(equals + 1)));
    }
  }
  return params;
}

void RefuseBoth(Draft& draft, std::string_view include, std::string_view exclude) {
  if (draft.Has(include) && draft.Has(exclude))
    draft.RefuseKey(exclude, Cat("stands beside ", include, ": only one of them may be given"));
}

}  // namespace

void MakeSlot(Draft& draft, Slot& slot) {
  slot.name = draft.Text("slot.name");
  if (!IsSlotName(slot.name)) {
    draft.Refuse("slot.name", "allowed are a-z, 0-9 and _, 1 to 63 of them");
    slot.name = draft.Text("slot.name");
  }
  slot.drop_on_stop = draft.Flag("slot.drop.on.stop");
  slot.failover = draft.Flag("slot.failover");
  slot.takeover = draft.Choice<SlotTakeover>("postrider.slot.takeover",
                                             {{"refuse", SlotTakeover::kRefuse}, {"wait", SlotTakeover::kWait}});
  slot.create = draft.Choice<SlotCreate>(
      "postrider.slot.create",
      {{"first", SlotCreate::kFirst}, {"if-missing", SlotCreate::kIfMissing}, {"never", SlotCreate::kNever}});
  slot.stream_params = StreamParams(draft);
  slot.status_interval_ms = draft.Number("status.update.interval.ms");
}

void MakePublication(Draft& draft, const Router& router, Publication& publication) {
  publication.name = draft.Text("publication.name");
  if (publication.name.empty() || publication.name.size() > kNameBytesMax)
    draft.Refuse("publication.name", "allowed is a name of 1 to 63 bytes");
  publication.autocreate = draft.Choice<PublicationAutocreate>("publication.autocreate.mode",
                                                               {{"disabled", PublicationAutocreate::kDisabled},
                                                                {"all_tables", PublicationAutocreate::kAllTables},
                                                                {"filtered", PublicationAutocreate::kFiltered},
                                                                {"no_tables", PublicationAutocreate::kNoTables}});
  publication.via_partition_root = draft.Flag("publish.via.partition.root");
  publication.publish_updates = router.invalid_operation != InvalidOperation::kWarn && !router.skip_updates;
}

void MakeSnapshot(Draft& draft, Snapshot& snapshot) {
  snapshot.mode = draft.Choice<SnapshotMode>("snapshot.mode", {{"initial", SnapshotMode::kInitial},
                                                               {"initial_only", SnapshotMode::kInitialOnly},
                                                               {"no_data", SnapshotMode::kNoData},
                                                               {"never", SnapshotMode::kNoData},
                                                               {"when_needed", SnapshotMode::kWhenNeeded},
                                                               {"always", SnapshotMode::kAlways}});
  snapshot.include_collection_list = draft.Text("snapshot.include.collection.list");
  for (const std::string& table : draft.List("snapshot.select.statement.overrides")) {
    const std::string key = Cat("snapshot.select.statement.overrides.", table);
    std::string statement = draft.Text(key);
    if (statement.empty()) {
      draft.RefuseKey("snapshot.select.statement.overrides", Cat("names ", table, ", but ", key, " has no statement"));
      return;
    }
    snapshot.select_overrides.emplace_back(table, std::move(statement));
  }
}

void MakeTables(Draft& draft, TableSelection& tables) {
  RefuseBoth(draft, "table.include.list", "table.exclude.list");
  RefuseBoth(draft, "schema.include.list", "schema.exclude.list");
  RefuseBoth(draft, "column.include.list", "column.exclude.list");
  tables.table_include_list = draft.Text("table.include.list");
  tables.table_exclude_list = draft.Text("table.exclude.list");
  tables.schema_include_list = draft.Text("schema.include.list");
  tables.schema_exclude_list = draft.Text("schema.exclude.list");
  tables.column_include_list = draft.Text("column.include.list");
  tables.column_exclude_list = draft.Text("column.exclude.list");
}

}  // namespace postrider::config
