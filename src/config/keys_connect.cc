// Rows of the key table: Kafka Connect's own keys, a connector's and a worker's, and those of converters, transforms
// and predicates. Tested by tests/unit/config/keys_test.cc.
#include "config/key_table.h"

namespace postrider::config {
namespace {

constexpr std::string_view kNoPlugins = "nothing is loaded as a plugin";
constexpr std::string_view kTheSlot = "the slot is the only offset";
constexpr std::string_view kTheWorker = "of Connect's worker; there is none here";

void AddConnector(TableWriter& t) {
  t.Add(Text("name", "", "in messages"))
      .Add(Text("key.converter", "org.apache.kafka.connect.storage.StringConverter",
                "Connect has no default: where none is written anywhere, text, with a warning"))
      .Add(Text("value.converter", "", "required: the connector's or the worker's, as in Connect"))
      .Add(Text("header.converter", "org.apache.kafka.connect.storage.SimpleHeaderConverter", ""))
      .Add(List("transforms", "", "exactly one EventRouter, and any of Kafka's that are listed under Classes"))
      .Add(List("predicates", "", ""))
      .Add(Choice(
          "errors.tolerance", {"none", "all"}, "none",
          "none: an event that cannot be published is held, not the task failed; all: it is skipped and counted"))
      .Add(Flag("topic.creation.enable", "true", ""))
      .Add(List("topic.creation.groups", "", ""))
      .Add(Choice("exactly.once.support", {"requested"}, "requested", "records are delivered at least once")
               .Not("required", "Postrider delivers at least once: consumers tell repeats by the id header"))
      .Meaningless("one process streams one slot", {"tasks.max", "tasks.max.enforce"})
      .Meaningless("passing faults are tried again for ever, with backoff",
                   {"errors.retry.timeout", "errors.retry.delay.max.ms"})
      .Meaningless("every failure is logged, payloads never", {"errors.log.enable", "errors.log.include.messages"})
      .Add(Text("errors.deadletterqueue.topic.name", "",
                "Connect has it for sinks alone: here the topic in which an event is parked that cannot be published"))
      .Add(Number("errors.deadletterqueue.topic.replication.factor", -1, 32767, "3", "where the topic has to be made"))
      .Add(Flag("errors.deadletterqueue.context.headers.enable", "true",
                "Connect's default is false: the __connect.errors.* headers of a parked event"))
      .Meaningless("secrets are read anew at each connection", {"config.action.reload"})
      .Meaningless(kNoPlugins, {"connector.plugin.version"})
      .Meaningless("nothing is written in transactions", {"transaction.boundary", "transaction.boundary.interval.ms"})
      .Meaningless(kTheSlot, {"offsets.storage.topic"});
}

void AddWorker(TableWriter& t) {
  t.Add(List("config.providers", "", "where it is absent, env, file and directory are known"))
      .Add(Choice("exactly.once.source.support", {"disabled", "preparing", "enabled"}, "disabled",
                  "records are delivered at least once")
               .Loud())
      .Add(Text("offset.storage.file.filename", "",
                "the slot is the only offset; the evidence record is kept beside this file (postrider.state.file)")
               .Meaningless())
      .Meaningless(kTheSlot,
                   {"offset.storage.*", "offset.flush.interval.ms", "offset.flush.timeout.ms", "offset.commit.policy"})
      .Meaningless(kTheWorker, {"group.id",
                                "config.storage.*",
                                "status.storage.*",
                                "plugin.path",
                                "plugin.discovery",
                                "client.id",
                                "client.dns.lookup",
                                "connect.protocol",
                                "connector.client.config.override.policy",
                                "internal.key.converter",
                                "internal.value.converter",
                                "internal.key.converter.*",
                                "internal.value.converter.*",
                                "inter.worker.*",
                                "rebalance.timeout.ms",
                                "scheduled.rebalance.max.delay.ms",
                                "session.timeout.ms",
                                "worker.sync.timeout.ms",
                                "worker.unsync.backoff.ms",
                                "metadata.recovery.*",
                                "task.shutdown.graceful.timeout.ms",
                                "topic.tracking.*",
                                "request.timeout.ms",
                                "retry.backoff.ms",
                                "reconnect.backoff.ms",
                                "reconnect.backoff.max.ms",
                                "connections.max.idle.ms",
                                "metadata.max.age.ms"})
      .Meaningless("there is no REST interface",
                   {"listeners", "rest.*", "admin.listeners", "admin.listeners.*", "access.control.*",
                    "response.http.headers.config", "rest.extension.classes"})
      .Meaningless("Postrider has metrics of its own",
                   {"metric.reporters", "metrics.num.samples", "metrics.recording.level", "metrics.sample.window.ms"})
      .Meaningless("only a producer is used", {"consumer.*", "admin.*"})
      .Meaningless("of Debezium's engine",
                   {"record.processing.*", "errors.retry.delay.initial.ms", "debezium.embedded.*"});
}

void AddTransforms(std::vector<KeySpec>& table) {
  TableWriter transform(table, Section::kConnect, Scope::kTransform);
  transform.Add(Text("type", "", "the class"))
      .Add(Text("predicate", "",
                "on the EventRouter: the rows of tables that it leaves out are ignored, with a warning, where Debezium "
                "publishes them as change events"))
      .Add(Flag("negate", "false", "with a predicate only"))
      .Meaningless(kNoPlugins, {"plugin.version"});
  TableWriter(table, Section::kConnect, Scope::kRegexRouter)
      .Add(Regex("regex", "", "RegexRouter: must match the whole topic"))
      .Add(Raw("replacement", "", "RegexRouter: of the first find, in Java's syntax"));
  TableWriter(table, Section::kConnect, Scope::kInsertHeader)
      .Add(Raw("header", "", "InsertHeader: the header's name"))
      .Add(Raw("value.literal", "",
               "InsertHeader: as Connect's Values.parseString reads it, written by header.converter"));
  TableWriter(table, Section::kConnect, Scope::kDropHeaders).Add(List("headers", "", "DropHeaders: names with commas"));
  TableWriter predicate(table, Section::kConnect, Scope::kPredicate);
  predicate.Add(Text("type", "", "the class")).Meaningless(kNoPlugins, {"plugin.version"});
  TableWriter(table, Section::kConnect, Scope::kTopicNameMatches)
      .Add(Regex("pattern", "",
                 "TopicNameMatches: against the whole topic; before the EventRouter, and on it, that is "
                 "<topic.prefix>.<schema>.<table>"));
  TableWriter(table, Section::kConnect, Scope::kHasHeaderKey).Add(Raw("name", "", "HasHeaderKey: the header"));
  TableWriter group(table, Section::kConnect, Scope::kTopicCreation);
  group.Add(RegexList("include", "topics of the group"))
      .Add(RegexList("exclude", ""))
      .Add(Number("partitions", -1, kIntMax, "-1", "-1: the broker's default; required for the group default"))
      .Add(Number("replication.factor", -1, 32767, "-1", "-1: the broker's default; required for the group default"))
      .Add(Text("*", "", "settings of the topic, as Kafka names them"));
  TableWriter provider(table, Section::kConnect, Scope::kConfigProvider);
  provider.Add(Text("class", "", "FileConfigProvider, DirectoryConfigProvider, EnvVarConfigProvider"))
      .Meaningless("who writes the configuration chooses what it reads", {"param.*"});
}

}  // namespace

void AddConnectKeys(std::vector<KeySpec>& table) {
  TableWriter top(table, Section::kConnect, Scope::kTop);
  AddConnector(top);
  AddWorker(top);
  AddTransforms(table);
  TableWriter converter(table, Section::kConverters, Scope::kConverter);
  converter.Add(Flag("schemas.enable", "true", "JsonConverter"))
      .Add(Choice("decimal.format", {"BASE64", "NUMERIC"}, "BASE64", "JsonConverter"))
      .Add(Flag("replace.null.with.default", "true", "JsonConverter"))
      .Add(Text("delegate.converter.type", "", "BinaryDataConverter: what converts everything but bytes"))
      .Add(Flag("delegate.converter.type.schemas.enable", "true", "BinaryDataConverter with JsonConverter"))
      .Add(Choice("converter.encoding", {"UTF8", "UTF-8"}, "UTF8", "StringConverter; no other encoding"))
      .Refused("a schema from the configuration is not written", {"schema.content"})
      .Meaningless("schemas are written once per table", {"schemas.cache.size"})
      .Meaningless("Connect sets it itself", {"converter.type"})
      .Meaningless(kNoPlugins, {"plugin.version"});
}

}  // namespace postrider::config
