#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "config/parts.h"
#include "config/placeholders.h"
#include "config/secret_command.h"
#include "config/text.h"

namespace postrider::config {
namespace {

void Require(Draft& draft, std::string_view key, std::string_view what) {
  const Setting* setting = draft.settings().Find(key);
  if (setting != nullptr && setting->refused) return;
  if (!draft.Text(key).empty()) return;
  if (setting != nullptr) return draft.RefuseKey(key, Cat("is empty: set it to ", what));
  draft.RefuseAll(Cat(key, " is missing: set it to ", what));
}

// `;` separates, `;;` is a semicolon (Debezium's JdbcConnection).
std::vector<std::string> SplitStatements(std::string_view text) {
  std::vector<std::string> statements;
  std::string statement;
  const auto finish = [&statements, &statement] {
    absl::StripAsciiWhitespace(&statement);
    if (!statement.empty()) statements.push_back(statement);
    statement.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ';') {
      statement.push_back(text[i]);
    } else if (text.substr(i, 2) == ";;") {
      statement.push_back(';');
      ++i;
    } else {
      finish();
    }
  }
  finish();
  return statements;
}

void CheckPorts(Draft& draft, const std::string& hosts, const std::string& ports) {
  const std::vector<std::string> port_list = SplitList(ports);
  for (const std::string& port : port_list) {
    const std::optional<int64_t> number = ParseNumber(port);
    if (!number || *number < 1 || *number > 65535)
      return draft.Refuse("database.port",
                          "allowed is a whole number from 1 to 65535, or as many with commas as there are hosts");
  }
  if (port_list.size() > 1 && port_list.size() != SplitList(hosts).size())
    draft.Refuse("database.port", "one port is for all hosts, several must be as many as database.hostname has");
}

constexpr std::string_view kPassword = "database.password";
constexpr std::string_view kPasswordFile = "postrider.database.password.file";
constexpr std::string_view kPasswordCommand = "postrider.database.password.command";

void Overrule(Draft& draft, std::string_view key, std::string_view by) {
  if (draft.Find(key) != nullptr) draft.SetOutcome(key, KeyOutcome::kMeaningless, Cat(by, " comes before it"));
}

// From a file of its own, read anew each time.
Secret PasswordFile(Draft& draft, const std::string& path) {
  if (const absl::StatusOr<std::string> now = ReadSecretFile(path); !now.ok())
    draft.RefuseKey(kPasswordFile, Cat("cannot be read: ", now.status().message()));
  return {path, [](const std::string& file) { return ReadSecretFile(file); }};
}

// What a command prints, run anew each time, and never before the first connection.
Secret PasswordCommand(Draft& draft) {
  return draft.SecretOf(kPasswordCommand, [](const std::string& command) -> absl::StatusOr<std::string> {
    absl::StatusOr<std::string> printed = RunSecretCommand(command);
    if (printed.ok()) return printed;
    return absl::Status(printed.status().code(), Cat(kPasswordCommand, " ", printed.status().message()));
  });
}

Secret Password(Draft& draft) {
  if (draft.Has(kPasswordCommand)) {
    Overrule(draft, kPasswordFile, kPasswordCommand);
    Overrule(draft, kPassword, kPasswordCommand);
    return PasswordCommand(draft);
  }
  const std::string file = draft.Text(kPasswordFile);
  if (file.empty()) return draft.SecretOf(kPassword);
  Overrule(draft, kPassword, kPasswordFile);
  return PasswordFile(draft, file);
}

}  // namespace

void MakeDatabase(Draft& draft, Database& database) {
  Require(draft, "database.hostname", "the host of the PostgreSQL server");
  Require(draft, "database.user", "the role to log in as");
  Require(draft, "database.dbname", "the database that holds the outbox");
  database.hostname = draft.Text("database.hostname");
  database.port = draft.Text("database.port");
  CheckPorts(draft, database.hostname, database.port);
  database.user = draft.Text("database.user");
  database.password = Password(draft);
  database.dbname = draft.Text("database.dbname");
  database.sslmode = ToLower(draft.Text("database.sslmode"));
  database.sslcert = draft.Text("database.sslcert");
  database.sslkey = draft.Text("database.sslkey");
  database.sslrootcert = draft.Text("database.sslrootcert");
  database.sslpassword = draft.SecretOf("database.sslpassword");
  database.tcp_keepalive = draft.Flag("database.tcpKeepAlive");
  database.initial_statements = SplitStatements(draft.Raw("database.initial.statements"));
  database.query_timeout_ms = draft.Number("database.query.timeout.ms");
}

}  // namespace postrider::config
