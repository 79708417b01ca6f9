#include "router/plan.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/fault.h"
#include "base/text.h"
#include "connect/pg_type.h"
#include "router/event_time.h"
#include "router/naming.h"

namespace postrider::router {
namespace {

using config::FieldPlacement;
using connect::Type;

constexpr size_t kListedColumnsMax = 40;
constexpr char kPayloadField[] = "payload";  // whatever the column is called

bool IsPlainInt32(const connect::Schema& schema) {
  return schema.type == Type::kInt32 && schema.logical == connect::Logical::kNone;
}

class Compiler {
 public:
  Compiler(const PlanInput& input, Plan& plan) : input_(input), options_(input.config.router), plan_(plan) {
    input.relation.columns.CopyTo(columns_);
  }

  absl::Status Compile() {
    plan_.table = absl::StrCat(View(input_.relation.schema), ".", View(input_.relation.name));
    plan_.column_count = columns_.size();
    for (const auto step : {&Compiler::CompileColumns, &Compiler::CompileTyped, &Compiler::CompileAdditional,
                            &Compiler::CompileConverters}) {
      absl::Status status = (this->*step)();
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  std::string Key(std::string_view option) const {
    return absl::StrCat("transforms.", options_.alias, ".", View(option));
  }

  absl::Status Contradiction(const Slot& slot, std::string_view option, std::string_view what) const {
    return MakeFault(Fault::kConfiguration, absl::StrCat("column \"", slot.column, "\" of ", plan_.table, ", which ",
                                                         Key(option), " names, ", View(what)));
  }

  absl::Status Missing(std::string_view column, std::string_view option, std::string_view advice = "") const {
    std::vector<std::string> names;
    for (const decoder::Column& candidate : columns_) {
      if (names.size() == kListedColumnsMax) {
        names.emplace_back("...");
        break;
      }
      names.emplace_back(candidate.name);
    }
    return MakeFault(Fault::kConfiguration, absl::StrCat("table ", plan_.table, " has no column \"", View(column),
                                                         "\" that could be published, which ", Key(option),
                                                         " names; it has: ", absl::StrJoin(names, ", "), View(advice)));
  }

  // What the catalogue or the relation itself says of the column's type. A type that neither knows is read as text.
  TypeInfo TypeOf(const decoder::Column& column, const TableColumn* known) const {
    if (std::optional<TypeInfo> built_in = connect::pg::BuiltIn(column.type_oid, column.type_modifier))
      return *built_in;
    if (known != nullptr) return known->type;
    return *connect::pg::BuiltIn(connect::pg::kText, -1);
  }

  // nullopt where the column is not in Debezium's events: not there, filtered, or of a type that it leaves out.
  std::optional<Slot> Find(std::string_view name) {
    const auto found = std::find_if(columns_.begin(), columns_.end(),
                                    [&](const decoder::Column& column) { return column.name == name; });
    if (found == columns_.end()) return std::nullopt;
    const std::string qualified = absl::StrCat(View(input_.relation.name), ".", View(name));
    if (!input_.column_filter.Matches(input_.relation.schema, qualified)) return std::nullopt;

    const TableColumn* const known = input_.catalogue == nullptr ? nullptr : input_.catalogue->FindColumn(name);
    const TypeInfo type = TypeOf(*found, known);
    connect::ColumnFacts facts{.type = type};
    if (known != nullptr) {
      facts.optional = !known->not_null;
      facts.is_domain = type.oid != found->type_oid;
      if (known->default_expression) facts.default_expression = *known->default_expression;
    }
    std::optional<connect::ColumnType> compiled = connect::CompileColumnType(facts, input_.config.types, plan_.arena);
    if (!compiled) return std::nullopt;
    return Slot{.index = static_cast<size_t>(found - columns_.begin()), .column = std::string(name), .type = *compiled};
  }

  absl::Status Require(std::string_view column, std::string_view option, Slot& slot) {
    std::optional<Slot> found = Find(column);
    if (!found) return Missing(column, option);
    slot = *std::move(found);
    return absl::OkStatus();
  }

  // In Debezium's order: the first that is missing is named.
  absl::Status CompileColumns() {
    const std::pair<std::pair<const std::string*, const char*>, Slot*> columns[] = {
        {{&options_.event_payload, "table.field.event.payload"}, &plan_.payload},
        {{&options_.event_id, "table.field.event.id"}, &plan_.id},
        {{&options_.event_key, "table.field.event.key"}, &plan_.key},
        {{&options_.route_by_field, "route.by.field"}, &plan_.route},
    };
    for (const auto& [name, slot] : columns) {
      absl::Status status = Require(*name.first, name.second, *slot);
      if (!status.ok()) return status;
    }
    if (plan_.route.type.schema->type != Type::kString) {
      return Contradiction(plan_.route, "route.by.field", "must be of a text type: it names the topic");
    }
    plan_.expand = options_.expand_json_payload && plan_.payload.type.schema->type == Type::kString;
    return absl::OkStatus();
  }

  // Columns that must be of one type.
  absl::Status CompileTyped() {
    if (options_.event_timestamp) {
      absl::Status status = Require(*options_.event_timestamp, "table.field.event.timestamp", plan_.time.emplace());
      if (!status.ok()) return status;
      if (!CanBeEventTime(plan_.time->type.oid)) {
        return Contradiction(*plan_.time, "table.field.event.timestamp",
                             "must be a timestamp, a timestamptz, or a bigint of milliseconds since 1970");
      }
    }
    if (options_.tracing_headers && options_.tracing_context_field) {
      plan_.trace = Find(*options_.tracing_context_field);
      if (plan_.trace && plan_.trace->type.schema->type != Type::kString) plan_.trace.reset();
    }
    plan_.envelope =
        std::any_of(options_.additional_fields.begin(), options_.additional_fields.end(),
                    [](const config::AdditionalField& field) { return field.placement == FieldPlacement::kEnvelope; });
    if (!plan_.envelope || !options_.event_schema_version) return absl::OkStatus();
    const char* const option = "table.field.event.schema.version";
    absl::Status status = Require(*options_.event_schema_version, option, plan_.version.emplace());
    if (!status.ok()) return status;
    return IsPlainInt32(*plan_.version->type.schema) ? absl::OkStatus()
                                                     : Contradiction(*plan_.version, option, "must be an integer");
  }

  absl::Status CompileAdditional() {
    const char* const option = "table.fields.additional.placement";
    AddEnvelopeField(kPayloadField, plan_.payload);
    plan_.envelope_payload = plan_.envelope_fields.front().schema;
    for (const config::AdditionalField& field : options_.additional_fields) {
      std::optional<Slot> slot = Find(field.column);
      if (!slot) {
        if (!options_.additional_missing_is_error) continue;
        return Missing(field.column, option,
                       absl::StrCat("; ", Key("table.field.additional.missing"), "=ignore goes without it"));
      }
      switch (field.placement) {
        case FieldPlacement::kHeader:
          headers_.emplace_back(field.alias, *std::move(slot));
          break;
        case FieldPlacement::kPartition:
          if (!IsPlainInt32(*slot->type.schema))
            return Contradiction(*slot, option, "must be an integer to be the partition");
          plan_.partition = std::move(slot);
          break;
        case FieldPlacement::kEnvelope:
          if (HasEnvelopeField(field.alias)) {
            return Contradiction(*slot, option,
                                 absl::StrCat("is to be \"", field.alias, "\" in the value, which is there already"));
          }
          AddEnvelopeField(field.alias, *slot);
          plan_.envelope_slots.push_back(*std::move(slot));
          break;
      }
    }
    return absl::OkStatus();
  }

  bool HasEnvelopeField(std::string_view name) const {
    return std::any_of(plan_.envelope_fields.begin(), plan_.envelope_fields.end(),
                       [&](const connect::Field& field) { return field.name == name; });
  }
  void AddEnvelopeField(std::string_view name, const Slot& slot) {
    const connect::Converter& converter = input_.converters.value;
    const connect::Schema* const schema =
        converter.writes_json_schemas() ? connect::WithJson(*slot.type.schema, converter.json_options(), plan_.arena)
                                        : slot.type.schema;
    plan_.envelope_fields.push_back({.name = plan_.arena.Copy(name), .schema = schema});
  }

  absl::Status Bind(const connect::Converter& converter, const char* key, const Slot& slot,
                    std::optional<connect::BoundConverter>& bound) {
    absl::Status status = Accept(converter, key, slot, *slot.type.schema);
    if (status.ok()) bound.emplace(&converter, slot.type.schema);
    return status;
  }
  absl::Status Accept(const connect::Converter& converter, const char* key, const Slot& slot,
                      const connect::Schema& schema) const {
    absl::Status status = converter.Accepts(schema);
    if (status.ok()) return status;
    return MakeFault(Fault::kConfiguration, absl::StrCat(key, " ", status.message(), ", and column \"", slot.column,
                                                         "\" of ", plan_.table, " is none"));
  }

  absl::Status CompileConverters() {
    headers_.emplace(headers_.begin(), "id", plan_.id);
    for (auto& [key, slot] : headers_) {
      std::optional<connect::BoundConverter> bound;
      absl::Status status = Bind(input_.converters.header, "header.converter", slot, bound);
      if (!status.ok()) return status;
      plan_.headers.push_back({.key = key, .slot = slot, .converter = *std::move(bound)});
    }
    absl::Status key = Bind(input_.converters.key, "key.converter", plan_.key, plan_.key_converter);
    if (!key.ok()) return key;
    if (!plan_.envelope)
      return Bind(input_.converters.value, "value.converter", plan_.payload, plan_.payload_converter);

    const std::string topic = TableTopic(input_.config.topic_prefix, input_.relation.schema, input_.relation.name);
    plan_.envelope_name_start = topic + ".";
    plan_.envelope_name_end = ".Value";
    return Accept(input_.converters.value, "value.converter", plan_.payload, connect::Schema{.type = Type::kStruct});
  }

  const PlanInput& input_;
  const config::Router& options_;
  Plan& plan_;
  std::vector<decoder::Column> columns_;
  std::vector<std::pair<std::string, Slot>> headers_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Plan>> CompilePlan(const PlanInput& input) {
  auto plan = std::make_unique<Plan>();
  const absl::Status status = Compiler(input, *plan).Compile();
  if (!status.ok()) return status;
  return plan;
}

}  // namespace postrider::router
