#include "router/router.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "base/table_filter.h"
#include "base/text.h"
#include "config/selection.h"
#include "connect/buffer.h"
#include "connect/expansion.h"
#include "connect/json_text.h"
#include "router/chain.h"
#include "router/context.h"
#include "router/naming.h"
#include "router/plan.h"
#include "router/predicate.h"
#include "router/row_router.h"
#include "router/topic.h"

namespace postrider::router {
namespace {

struct Known {
  std::string table;  // "schema.table"
  std::vector<std::string> columns;
  std::unique_ptr<Plan> plan;  // none: its rows are not routed
};

absl::Status AsFault(const absl::Status& status) {
  return MakeFault(Fault::kConfiguration, MessageOf(status));
}

// What the configuration's expressions and literals were made into.
struct Parts {
  TableFilter tables, columns;
  TopicRoute topics;
  Chain before, behind;
  std::optional<Predicate> predicate;
  std::vector<OwnedHeader> context;
};

class RelationRouter final : public Router {
 public:
  RelationRouter(const config::Config& config, Parts parts)
      : config_(config),
        tables_(std::move(parts.tables)),
        columns_(std::move(parts.columns)),
        before_(std::move(parts.before)),
        predicate_(std::move(parts.predicate)),
        context_(std::move(parts.context)),
        converters_{.key = connect::Converter(config_.converters.key),
                    .value = connect::Converter(config_.converters.value),
                    .header = connect::Converter(config_.converters.header)},
        rows_(config_.router, converters_, std::move(parts.topics), std::move(parts.behind)) {}

  absl::Status SetRelation(const decoder::Relation& relation, const Table* catalogue) override {
    Known known{.table = absl::StrCat(View(relation.schema), ".", View(relation.name)), .plan = nullptr};
    absl::StatusOr<Admitted> admitted = Admit(relation);
    if (!admitted.ok()) return AsFault(admitted.status());
    if (*admitted) {
      absl::StatusOr<std::unique_ptr<Plan>> plan = CompilePlan({.relation = relation,
                                                                .catalogue = catalogue,
                                                                .config = config_,
                                                                .column_filter = columns_,
                                                                .converters = converters_});
      if (!plan.ok()) return plan.status();
      known.plan = *std::move(plan);
      known.plan->first_headers = **std::move(admitted);
    }
    std::vector<decoder::Column> columns;
    relation.columns.CopyTo(columns);
    for (const decoder::Column& column : columns) known.columns.emplace_back(column.name);
    relations_[relation.oid] = std::move(known);
    return absl::OkStatus();
  }

  bool Wants(const decoder::Relation& relation) const override {
    const absl::StatusOr<Admitted> admitted = Admit(relation);
    return !admitted.ok() || admitted->has_value();  // an error is SetRelation's to tell
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

  std::string RowAsJson(const decoder::Insert& insert) const override {
    const auto found = relations_.find(insert.relation_oid);
    if (found == relations_.end()) return "";
    std::vector<decoder::Value> values;
    insert.new_row.CopyTo(values);
    connect::Buffer json;
    char before = '{';
    for (size_t i = 0; i < std::min(values.size(), found->second.columns.size()); ++i) {
      json.push_back(std::exchange(before, ','));
      connect::AppendJsonString(found->second.columns[i], json);
      json.push_back(':');
      if (values[i].kind == decoder::ValueKind::kText) {
        connect::AppendJsonString(values[i].bytes, json);
      } else {
        json.append("null");
      }
    }
    json.push_back('}');
    return std::string(json.view());
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
  // The headers of a table's change events as they come to the EventRouter; nullopt for a table whose events do not.
  using Admitted = std::optional<std::vector<OwnedHeader>>;

  // A change event's topic, its headers and that it has a value depend on the table alone: what stands before the
  // EventRouter, and its predicate, say the same of every row.
  absl::StatusOr<Admitted> Admit(const decoder::Relation& relation) const {
    if (!tables_.Matches(relation.schema, relation.name)) return std::nullopt;
    const std::string topic = TableTopic(config_.topic_prefix, relation.schema, relation.name);
    std::vector<Header> context;
    for (const OwnedHeader& header : context_) context.push_back(ViewOf(header));
    Record event{.topic = topic, .key = std::nullopt, .value = std::nullopt, .headers = context};
    const absl::StatusOr<bool> kept = before_.Apply(event, /*value_is_null=*/false);
    if (!kept.ok()) return kept.status();
    if (!*kept) return std::nullopt;
    if (predicate_) {
      const absl::StatusOr<bool> routed = predicate_->Test(event, /*value_is_null=*/false);
      if (!routed.ok()) return routed.status();
      if (!*routed) return std::nullopt;
    }
    std::vector<OwnedHeader> headers;
    for (const Header& header : event.headers) headers.push_back(Owned(header));
    return headers;
  }

  const config::Config config_;  // plans point into it
  const TableFilter tables_, columns_;
  mutable Chain before_;
  mutable std::optional<Predicate> predicate_;
  const std::vector<OwnedHeader> context_;
  const Converters converters_;
  RowRouter rows_;
  absl::flat_hash_map<decoder::Oid, Known> relations_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Router>> Router::Make(const config::Config& config) {
  absl::StatusOr<TableFilter> tables = config::TablesOf(config.tables);
  if (!tables.ok()) return tables.status();
  absl::StatusOr<TableFilter> columns = config::ColumnsOf(config.tables);
  if (!columns.ok()) return columns.status();

  const config::Router& options = config.router;
  absl::StatusOr<TopicRoute> topics = TopicRoute::OfRouter(options);
  if (!topics.ok()) return topics.status();
  const connect::Converter header_converter(config.converters.header);
  absl::StatusOr<Chain> before = Chain::Make(options.before, header_converter);
  if (!before.ok()) return before.status();
  absl::StatusOr<Chain> behind = Chain::Make(options.behind, header_converter);
  if (!behind.ok()) return behind.status();

  Parts parts{.tables = *std::move(tables),
              .columns = *std::move(columns),
              .topics = *std::move(topics),
              .before = *std::move(before),
              .behind = *std::move(behind)};
  if (options.predicate) {
    absl::StatusOr<Predicate> predicate =
        Predicate::Make(*options.predicate, absl::StrCat("transforms.", options.alias, ".predicate"));
    if (!predicate.ok()) return predicate.status();
    parts.predicate = *std::move(predicate);
  }
  if (config.extended_headers) {
    absl::StatusOr<std::vector<OwnedHeader>> context = ContextHeaders(config, header_converter);
    if (!context.ok()) {
      return MakeFault(Fault::kConfiguration, absl::StrCat("header.converter ", context.status().message(),
                                                           ", and extended.headers.enabled adds texts: leave it out"));
    }
    parts.context = *std::move(context);
  }
  return std::make_unique<RelationRouter>(config, std::move(parts));
}

}  // namespace postrider::router
