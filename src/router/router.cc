#include "router/router.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "base/java_regex.h"
#include "base/table_filter.h"
#include "base/text.h"
#include "connect/expansion.h"
#include "router/context.h"
#include "router/naming.h"
#include "router/plan.h"
#include "router/row_router.h"
#include "router/topic.h"

namespace postrider::router {
namespace {

struct KnownColumn {
  std::string name;
  decoder::Oid type_oid = 0;
  int32_t type_modifier = -1;
};

// What was announced, to tell whether a relation that comes again is the same.
struct Known {
  std::string schema, name, table;
  std::vector<KnownColumn> columns;
  std::unique_ptr<Plan> plan;  // none: its rows are not routed
};

class RelationRouter final : public Router {
 public:
  RelationRouter(const config::Config& config, TableFilter tables, TableFilter columns,
                 std::optional<JavaRegex> predicate, TopicRoute topics)
      : config_(config),
        tables_(std::move(tables)),
        columns_(std::move(columns)),
        predicate_(std::move(predicate)),
        converters_{.key = connect::Converter(config_.converters.key),
                    .value = connect::Converter(config_.converters.value),
                    .header = connect::Converter(config_.converters.header)},
        rows_(config_.router, converters_, std::move(topics)) {}

  absl::Status UseContextHeaders() {
    absl::StatusOr<std::vector<OwnedHeader>> headers = ContextHeaders(config_, converters_.header);
    if (!headers.ok()) {
      return MakeFault(Fault::kConfiguration, absl::StrCat("header.converter ", headers.status().message(),
                                                           ", and extended.headers.enabled adds texts: leave it out"));
    }
    rows_.set_context(*std::move(headers));
    return absl::OkStatus();
  }

  absl::Status SetRelation(const decoder::Relation& relation, const Table* catalogue) override {
    if (HasRelation(relation)) return absl::OkStatus();
    Known known{.schema = std::string(relation.schema),
                .name = std::string(relation.name),
                .table = absl::StrCat(View(relation.schema), ".", View(relation.name))};
    relation.columns.CopyTo(scratch_);
    for (const decoder::Column& column : scratch_) {
      known.columns.push_back({std::string(column.name), column.type_oid, column.type_modifier});
    }
    if (Wants(relation)) {
      absl::StatusOr<std::unique_ptr<Plan>> plan = CompilePlan({.relation = relation,
                                                                .catalogue = catalogue,
                                                                .config = config_,
                                                                .column_filter = columns_,
                                                                .converters = converters_});
      if (!plan.ok()) return plan.status();
      known.plan = *std::move(plan);
    }
    relations_[relation.oid] = std::move(known);
    return absl::OkStatus();
  }

  bool HasRelation(const decoder::Relation& relation) const override {
    const auto found = relations_.find(relation.oid);
    if (found == relations_.end() || found->second.schema != relation.schema || found->second.name != relation.name) {
      return false;
    }
    relation.columns.CopyTo(scratch_);
    return std::equal(scratch_.begin(), scratch_.end(), found->second.columns.begin(), found->second.columns.end(),
                      [](const decoder::Column& column, const KnownColumn& known) {
                        return column.name == known.name && column.type_oid == known.type_oid &&
                               column.type_modifier == known.type_modifier;
                      });
  }

  bool Wants(const decoder::Relation& relation) const override {
    if (!tables_.Matches(relation.schema, relation.name)) return false;
    if (!predicate_) return true;
    const absl::StatusOr<bool> matches =
        predicate_->Matches(TableTopic(config_.topic_prefix, relation.schema, relation.name));
    return matches.ok() && *matches != config_.router.predicate->negate;
  }

  void Reset() override { relations_.clear(); }

  absl::StatusOr<Routed> Insert(const decoder::Insert& insert, int64_t now_ms) override {
    const auto found = relations_.find(insert.relation_oid);
    if (found == relations_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("a row of relation ", insert.relation_oid, " came before the relation"));
    }
    if (found->second.plan == nullptr) return Routed{};
    return rows_.Route(*found->second.plan, insert.new_row, now_ms);
  }

  bool Routes(decoder::Oid oid) const override {
    const auto found = relations_.find(oid);
    return found != relations_.end() && found->second.plan != nullptr;
  }

  std::string_view TableName(decoder::Oid oid) const override {
    const auto found = relations_.find(oid);
    return found == relations_.end() ? std::string_view() : found->second.table;
  }

 private:
  const config::Config config_;  // plans point into it
  const TableFilter tables_, columns_;
  const std::optional<JavaRegex> predicate_;
  const Converters converters_;
  RowRouter rows_;
  absl::flat_hash_map<decoder::Oid, Known> relations_;
  mutable std::vector<decoder::Column> scratch_;
};

absl::Status AsFault(const absl::Status& status) {
  return MakeFault(Fault::kConfiguration, MessageOf(status));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Router>> Router::Make(const config::Config& config) {
  const config::TableSelection& selection = config.tables;
  absl::StatusOr<TableFilter> tables = TableFilter::Make(selection.table_include_list, selection.table_exclude_list,
                                                         selection.schema_include_list, selection.schema_exclude_list);
  if (!tables.ok()) return AsFault(tables.status());
  // "schema.table.column" is to these lists what "schema.table" is to the others.
  absl::StatusOr<TableFilter> columns =
      TableFilter::Make(selection.column_include_list, selection.column_exclude_list, "", "");
  if (!columns.ok()) return AsFault(columns.status());

  std::optional<JavaRegex> predicate;
  if (config.router.predicate) {
    absl::StatusOr<JavaRegex> compiled = JavaRegex::Compile(config.router.predicate->pattern);
    if (!compiled.ok()) {
      return MakeFault(Fault::kConfiguration, absl::StrCat("the pattern of transforms.", config.router.alias,
                                                           ".predicate is wrong: ", compiled.status().message()));
    }
    predicate = *std::move(compiled);
  }
  absl::StatusOr<TopicRoute> topics = TopicRoute::Make(config.router);
  if (!topics.ok()) return topics.status();

  auto router = std::make_unique<RelationRouter>(config, *std::move(tables), *std::move(columns), std::move(predicate),
                                                 *std::move(topics));
  if (config.extended_headers) {
    const absl::Status status = router->UseContextHeaders();
    if (!status.ok()) return status;
  }
  return router;
}

}  // namespace postrider::router
