#include "cli/help.h"

#include <sstream>

#include "kafka/version.h"

namespace postrider::cli {
namespace {

constexpr std::string_view kOptions =
    "Options:\n"
    "  --set KEY=VALUE   one more key, stronger than files and environment; may be repeated\n"
    "  --help            this text\n"
    "\n"
    "FILE is a Java .properties file or the JSON of Kafka Connect's REST interface, as it runs on Debezium today; "
    "\"-\" is standard\n"
    "input. Later files win; POSTRIDER_* variables (POSTRIDER_DATABASE_HOSTNAME for database.hostname) win over "
    "files.\n";

}  // namespace

const std::vector<Command>& Commands() {
  static const std::vector<Command> commands = {
      {"run",
       "carry the outbox from PostgreSQL to Kafka",
       "postrider run [--set KEY=VALUE] [--accept-gap] FILE...",
       "Streams the outbox table's inserts from the replication slot, routes them as Debezium's Outbox Event Router "
       "does, and\n"
       "confirms a position only when Kafka has acknowledged everything before it. Runs until SIGTERM or SIGINT, which "
       "drain and\n"
       "confirm within 8 s; a second one leaves at once. Log on standard output.\n"
       "\n"
       "--accept-gap goes on, this once, where the evidence record shows that the slot is gone or was read on by "
       "another\n"
       "program; what lies between is not published.\n"
       "\n"
       "Example:\n"
       "  postrider run worker.properties connector.json --set slot.name=outbox\n"
       "\n"
       "Exit codes: 0 stopped, everything received is confirmed; 1 internal error; 2 configuration, or the table "
       "contradicts it;\n"
       "3 the database refuses (login, rights, wal_level); 4 slot lost or of another plugin or database; 5 publication "
       "missing or\n"
       "without the table; 6 another cluster; 7 Kafka refuses (login, TLS, rights); 8 stopped before everything was "
       "confirmed (it\n"
       "will be sent again); 9 the slot is held by another program. A restart does not help with 2, 4, 5, 6 and 9.\n",
       {"--accept-gap"}},
      {"config",
       "show what each key became",
       "postrider config [--set KEY=VALUE] FILE...",
       "Prints every key with its value (secrets as ***), where it came from, whether it is honoured, meaningless here "
       "or refused,\n"
       "and the librdkafka property behind it. Connects to nothing.\n"
       "\n"
       "Example:\n"
       "  postrider config worker.properties connector.json\n"
       "\n"
       "Exit codes: 0 `run` would accept it; 2 it would not, and the last line says why.\n",
       {}},
      {"handback",
       "print what Debezium needs to go on from the slot",
       "postrider handback [--set KEY=VALUE] FILE...",
       "With the relay stopped, prints on standard output the body for Kafka Connect's PATCH /connectors/NAME/offsets, "
       "made from the\n"
       "slot's confirmed position, and on standard error the commands to use it. Changes nothing in the database; the "
       "evidence record\n"
       "is marked, so that a later `run` takes a slot that Debezium has moved on.\n"
       "\n"
       "Example:\n"
       "  postrider handback worker.properties connector.json > offsets.json\n"
       "\n"
       "Exit codes: 0 done; 2 configuration, or the evidence record cannot be marked; 3 the database refuses, or is "
       "away; 4 the slot is\n"
       "missing, lost, or of another plugin or database; 9 the slot is being read: stop that program first.\n",
       {}},
      {"version",
       "print the versions",
       "postrider version",
       "Prints the versions of Postrider and librdkafka.\n"
       "\n"
       "Example:\n"
       "  postrider version\n",
       {},
       false},
  };
  return commands;
}

const Command* FindCommand(std::string_view name) {
  for (const Command& command : Commands())
    if (command.name == name) return &command;
  return nullptr;
}

std::string HelpText() {
  std::ostringstream out;
  out << "Postrider carries the transactional outbox from PostgreSQL to Kafka.\n\nUsage: postrider COMMAND [options] "
         "FILE...\n\nCommands:\n";
  for (const Command& command : Commands())
    out << "  " << command.name << std::string(10 - command.name.size(), ' ') << command.summary << "\n";
  out << "\n"
      << kOptions << "\nExample:\n  postrider run worker.properties connector.properties\n\n"
      << "postrider COMMAND --help says more of each.\n";
  return out.str();
}

std::string HelpText(const Command& command) {
  std::ostringstream out;
  out << "Usage: " << command.usage << "\n\n" << command.text;
  if (command.name != "version") out << "\n" << kOptions;
  return out.str();
}

std::string HandbackAdvice(const Handback& handback) {
  const std::string name = handback.connector.empty() ? "NAME" : handback.connector;
  std::ostringstream out;
  out << "Replication slot " << handback.slot << " stands at " << handback.lsn << ". With that body in offsets.json:\n"
      << "  curl -X PUT CONNECT/connectors/" << name << "/stop\n"
      << "  curl -X PATCH -H 'Content-Type: application/json' --data @offsets.json CONNECT/connectors/" << name
      << "/offsets\n"
      << "  curl -X PUT CONNECT/connectors/" << name << "/resume\n"
      << "Or, from Debezium 3.4 on, without the body: start it with offset.mismatch.strategy=trust_slot.\n";
  if (handback.record.empty()) {
    out << "There is no evidence record to mark.\n";
  } else {
    out << "The evidence record " << handback.record << " is marked: a later `run` goes on wherever the slot stands.\n";
  }
  return out.str();
}

std::string VersionLine() {
  std::ostringstream out;
  out << "postrider " << POSTRIDER_VERSION << " (librdkafka " << kafka::LibraryVersion() << ")";
  return out.str();
}

}  // namespace postrider::cli
