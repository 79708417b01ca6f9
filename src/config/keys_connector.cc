// Rows of the key table: Debezium's PostgreSQL connector, from the database to the choice of tables. Tested by
// tests/unit/config/keys_test.cc.
#include "config/key_table.h"

namespace postrider::config {
namespace {

void AddDatabase(TableWriter& t) {
  t.Add(Text("database.hostname", "", "required; a comma list names several hosts"))
      .Add(Text("database.port", "5432", "one for all hosts, or a comma list"))
      .Add(Text("database.user", "", "required; needs REPLICATION"))
      .Add(Raw("database.password", "", "read anew at each connection; see postrider.database.password.file").Secret())
      .Add(Text("database.dbname", "", "required"))
      .Add(Choice("database.sslmode", {"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}, "prefer",
                  "libpq's modes, which are the same"))
      .Add(Text("database.sslcert", "", "a PEM file"))
      .Add(Text("database.sslkey", "", "a PEM or DER file, for its owner only"))
      .Add(Raw("database.sslpassword", "", "read anew at each connection").Secret())
      .Add(Text("database.sslrootcert", "", "a PEM file"))
      .Add(Flag("database.tcpKeepAlive", "true", ""))
      .Add(Raw("database.initial.statements", "",
               "run on every connection but the replicating one; `;` separates, `;;` is a semicolon"))
      .Add(Number("database.query.timeout.ms", 0, kIntMax, "600000", "0: no limit"))
      .Add(Text("database.sslfactory", "", "a Java class; libpq's TLS is used").Loud())
      .Meaningless("pgjdbc's; libpq is used here", {"driver.*"})
      .Meaningless("connections are checked by being used", {"connection.validation.timeout.ms"});
}

void AddSlot(TableWriter& t) {
  t.Add(Choice("plugin.name", {"pgoutput"}, "pgoutput",
               "Debezium's default is decoderbufs: where the key is absent, pgoutput")
            .Not("decoderbufs", "Postrider reads pgoutput, which every PostgreSQL has"))
      .Add(Text("slot.name", "debezium", "a-z, 0-9 and _, 63 at the most"))
      .Add(Flag("slot.drop.on.stop", "false", "on an orderly stop only"))
      .Add(Flag("slot.failover", "false", "from PostgreSQL 17"))
      .Add(Text("slot.stream.params", "",
                "`name=value` with `;`; those that the protocol depends on are left out, with a warning"))
      .Add(Text("publication.name", "dbz_publication", ""))
      .Add(Choice(
          "publication.autocreate.mode", {"disabled", "all_tables", "filtered", "no_tables"}, "filtered",
          "Debezium's default is all_tables: where the key is absent, the outbox alone is published. An existing "
          "publication is never altered"))
      .Add(Flag("publish.via.partition.root", "false", "when the publication is made"))
      .Add(Number("status.update.interval.ms", 1, kIntMax, "10000", "a third of wal_sender_timeout at the most"))
      .Add(Choice("lsn.flush.mode", {"connector", "connector_and_driver"}, "connector",
                  "both: what is acknowledged is confirmed, and so is what holds no event. With connector_and_driver "
                  "heartbeat.interval.ms is 600000 where it is 0, as in Debezium")
               .Not("manual", "Postrider moves the slot itself; nobody else may"))
      .Add(Choice("flush.lsn.source", {"true"}, "true", "the older name of lsn.flush.mode")
               .Not("false", "Postrider moves the slot itself; nobody else may"))
      .Meaningless("the slot is the only offset: there is nothing to compare it with",
                   {"offset.mismatch.strategy", "internal.slot.seek.to.known.offset.on.start",
                    "internal.log.position.check.enable"})
      .Meaningless(
          "Postrider tries again for ever, with backoff",
          {"slot.max.retries", "slot.retry.delay.ms", "errors.max.retries", "retriable.restart.connector.wait.ms"})
      .Meaningless("confirming never waits and so never times out",
                   {"lsn.flush.timeout.ms", "lsn.flush.timeout.action"})
      .Meaningless("limits of Debezium's own working",
                   {"internal.create.slot.command.timeout", "xmin.fetch.interval.ms", "executor.shutdown.timeout.ms",
                    "streaming.delay.ms"})
      .Meaningless("inserts need no replica identity", {"replica.identity.autoset.values"});
}

void AddTables(TableWriter& t) {
  t.Add(RegexList("table.include.list", "against the whole of schema.table, any case"))
      .Add(RegexList("table.exclude.list", "not together with table.include.list"))
      .Add(RegexList("schema.include.list", ""))
      .Add(RegexList("schema.exclude.list", "not together with schema.include.list"))
      .Add(RegexList("column.include.list", "against the whole of schema.table.column, any case"))
      .Add(RegexList("column.exclude.list", "not together with column.include.list"))
      .Add(List("skipped.operations", "t",
                "of c, u, d, t or none; only u makes a difference: updates are dropped without a word. "
                "c is refused"))
      .Meaningless("system schemas are never captured", {"table.ignore.builtin"})
      .Meaningless("only inserted rows count", {"tombstones.on.delete", "skip.messages.without.change"})
      .Meaningless("the router chooses the key", {"message.key.columns"})
      .Meaningless("logical messages are not published", {"message.prefix.include.list", "message.prefix.exclude.list"})
      .Meaningless("a relay has no such limit", {"guardrail.collections.max", "guardrail.collections.limit.action"})
      .Meaningless("of other connectors", {"database.include.list", "database.exclude.list", "include.schema.changes",
                                           "schema.history.internal.*", "database.history.*"});
}

void AddSnapshot(TableWriter& t) {
  t.Add(Choice("snapshot.mode", {"initial", "initial_only", "no_data", "never", "when_needed", "always"}, "initial",
               "never is no_data's older name; with a slot that exists already there is no snapshot")
            .Not("configuration_based", "choose one of the modes that it is made of")
            .Not("custom", "Java classes cannot be loaded"))
      .Add(RegexList("snapshot.include.collection.list", ""))
      .Add(List("snapshot.select.statement.overrides", "", "schema.table with commas, each with its statement"))
      .Add(Raw("snapshot.select.statement.overrides.*", "", "the SELECT for one table"))
      .Add(Choice("snapshot.query.mode", {"select_all"}, "select_all", "")
               .Not("custom", "Java classes cannot be loaded"))
      .Meaningless("the snapshot meets the stream exactly, in one repeatable read transaction without locks",
                   {"snapshot.isolation.mode", "snapshot.locking.mode", "snapshot.locking.mode.custom.name",
                    "snapshot.lock.timeout.ms", "internal.snapshot.scan.all.columns.force"})
      .Meaningless("rows are read with COPY as fast as Kafka takes them",
                   {"snapshot.fetch.size", "query.fetch.size", "snapshot.delay.ms", "snapshot.max.threads",
                    "snapshot.max.threads.multiplier", "legacy.snapshot.max.threads",
                    "internal.legacy.snapshot.max.threads", "snapshot.tables.order.by.row.count"})
      .Meaningless(
          "belongs to a snapshot mode that is not offered",
          {"snapshot.mode.custom.name", "snapshot.query.mode.custom.name", "snapshot.mode.configuration.based.*"})
      .Meaningless("there are no incremental snapshots", {"incremental.snapshot.*", "read.only"});
}

}  // namespace

void AddConnectorKeys(std::vector<KeySpec>& table) {
  TableWriter writer(table, Section::kConnector, Scope::kTop);
  writer.Add(Text("connector.class", "io.debezium.connector.postgresql.PostgresConnector", "no other"))
      .Add(Text("topic.prefix", "", "required by Debezium; where it is absent, the slot's name"));
  AddDatabase(writer);
  AddSlot(writer);
  AddTables(writer);
  AddSnapshot(writer);
}

}  // namespace postrider::config
