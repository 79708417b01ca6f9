// Rows of the key table: Postrider's own keys, and what Debezium Server has beside the connector's. Tested by
// tests/unit/config/keys_test.cc.
#include "config/key_table.h"

namespace postrider::config {

void AddOwnKeys(std::vector<KeySpec>& table) {
  TableWriter own(table, Section::kOwn, Scope::kTop);
  own.Add(Text("postrider.database.password.file", "",
               "a file that holds the password alone, read anew at each connection; before database.password"))
      .Add(Text("postrider.database.password.command", "",
                "a command whose output is the password, run by /bin/sh at each connection, for tokens of minutes; "
                "within "
                "10 s; before postrider.database.password.file and database.password")
               .Secret())
      .Add(Choice("postrider.slot.takeover", {"refuse", "wait"}, "refuse",
                  "what to do while another program holds the slot"))
      .Add(Choice(
          "postrider.slot.create", {"first", "if-missing", "never"}, "first",
          "when a slot that is missing is made: while no evidence record shows an earlier start, always, or never"))
      .Add(
          Text("postrider.state.file", "",
               "the evidence record, which tells a first start from a lost slot; default: postrider-<slot>.json beside "
               "offset.storage.file.filename, else /var/lib/postrider/<slot>.json, where that folder exists"))
      .Add(Text("postrider.state.topic", "",
                "a compacted topic that holds the evidence record instead of a file, for relays on several hosts"))
      .Add(
          Text("postrider.control.socket", "",
               "the Unix socket of postrider held, pause and resume; default: beside the evidence file, with .sock for "
               ".json"))
      .Add(Text("postrider.http.address", "127.0.0.1:9465",
                "host:port of metrics, health and status page, GET only; `off`: none"))
      .Add(Number("postrider.wal.budget.bytes", 0, kLongMax, "0",
                  "how much WAL the slot may retain where max_slot_wal_keep_size sets no limit; 0: not known"))
      .Add(Choice("postrider.poison.policy", {"hold", "park", "skip"}, "",
                  "what becomes of an event that cannot be published for a reason of its own; default: park where "
                  "errors.deadletterqueue.topic.name is set, else skip with errors.tolerance=all, else hold"))
      .Add(Number("postrider.poison.attempts", 1, 1'000'000, "3",
                  "how often such an event is tried before it is parked"))
      .Add(Flag(
          "postrider.poison.park.same.key", "false",
          "true: later events of a key that was parked are parked too, until the relay is told to release the key"))
      .Add(Number("postrider.inflight.bytes", 64 * 1024, 64LL * 1024 * 1024 * 1024, "16777216",
                  "what may be on its way to Kafka at once"))
      .Add(Number("postrider.drain.timeout.ms", 0, 3'600'000, "7000", "how long SIGTERM waits for acknowledgements"))
      .Add(Number("postrider.server.stop.drain.ms", 0, 3'600'000, "10000",
                  "how long a PostgreSQL that stops is kept waiting"))
      .Add(Flag("postrider.producer.as.configured", "false",
                "true: acks, enable.idempotence, retries, delivery.timeout.ms and max.in.flight are obeyed, and events "
                "may be lost"))
      .Add(Flag("postrider.tracing.headers", "false",
                "true: what the column of tracing.span.context.field holds travels on as traceparent and tracestate"))
      .Add(Choice("postrider.log.level", {"debug", "info", "warn", "error"}, "info", ""))
      .Add(Choice("postrider.log.format", {"text", "json"}, "text", ""))
      .Add(Raw("librdkafka.*", "", "handed to librdkafka as it is, after all others"));

  TableWriter server(table, Section::kServer, Scope::kTop);
  server.Add(Choice("debezium.sink.type", {"kafka"}, "kafka", "no other sink"))
      .Meaningless("of Debezium Server's own working", {"debezium.sink.kafka.*", "debezium.engine.*", "debezium.api.*",
                                                        "debezium.termination.*", "debezium.sink.batch.*"})
      .Meaningless("of Quarkus", {"quarkus.*"});
}

}  // namespace postrider::config
