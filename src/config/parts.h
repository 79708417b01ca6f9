// The parts of a Config, each made from its keys. All read through the Draft, refuse what contradicts itself, and go
// on.
#pragma once

#include "config/config.h"
#include "config/draft.h"

namespace postrider::config {

// name, connector.class, topic.prefix; last, since it looks at slot and router. Tested by
// tests/unit/config/load_test.cc.
void MakeIdentity(Draft& draft, Config& config);
// database.* and postrider.database.*. Tested by tests/unit/config/database_test.cc.
void MakeDatabase(Draft& draft, Database& database);
// slot.*, publication.*, snapshot.*, lists of tables. Tested by tests/unit/config/replication_test.cc.
void MakeSlot(Draft& draft, Slot& slot);
void MakePublication(Draft& draft, const Router& router, Publication& publication);
void MakeSnapshot(Draft& draft, Snapshot& snapshot);
void MakeTables(Draft& draft, TableSelection& tables);
// The list `transforms`: the EventRouter's alias and predicate, and the transforms on both its sides. Tested by
// tests/unit/config/transforms_test.cc.
void MakeTransforms(Draft& draft, Router& router);
// The EventRouter's keys (after MakeTransforms, which it calls), skipped.operations. Tested by
// tests/unit/config/router_options_test.cc.
void MakeRouter(Draft& draft, Router& router);
// heartbeat.* and topic.heartbeat.*; after MakeIdentity. Tested by tests/unit/config/heartbeat_test.cc.
void MakeHeartbeat(Draft& draft, Config& config);
// The handling modes of column types. Tested by tests/unit/config/load_test.cc.
void MakeTypes(Draft& draft, Types& types);
// key.converter.*, value.converter.*, header.converter.*. Tested by tests/unit/config/converters_test.cc.
void MakeConverters(Draft& draft, Converters& converters);
// topic.creation.*, and the dead-letter topic; after MakeRelay. Tested by tests/unit/config/topic_groups_test.cc.
void MakeTopics(Draft& draft, const Poison& poison, Producer& producer);
// postrider.*, errors.tolerance, errors.deadletterqueue.*. Tested by tests/unit/config/load_test.cc.
void MakeRelay(Draft& draft, Relay& relay, Logging& logging);
// postrider.state.file, postrider.state.topic. Tested by tests/unit/config/evidence_test.cc.
void MakeEvidence(Draft& draft, const Slot& slot, Evidence& evidence);
// postrider.http.address, postrider.wal.budget.bytes; and postrider.control.socket, after MakeEvidence. Tested by
// tests/unit/config/operation_test.cc.
void MakeMonitor(Draft& draft, Monitor& monitor);
void MakeControl(Draft& draft, const Evidence& evidence, Control& control);

}  // namespace postrider::config
