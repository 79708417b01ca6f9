#include "postgres/setup.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/text.h"
#include "postgres/checks.h"
#include "postgres/connection.h"
#include "postgres/publication.h"
#include "postgres/quote.h"
#include "postgres/slot.h"

namespace postrider::postgres {
namespace {

using Kind = SetupStep::Kind;

SetupStep Step(Kind kind, std::string_view text, std::string_view command = "", Fault fault = Fault::kPassing) {
  return {.kind = kind, .text = std::string(text), .command = std::string(command), .fault = fault};
}

SetupStep ToDo(const Finding& finding) {
  return Step(Kind::kToDo, finding.text, finding.remedy, finding.fault);
}

SetupStep Failed(const absl::Status& status, std::string_view command = "") {
  const Fault fault = FaultOf(status) == Fault::kPassing ? Fault::kDatabaseRefuses : FaultOf(status);
  return Step(Kind::kToDo, MessageOf(status), command, fault);
}

const Finding* FirstFailure(const Findings& findings) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [](const Finding& finding) { return finding.result == Finding::Result::kFail; });
  return found == findings.end() ? nullptr : &*found;
}

class Setup {
 public:
  Setup(const SetupInput& input, const absl::StatusOr<std::optional<evidence::Record>>& record,
        const std::string& place, bool print, const Wakeup* stop)
      : config_(input.config),
        filter_(input.filter),
        facts_(input.facts),
        record_(record),
        place_(place),
        print_(print),
        stop_(stop) {}

  SetupSteps Run() && {
    if (!facts_.login.ok()) {
      steps_.push_back(ToDo(CheckConnections(config_, facts_).front()));
      return std::move(steps_);
    }
    NameSettings();
    const bool published = MakePublicationThere();
    NameGrants();
    MakeSlotThere(published);
    return std::move(steps_);
  }

 private:
  // What only the server's administrator can change.
  void NameSettings() {
    for (const Finding& finding : CheckSettings(facts_)) {
      if (finding.result != Finding::Result::kPass && !finding.remedy.empty()) steps_.push_back(ToDo(finding));
    }
  }

  // True where the publication is as it has to be, or would be after the statements that are printed.
  bool MakePublicationThere() {
    const std::string name = absl::StrCat("publication ", QuoteIdentifier(config_.publication.name));
    if (!facts_.tables.publication) return CreatePublication(name);
    const Findings findings = CheckPublication(config_, filter_, facts_);
    if (const Finding* failure = FirstFailure(findings)) {
      steps_.push_back(ToDo(*failure));
      return print_;
    }
    steps_.push_back(Step(Kind::kThere, findings.front().text));
    for (const Finding& finding : CheckTableKinds(config_, filter_, facts_)) {
      if (finding.name == "table_unpublished") AddTables(finding);
    }
    return true;
  }

  // Whoever runs `setup` wants it made, whatever publication.autocreate.mode allows to `run`.
  bool CreatePublication(const std::string& name) {
    config::Config config = config_;
    if (config.publication.autocreate == config::PublicationAutocreate::kDisabled)
      config.publication.autocreate = config::PublicationAutocreate::kFiltered;
    const absl::StatusOr<std::string> sql = CreatePublicationSql(config, filter_, facts_.tables.tables);
    if (!sql.ok()) {
      steps_.push_back(Failed(sql.status(), CheckPublication(config, filter_, facts_).front().remedy));
      return false;
    }
    if (print_) {
      const Fault fault = CheckPublication(config_, filter_, facts_).front().fault;
      steps_.push_back(
          Step(Kind::kToDo, absl::StrCat(name, " is missing; an owner of the table makes it"), *sql, fault));
      return true;
    }
    const absl::Status made = OnQuery([&](Connection& query) {
      return MakePublication(query, config, filter_, facts_.tables, facts_.server.in_recovery, /*may_create=*/true);
    });
    steps_.push_back(made.ok() ? Step(Kind::kMade, name, *sql) : Failed(made, *sql));
    return made.ok();
  }

  void AddTables(const Finding& unpublished) {
    if (print_) return steps_.push_back(ToDo(unpublished));
    const absl::Status added = OnQuery([&](Connection& query) {
      return query.Execute(unpublished.remedy, {.doing = "adding tables to the publication"}).status();
    });
    steps_.push_back(
        added.ok() ? Step(Kind::kMade, "tables were added; rows from before are not published", unpublished.remedy)
                   : Failed(added, unpublished.remedy));
  }

  // Nobody can grant to himself: they are printed for who may.
  void NameGrants() {
    if (!facts_.replication_login.ok()) steps_.push_back(ToDo(CheckConnections(config_, facts_).back()));
    const Findings findings = CheckRights(config_, facts_);
    for (const Finding& finding : findings)
      if (finding.result != Finding::Result::kPass) steps_.push_back(ToDo(finding));
    if (findings.front().result == Finding::Result::kPass) steps_.push_back(Step(Kind::kThere, findings.front().text));
  }

  void MakeSlotThere(bool published) {
    const std::string name = absl::StrCat("replication slot ", QuoteIdentifier(config_.slot.name));
    if (facts_.server.slot) {
      const Finding slot = CheckOwnSlot(config_, facts_).front();
      const bool fails = slot.result == Finding::Result::kFail;
      return steps_.push_back(fails ? ToDo(slot) : Step(Kind::kThere, slot.text));
    }
    const Findings evidence = CheckEvidence(config_, facts_, record_, place_);
    if (const Finding* failure = FirstFailure(evidence)) return steps_.push_back(ToDo(*failure));
    if (!published)
      return steps_.push_back(Step(Kind::kNote, absl::StrCat(name, " is not made: the publication has to come first")));
    if (const std::string why = WhyLeft(); !why.empty())
      return steps_.push_back(Step(Kind::kNote, absl::StrCat(name, " is left to the first start: ", why)));
    if (print_) {
      return steps_.push_back(Step(Kind::kToDo,
                                   absl::StrCat(name,
                                                " is missing; the first start would make it too, and takes over "
                                                "one that is there where it stands, without a snapshot"),
                                   MakeSlotSql(config_, facts_)));
    }
    steps_.push_back(CreateSlot(name));
  }

  // Why a slot that is made now would lose something; empty where it would not.
  std::string WhyLeft() const {
    if (!BeginsWithSnapshot(config_, facts_)) return "";
    for (const TableAccess& table : facts_.access) {
      const std::string named = absl::StrCat(table.schema, ".", table.name);
      if (!table.has_rows)
        return absl::StrCat("it publishes the rows of ", named, " first, and whether there are any cannot be seen");
      if (*table.has_rows) return absl::StrCat("table ", named, " has rows, which that start publishes first");
    }
    return "";
  }

  SetupStep CreateSlot(const std::string& name) {
    absl::StatusOr<Connection> replication = Connection::Open(config_, ConnectionKind::kReplication, stop_);
    if (!replication.ok()) return Failed(replication.status());
    absl::StatusOr<Connection> query = Connection::Open(config_, ConnectionKind::kQuery, stop_);
    if (!query.ok()) return Failed(query.status());
    const absl::StatusOr<MadeSlot> made =
        MakeSlot(*replication, *query, config_.slot.name, SlotPurpose::kStream, config_.slot.failover);
    if (!made.ok()) return Failed(made.status());
    // A row that was committed after the first look and before the slot's position would be in neither.
    absl::StatusOr<bool> empty = BeginsWithSnapshot(config_, facts_) ? TablesAreEmpty(*query) : true;
    if (empty.ok() && *empty) {
      return Step(Kind::kMade, absl::StrCat(name, " at ", made->consistent_point.ToString(),
                                            ": the first start takes it over there, without a snapshot, so that what "
                                            "is written from now on is published"));
    }
    const absl::Status dropped = DropSlot(*query, config_.slot.name);
    if (!dropped.ok())
      return Failed(dropped, absl::StrCat("SELECT pg_drop_replication_slot(", QuoteLiteral(config_.slot.name), ")"));
    return Step(Kind::kNote, absl::StrCat(name,
                                          " is left to the first start: rows were written while it was being "
                                          "made, which that start publishes first"));
  }

  absl::StatusOr<bool> TablesAreEmpty(Connection& query) const {
    for (const TableAccess& table : facts_.access) {
      const absl::StatusOr<bool> any = HasRows(query, table, /*timeout_ms=*/0);
      if (!any.ok()) return any.status();
      if (*any) return false;
    }
    return true;
  }

  template <typename Work>
  absl::Status OnQuery(Work work) const {
    absl::StatusOr<Connection> query = Connection::Open(config_, ConnectionKind::kQuery, stop_);
    return query.ok() ? work(*query) : query.status();
  }

  const config::Config& config_;
  const TableFilter& filter_;
  const DatabaseFacts& facts_;
  const absl::StatusOr<std::optional<evidence::Record>>& record_;
  const std::string& place_;
  const bool print_;
  const Wakeup* const stop_;
  SetupSteps steps_;
};

}  // namespace

SetupSteps SetUpDatabase(const SetupInput& input, const absl::StatusOr<std::optional<evidence::Record>>& record,
                         const std::string& place, bool print, const Wakeup* stop) {
  return Setup(input, record, place, print, stop).Run();
}

}  // namespace postrider::postgres
