// The configuration as the rest of the program sees it: typed, checked, immutable after the start.
//
// Made by config/load.h from Kafka Connect's and Debezium's keys; each member names its key. Plain data: copied freely,
// read from any thread. Defaults here are the ones that hold where a key is absent; the table of keys (config/keys.h)
// is checked against them by a test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/secret.h"

namespace postrider::config {

// ---- the database --------------------------------------------------------------------------------------------------

struct Database {
  std::string hostname;                         // database.hostname; a comma list for several hosts
  std::string port = "5432";                    // database.port; one for all hosts, or a comma list
  std::string user;                             // database.user
  Secret password;                              // database.password; re-read at each connection
  std::string dbname;                           // database.dbname
  std::string sslmode = "prefer";               // database.sslmode
  std::string sslcert, sslkey, sslrootcert;     // database.sslcert, ...; PEM files
  Secret sslpassword;                           // database.sslpassword
  bool tcp_keepalive = true;                    // database.tcpKeepAlive
  std::vector<std::string> initial_statements;  // database.initial.statements; on ordinary connections
  int64_t query_timeout_ms = 600'000;           // database.query.timeout.ms
};

enum class PublicationAutocreate { kDisabled, kAllTables, kFiltered, kNoTables };

struct Publication {
  std::string name = "dbz_publication";  // publication.name
  // Debezium's default is all_tables. Where the key is not written we publish the outbox alone.
  PublicationAutocreate autocreate = PublicationAutocreate::kFiltered;  // publication.autocreate.mode
  bool via_partition_root = false;                                      // publish.via.partition.root
  bool publish_updates = false;  // derived: table.op.invalid.behavior is error or fatal
};

enum class SlotTakeover { kRefuse, kWait };
// When a slot that is missing is made: while nothing shows an earlier start, always, never.
enum class SlotCreate { kFirst, kIfMissing, kNever };

struct Slot {
  std::string name = "debezium";                                   // slot.name
  bool accept_gap = false;                                         // --accept-gap, on the command line alone
  bool drop_on_stop = false;                                       // slot.drop.on.stop
  bool failover = false;                                           // slot.failover
  SlotTakeover takeover = SlotTakeover::kRefuse;                   // postrider.slot.takeover = refuse | wait
  SlotCreate create = SlotCreate::kFirst;                          // postrider.slot.create = first | if-missing | never
  std::vector<std::pair<std::string, std::string>> stream_params;  // slot.stream.params
  int64_t status_interval_ms = 10'000;  // status.update.interval.ms; a third of wal_sender_timeout at the most is used
};

enum class SnapshotMode { kInitial, kInitialOnly, kNoData, kWhenNeeded, kAlways };

struct Snapshot {
  SnapshotMode mode = SnapshotMode::kInitial;  // snapshot.mode; `never` is kNoData
  std::string include_collection_list;         // snapshot.include.collection.list
  // snapshot.select.statement.overrides: "schema.table" -> SELECT
  std::vector<std::pair<std::string, std::string>> select_overrides;
};

// Which tables are captured: comma lists of Java regular expressions, as written (base/table_filter.h compiles them).
struct TableSelection {
  std::string table_include_list, table_exclude_list;
  std::string schema_include_list, schema_exclude_list;
  std::string column_include_list, column_exclude_list;
};

// ---- routing -------------------------------------------------------------------------------------------------------

enum class InvalidOperation { kWarn, kError, kFatal };
enum class FieldPlacement { kHeader, kEnvelope, kPartition };

struct AdditionalField {
  std::string column;
  FieldPlacement placement = FieldPlacement::kHeader;
  std::string alias;  // the column's name where none was given
};

// A predicate of Kafka Connect as one transform uses it: predicates.<alias>.*, transforms.<alias>.negate
struct Predicate {
  enum class Kind { kTopicNameMatches, kHasHeaderKey, kRecordIsTombstone };
  Kind kind = Kind::kTopicNameMatches;
  std::string pattern;  // kTopicNameMatches: a Java regular expression, matched against the whole topic
  std::string header;   // kHasHeaderKey: name
  bool negate = false;
};

// A transform beside the EventRouter: transforms.<alias>.*
struct Transform {
  enum class Kind { kRegexRouter, kInsertHeader, kDropHeaders, kFilter };
  Kind kind = Kind::kFilter;
  std::string alias;
  std::optional<Predicate> predicate;  // without one it acts on every record
  std::string regex, replacement;      // kRegexRouter
  std::string header, literal;         // kInsertHeader: header, value.literal
  std::string literal_origin;          // where value.literal is written, for messages
  std::vector<std::string> headers;    // kDropHeaders
};

// transforms.<alias>.* of the transform whose type is the EventRouter.
struct Router {
  std::string alias;                                       // for messages: transforms.<alias>.
  std::string event_id = "id";                             // table.field.event.id
  std::string event_key = "aggregateid";                   // table.field.event.key
  std::string event_payload = "payload";                   // table.field.event.payload
  std::optional<std::string> event_timestamp;              // table.field.event.timestamp
  std::optional<std::string> event_schema_version;         // table.field.event.schema.version
  std::vector<AdditionalField> additional_fields;          // table.fields.additional.placement
  bool additional_missing_is_error = true;                 // table.field.additional.missing and its older name
  std::string route_by_field = "aggregatetype";            // route.by.field
  std::string route_topic_regex = "(?<routedByValue>.*)";  // route.topic.regex
  std::string route_topic_replacement = "outbox.event.${routedByValue}";  // route.topic.replacement
  bool tombstone_on_empty_payload = false;                                // route.tombstone.on.empty.payload
  bool expand_json_payload = false;                                       // table.expand.json.payload
  bool expand_null_as_optional_bytes = false;                             // table.json.payload.null.behavior
  InvalidOperation invalid_operation = InvalidOperation::kWarn;           // table.op.invalid.behavior
  bool skip_updates = false;  // skipped.operations holds u: updates are dropped before invalid_operation counts
  std::optional<std::string> tracing_context_field;  // tracing.span.context.field, with tracing_headers
  bool tracing_headers = false;  // postrider.tracing.headers: that column's traceparent and tracestate become headers
  std::optional<Predicate> predicate;     // transforms.<alias>.predicate / .negate
  std::vector<Transform> before, behind;  // the other transforms, in the order of `transforms`
};

enum class DecimalMode { kPrecise, kString, kDouble };
enum class TimePrecision { kAdaptive, kAdaptiveTimeMicroseconds, kConnect, kIsoString, kMicroseconds, kNanoseconds };
enum class BinaryMode { kBytes, kBase64, kBase64UrlSafe, kHex };
enum class IntervalMode { kNumeric, kString };
enum class HstoreMode { kJson, kMap };

// The connector's keys that decide how a column becomes a Kafka Connect value.
struct Types {
  DecimalMode decimal = DecimalMode::kPrecise;     // decimal.handling.mode
  TimePrecision time = TimePrecision::kAdaptive;   // time.precision.mode
  BinaryMode binary = BinaryMode::kBytes;          // binary.handling.mode
  IntervalMode interval = IntervalMode::kNumeric;  // interval.handling.mode
  HstoreMode hstore = HstoreMode::kJson;           // hstore.handling.mode
  int money_fraction_digits = 2;                   // money.fraction.digits
  bool include_unknown_datatypes = false;          // include.unknown.datatypes
};

enum class ConverterKind {
  kString,         // org.apache.kafka.connect.storage.StringConverter
  kJson,           // org.apache.kafka.connect.json.JsonConverter
  kByteArray,      // org.apache.kafka.connect.converters.ByteArrayConverter
  kBinaryData,     // io.debezium.converters.BinaryDataConverter
  kOnlyByteArray,  // io.debezium.converters.ByteArrayConverter: hands a bytea's ByteBuffer to its delegate
  kSimpleHeader,   // org.apache.kafka.connect.storage.SimpleHeaderConverter
  kBoolean,
  kShort,
  kInteger,
  kLong,
  kFloat,
  kDouble,  // org.apache.kafka.connect.converters.*Converter
};

struct Converter {
  ConverterKind kind = ConverterKind::kString;
  bool schemas_enable = true;             // <converter>.schemas.enable (Json)
  bool decimal_numeric = false;           // <converter>.decimal.format = NUMERIC (Json; default BASE64)
  bool replace_null_with_default = true;  // <converter>.replace.null.with.default (Json)
  std::optional<ConverterKind> delegate;  // <converter>.delegate.converter.type (BinaryData)
  bool delegate_schemas_enable = true;    // <converter>.delegate.converter.type.schemas.enable
};

struct Converters {
  Converter key{.kind = ConverterKind::kString};
  Converter value{.kind = ConverterKind::kString};
  Converter header{.kind = ConverterKind::kSimpleHeader};
};

// ---- Kafka ---------------------------------------------------------------------------------------------------------

// topic.creation.<group>.*, in the order in which groups are tried; the group `default` is last and matches all.
struct TopicGroup {
  std::string name;
  std::string include, exclude;  // comma lists of Java regular expressions on the topic's name
  int partitions = -1;           // -1: the broker's default
  int replication_factor = -1;
  std::vector<std::pair<std::string, std::string>> properties;  // other keys: topic settings such as cleanup.policy
};

struct Producer {
  // Already translated to librdkafka's names, in the order to set them. Secrets stay Secrets.
  std::vector<std::pair<std::string, Secret>> properties;
  // Java stores that librdkafka cannot read by itself (PKCS12): kafka/ converts them.
  std::optional<std::pair<std::string, Secret>> truststore_pkcs12, keystore_pkcs12;  // path, password
  int64_t max_request_size_bytes = 1'048'576;                                        // max.request.size
  bool topic_creation_enable = true;                                                 // topic.creation.enable
  std::vector<TopicGroup> topic_groups;  // empty: the broker's own auto-creation
  bool ignore_keys = false;              // partitioner.ignore.keys
};

// ---- heartbeats ----------------------------------------------------------------------------------------------------

struct Heartbeat {
  int64_t interval_ms = 0;   // heartbeat.interval.ms; 0: off, the query too
  std::string action_query;  // heartbeat.action.query; empty: none
  std::string topic;         // topic.heartbeat.name, or <topic.heartbeat.prefix>.<topic.prefix>
};

// ---- our own -------------------------------------------------------------------------------------------------------

// What becomes of an event that cannot be published for a reason of its own (never one of its topic or the broker):
// held until it can, parked in the dead-letter topic, or skipped.
enum class PoisonPolicy { kHold, kPark, kSkip };

// errors.tolerance, errors.deadletterqueue.*, postrider.poison.*
struct Poison {
  PoisonPolicy policy = PoisonPolicy::kHold;  // postrider.poison.policy; else park with a dead-letter topic, skip with
                                              // errors.tolerance=all, hold
  int attempts = 3;                           // postrider.poison.attempts; before an event is parked
  std::string dead_letter_topic;              // errors.deadletterqueue.topic.name; empty: none
  int dead_letter_replication_factor = 3;     // errors.deadletterqueue.topic.replication.factor
  bool context_headers = true;                // errors.deadletterqueue.context.headers.enable
  bool park_same_key = false;                 // postrider.poison.park.same.key: later events of a parked key follow it
};

struct Relay {
  int64_t inflight_bytes_max = 16 * 1024 * 1024;  // postrider.inflight.bytes
  int64_t drain_timeout_ms = 7'000;               // postrider.drain.timeout.ms: SIGTERM to exit stays below 8 s
  int64_t server_stop_drain_ms = 10'000;  // postrider.server.stop.drain.ms: a server that stops waits this long for us
  Poison poison;
};

// Where the evidence record is kept (evidence/store.h).
struct Evidence {
  std::string file;       // postrider.state.file, or where a default folder is
  std::string topic;      // postrider.state.topic: a compacted topic instead of the file
  bool required = false;  // a key was written: then a record that cannot be kept ends the start
};

// The Unix socket on which `postrider held`, `pause` and `resume` reach the running relay.
struct Control {
  std::string socket;     // postrider.control.socket, or beside the evidence file
  bool required = false;  // the key was written
};

// The watcher of the slot, and HTTP.
struct Monitor {
  std::string http_address = "127.0.0.1:9465";  // postrider.http.address; empty: no HTTP
  bool http_required = false;    // the key was written: then an address that cannot be bound ends the start
  int64_t wal_budget_bytes = 0;  // postrider.wal.budget.bytes: where the server sets no limit; 0: none
};

struct Logging {
  std::string level = "info";   // postrider.log.level = debug | info | warn | error
  std::string format = "text";  // postrider.log.format = text | json
};

struct Config {
  std::string name;  // name
  std::string
      topic_prefix;  // topic.prefix; where absent: the slot's name (no effect on records but envelope schema names)
  bool extended_headers = false;  // extended.headers.enabled, only where written as true
  Database database;
  Publication publication;
  Slot slot;
  Snapshot snapshot;
  TableSelection tables;
  Router router;
  Types types;
  Converters converters;
  Producer producer;
  Heartbeat heartbeat;
  Relay relay;
  Evidence evidence;
  Control control;
  Monitor monitor;
  Logging logging;
};

}  // namespace postrider::config
