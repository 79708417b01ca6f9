// A router for the rows of wal_bytes.h: the columns are id, topic, key, payload. For tests only.
//
// Strict where the real one is: a row of a relation that was not announced on this connection is a protocol break, and
// a record's views live until the next row. Topics "ignored" and "unroutable" give rows that are no event, and rows
// that cannot be routed.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/fault.h"
#include "router/router.h"

namespace postrider::relay {

class FakeRouter final : public router::Router {
 public:
  absl::Status SetRelation(const decoder::Relation& relation, const Table* catalogue) override {
    if (!set_relation_fault.ok()) return set_relation_fault;
    const bool known =
        catalogue != nullptr && catalogue->columns.size() == 4 && catalogue->columns[3].default_expression;
    plans_[relation.oid] = {.name = std::string(relation.name),
                            .columns = relation.columns.size(),
                            .wanted = Wants(relation),
                            .version = known ? *catalogue->columns[3].default_expression : std::string()};
    ++plans_compiled;
    return absl::OkStatus();
  }
  bool Wants(const decoder::Relation& relation) const override { return relation.name.starts_with("outbox"); }
  void Reset() override { plans_.clear(); }

  absl::StatusOr<router::Routed> Insert(const decoder::Insert& insert, int64_t now_ms) override {
    const auto plan = plans_.find(insert.relation_oid);
    if (plan == plans_.end()) return absl::InvalidArgumentError("a row of a relation that was not announced");
    if (plan->second.columns != insert.new_row.size()) return absl::InvalidArgumentError("a row of another width");
    if (!plan->second.wanted) return router::Routed{};
    // New memory for each row: a view of an earlier one is then a use after free.
    fields_ = std::make_unique<Fields>();
    insert.new_row.CopyTo(values_);
    for (size_t column = 0; column < 4; ++column) (*fields_)[column] = std::string(values_[column].bytes);
    const auto& [id, topic, key, payload] = *fields_;
    version_ = plan->second.version;
    header_ = {.key = "catalogue", .value = version_};
    router::Routed routed{
        .kind = router::Routed::Kind::kRecord,
        .record = {
            .topic = topic, .key = key, .value = payload, .headers = {&header_, 1}, .timestamp_ms = now_ms, .id = id}};
    if (topic == "ignored") routed.kind = router::Routed::Kind::kIgnored;
    if (topic == "unroutable") {
      routed.kind = router::Routed::Kind::kHeld;
      routed.reason = "the column topic has no route";
    }
    return routed;
  }
  std::string RowAsJson(const decoder::Insert&) const override { return "{\"row\":\"as text\"}"; }
  bool Routes(decoder::Oid oid) const override {
    const auto plan = plans_.find(oid);
    return plan != plans_.end() && plan->second.wanted;
  }
  std::string_view TableName(decoder::Oid oid) const override {
    const auto plan = plans_.find(oid);
    return plan == plans_.end() ? std::string_view() : std::string_view(plan->second.name);
  }

  absl::Status set_relation_fault;
  int plans_compiled = 0;

 private:
  struct Plan {
    std::string name;
    size_t columns = 0;
    bool wanted = false;
    std::string version;  // of the catalogue that it was compiled with
  };
  using Fields = std::array<std::string, 4>;

  std::map<decoder::Oid, Plan> plans_;
  std::unique_ptr<Fields> fields_;
  std::string version_;
  Header header_;
  std::vector<decoder::Value> values_;
};

}  // namespace postrider::relay
