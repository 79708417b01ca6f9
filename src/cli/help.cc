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
      {"run", "carry the outbox from PostgreSQL to Kafka", "postrider run [--set KEY=VALUE] FILE...",
       "Streams the outbox table's inserts from the replication slot, routes them as Debezium's Outbox Event Router "
       "does, and\n"
       "confirms a position only when Kafka has acknowledged everything before it. Runs until SIGTERM or SIGINT, which "
       "drain and\n"
       "confirm within 8 s; a second one leaves at once. Log on standard output.\n"
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
       "will be sent again); 9 the slot is held by another program. A restart does not help with 2, 4, 5, 6 and 9.\n"},
      {"config", "show what each key became", "postrider config [--set KEY=VALUE] FILE...",
       "Prints every key with its value (secrets as ***), where it came from, whether it is honoured, meaningless here "
       "or refused,\n"
       "and the librdkafka property behind it. Connects to nothing.\n"
       "\n"
       "Example:\n"
       "  postrider config worker.properties connector.json\n"
       "\n"
       "Exit codes: 0 `run` would accept it; 2 it would not, and the last line says why.\n"},
      {"version", "print the versions", "postrider version",
       "Prints the versions of Postrider and librdkafka.\n"
       "\n"
       "Example:\n"
       "  postrider version\n"},
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

std::string VersionLine() {
  std::ostringstream out;
  out << "postrider " << POSTRIDER_VERSION << " (librdkafka " << kafka::LibraryVersion() << ")";
  return out.str();
}

}  // namespace postrider::cli
