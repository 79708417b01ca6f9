// Heartbeats: at each interval of streaming a record for whoever watches its topic, and heartbeat.action.query.
//
// The record is Debezium's (io.debezium.heartbeat.HeartbeatImpl, SchemaFactory): topic <prefix>.<topic.prefix>,
// partition 0, key {serverName}, value {ts_ms}, through the key's and the value's converter, without headers; Connect
// leaves the timestamp to the producer's clock. The router lets it pass as it is, the transforms beside the router do
// not (router/bypass.h): a Filter may drop it. A converter that does not take a struct, or transforms that make no
// topic of its topic, leave heartbeats out, with one warning; in Debezium they end the task.
//
// Time: the first one comes an interval after the start, or at once behind a snapshot; then one an interval, measured
// from the last. Only while the state is streaming: a relay that stands by, snapshots, holds a record or waits for
// acknowledgements is silent, and its silence is what watchers look for. A record that has to wait (the budget is full,
// its topic is looked up, the last one is still in flight) goes as soon as it can, with the time at which it goes. None
// is ever made up for.
//
// What Kafka makes of the record never touches rows and the confirmed position, see relay/side_record.h. The query runs
// on a connection and thread of its own (postgres/connector.h), one at a time; what it fails with is a warning.
//
// Belongs to the loop's thread; nothing blocks. The parts outlive it. Tested by tests/unit/relay/heartbeat_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "config/config.h"
#include "connect/converter.h"
#include "postgres/connector.h"
#include "relay/publisher.h"
#include "router/bypass.h"

namespace postrider::relay {

class Heartbeat {
 public:
  // Of a configuration that Router::Make takes.
  Heartbeat(const config::Config& config, const Clock* clock, postgres::Connector* connector, Publisher* publisher);

  // The first interval begins.
  void Start(int64_t now_us);
  // Every row of a snapshot is acknowledged: one is due when the stream begins.
  void SnapshotEnded() { next_us_ = 0; }

  void Step(int64_t now_us, bool streaming);
  // When Step has something to do; far away while nothing is streamed.
  int64_t next_deadline_us(int64_t now_us) const;

 private:
  void CheckConverters();
  void LeaveOut(std::string_view why);
  void StartAction();
  void OfferRecord(int64_t now_us);

  const config::Heartbeat config_;
  const std::string server_name_;
  const std::string slot_;
  const Clock* const clock_;
  postgres::Connector* const connector_;
  Publisher* const publisher_;
  const connect::Converter key_converter_, value_converter_;
  connect::BoundConverter key_, value_;
  router::Bypass bypass_;

  bool writable_ = true;  // converters and transforms take it
  bool streaming_ = false;
  int64_t next_us_ = 0;
  bool record_due_ = false;
  bool action_runs_ = false;
};

}  // namespace postrider::relay
