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
       "confirm within 8 s; a second one leaves at once. SIGHUP reads the files again, for log level, thresholds, the "
       "policy for events\n"
       "that cannot be published, and secrets. Log on standard output.\n"
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
      {"check",
       "find everything that would keep a relay from working",
       "postrider check [--set KEY=VALUE] [--json] FILE...",
       "Looks at configuration, database and cluster, and prints one line for each finding (pass, warn or FAIL), with "
       "the SQL, the key or\n"
       "the command that mends it below. Changes nothing, takes no slot, and may be run beside a relay. --json: an "
       "array "
       "of\n"
       "{name, result, text, remedy}, for programs.\n"
       "\n"
       "Example:\n"
       "  postrider check worker.properties connector.json\n"
       "\n"
       "Exit codes: 0 nothing fails (warnings do not count); else that of the first failure, as `run` would end with "
       "it: "
       "2 usage or\n"
       "configuration, or the table contradicts it; 3 the database refuses, or is away; 4 slot; 5 publication; 6 "
       "another "
       "cluster; 7 Kafka\n"
       "refuses, is away, or a topic cannot be written; 9 the slot is held by another program.\n",
       {"--json"}},
      {"setup",
       "make the publication, slot and topics that are missing",
       "postrider setup [--set KEY=VALUE] [--print] FILE...",
       "Makes what a first start needs, with the rights of database.user (--set database.user=OWNER for those of "
       "another "
       "role): the\n"
       "publication, then the slot, then the topics of topic.creation.* and the dead-letter topic. What is there is "
       "left "
       "alone; what needs\n"
       "other rights, such as a GRANT, is printed as TO DO. The slot is left to the first start where that would "
       "publish "
       "rows of the table\n"
       "first (snapshot.mode), and is not made where the evidence record shows an earlier start. --print makes "
       "nothing, "
       "and prints the SQL\n"
       "and the commands of Kafka's tools.\n"
       "\n"
       "Example:\n"
       "  postrider setup --print worker.properties connector.json\n"
       "\n"
       "Exit codes: 0 `run` can begin; else what it would end with until the lines marked TO DO are done, as of "
       "`check`.\n",
       {"--print"}},
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
      {"held",
       "see and settle what cannot be published",
       "postrider held VERB [ID] [--json] [--yes] FILE...",
       "Speaks with the running relay through its control socket (postrider.control.socket):\n"
       "  held list         what is held, and what was parked since the relay started; --json for programs\n"
       "  held show ID      one event, with the reason\n"
       "  held retry        try what is held now, and not with backoff\n"
       "  held park ID      write the held event to the dead-letter topic (errors.deadletterqueue.topic.name) and go "
       "on\n"
       "  held skip ID      give the held event up and go on; needs --yes\n"
       "  held release ID   publish later events of the key of a parked event again (postrider.poison.park.same.key)\n"
       "Each order stands in the relay's log. No payload is shown.\n"
       "\n"
       "Example:\n"
       "  postrider held list worker.properties connector.json\n"
       "\n"
       "Exit codes: 0 done; 1 no relay listens, or it refuses, and the line says why; 2 usage or configuration.\n",
       {"--json", "--yes"}},
      {"pause",
       "let the running relay read nothing for a while",
       "postrider pause FILE...",
       "What is in flight is waited for and confirmed; then nothing is read until `resume`, while the slot is kept and "
       "the "
       "WAL behind\nit grows. Lasts until the relay ends.\n"
       "\n"
       "Example:\n"
       "  postrider pause worker.properties connector.json\n"
       "\n"
       "Exit codes: 0 done; 1 no relay listens; 2 usage or configuration.\n",
       {}},
      {"resume",
       "let it go on",
       "postrider resume FILE...",
       "Ends a `pause`.\n"
       "\n"
       "Example:\n"
       "  postrider resume worker.properties connector.json\n"
       "\n"
       "Exit codes: 0 done; 1 no relay listens; 2 usage or configuration.\n",
       {}},
      {"monitor",
       "watch the slot, whether a relay runs or not",
       "postrider monitor [--set KEY=VALUE] FILE...",
       "Asks the server once a second how far the slot is, and serves metrics, health and status at "
       "postrider.http.address: the same as\n"
       "`run` does of itself, but without a slot and without Kafka, so that it goes on when the relay is dead. Beside "
       "a "
       "relay on the\n"
       "same machine it needs an address of its own. Runs until SIGTERM or SIGINT. Log on standard output.\n"
       "\n"
       "Example:\n"
       "  postrider monitor worker.properties connector.json --set postrider.http.address=127.0.0.1:9466\n"
       "\n"
       "Exit codes: 0 stopped; 2 configuration, or the address cannot be listened at.\n",
       {}},
      {"health",
       "ask a running relay or monitor how it is",
       "postrider health --live|--ready [--set KEY=VALUE] FILE...",
       "Asks at postrider.http.address and prints the one line that is answered. --live: the loop turns, whatever "
       "database and broker\n"
       "do. --ready: the process does its job in its role.\n"
       "\n"
       "Example:\n"
       "  postrider health --ready worker.properties connector.json\n"
       "\n"
       "Exit codes: 0 it is; 1 it is not, or does not answer; 2 usage or configuration.\n",
       {"--live", "--ready"}},
      {"status",
       "show the server's slots, live",
       "postrider status [--once] FILE...",
       "Shows in the terminal, once a second, what each replication slot of the server retains and who reads it; the "
       "slot of "
       "the\nconfiguration first. Needs no relay, and reads no slot. Prints once where the output is no terminal.\n"
       "\n"
       "Example:\n"
       "  postrider status connector.json\n"
       "\n"
       "Exit codes: 0 shown; 2 usage or configuration; 3 the database refuses.\n",
       {"--once"}},
      {"tail",
       "print what would be published, without Kafka",
       "postrider tail [--json] FILE...",
       "Prints topic, key, headers and value of each event as it is committed from now on, as `run` would publish it; "
       "--json: "
       "one JSON\nobject a line. Needs no broker. Reads through a temporary slot of its own, which goes with it, and "
       "which is "
       "given up when it\nholds back more than 256 MB of WAL. The publication must exist. Payloads are shown: mind who "
       "reads "
       "the terminal.\n"
       "\n"
       "Example:\n"
       "  postrider tail worker.properties connector.json\n"
       "\n"
       "Exit codes: 0 the reader of the output has left; 1 the slot was given up, or the stream ended; 2 "
       "configuration; 3 the "
       "database\nrefuses; 5 there is no publication.\n",
       {"--json"}},
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
    out << "The evidence record in " << handback.record
        << " is marked: a later `run` goes on wherever the slot stands.\n";
  }
  return out.str();
}

std::string VersionLine() {
  std::ostringstream out;
  out << "postrider " << POSTRIDER_VERSION << " (librdkafka " << kafka::LibraryVersion() << ")";
  return out.str();
}

}  // namespace postrider::cli
