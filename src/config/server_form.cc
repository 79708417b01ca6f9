#include "config/server_form.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kParts[] = {"key", "value", "header"};
constexpr std::string_view kJsonConverter = "org.apache.kafka.connect.json.JsonConverter";
// Expressions in what expressions give, one in the other.
constexpr int kDepthMax = 5;
constexpr int kLookupsMax = 1000;

// The converter behind a format's name; what is none of them is left as it is and refused as a class.
std::string_view ConverterOf(std::string_view format) {
  constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
      {"json", kJsonConverter},
      {"jsonbytearray", kJsonConverter},
      {"simplestring", "org.apache.kafka.connect.storage.StringConverter"},
      {"binary", "io.debezium.converters.BinaryDataConverter"},
      {"avro", "io.confluent.connect.avro.AvroConverter"},
      {"protobuf", "io.confluent.connect.protobuf.ProtobufConverter"},
      {"cloudevents", "io.debezium.converters.CloudEventsConverter"},
  };
  for (const auto& [name, converter] : kFormats)
    if (EqualsIgnoreCase(name, Trim(format))) return converter;
  return format;
}

// `debezium.format.` is cut off already. Empty for a key that is common to the three converters.
std::optional<std::string> FormatKey(std::string_view rest) {
  for (const std::string_view part : kParts) {
    if (rest == part) return Cat(part, ".converter");
    std::string_view option = rest;
    if (ConsumePrefix(option, part) && ConsumePrefix(option, ".")) return Cat(part, ".converter.", option);
  }
  return std::nullopt;
}

// Connect's name for a key outside debezium.format.
std::string ConnectKey(std::string_view key) {
  if (ConsumePrefix(key, "debezium.source.")) return std::string(key);
  if (ConsumePrefix(key, "debezium.sink.kafka.producer.")) return Cat("producer.override.", key);
  for (const std::string_view name : {"transforms", "predicates"}) {
    std::string_view rest = key;
    if (ConsumePrefix(rest, "debezium.") && (rest == name || rest.starts_with(Cat(name, "."))))
      return std::string(rest);
  }
  return std::string(key);
}

// Appends what one entry stands for: the options of a common format first, so that those of one converter come after
// them.
void Translate(const Entry& entry, const Origin& origin, std::vector<Setting>& common, std::vector<Setting>& own) {
  Setting setting;
  setting.raw = setting.value = entry.value;
  setting.origin = origin;
  setting.written_as = entry.key;
  setting.server_form = true;
  std::string_view rest = entry.key;
  if (!ConsumePrefix(rest, "debezium.format.")) {
    setting.key = ConnectKey(entry.key);
    own.push_back(std::move(setting));
    return;
  }
  if (const std::optional<std::string> key = FormatKey(rest)) {
    setting.key = *key;
    if (key->ends_with(".converter")) setting.raw = setting.value = ConverterOf(entry.value);
    own.push_back(std::move(setting));
    return;
  }
  for (const std::string_view part : kParts) {
    setting.key = Cat(part, ".converter.", rest);
    common.push_back(setting);
  }
}

}  // namespace

bool IsServerForm(const std::vector<Entry>& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const Entry& entry) {
    return entry.key.starts_with("debezium.source.") || entry.key.starts_with("debezium.sink.");
  });
}

std::vector<Setting> FromServerForm(const std::vector<Entry>& entries, const std::string& name, int file) {
  std::vector<Setting> common, own;
  for (const Entry& entry : entries)
    Translate(entry, {.kind = Origin::Kind::kFile, .file = file, .line = entry.line, .name = name}, common, own);
  common.insert(common.end(), own.begin(), own.end());
  return common;
}

std::vector<Setting> FromServerEnvironment(const std::vector<std::pair<std::string, std::string>>& environment) {
  std::vector<Setting> common, own;
  for (const auto& [name, value] : environment) {
    const std::string key = absl::StrReplaceAll(ToLower(name), {{"_", "."}});
    for (const std::string_view part : {"source.", "format.", "transforms", "predicates", "sink."}) {
      if (!name.starts_with("DEBEZIUM_") || !key.starts_with(Cat("debezium.", part))) continue;
      Translate({key, value, 0}, {.kind = Origin::Kind::kEnvironment, .name = name}, common, own);
      break;
    }
  }
  common.insert(common.end(), own.begin(), own.end());
  return common;
}

void PutServerDefaults(const std::string& name, int file, Settings& settings) {
  for (const std::string_view part : kParts) {
    Setting setting;
    setting.key = Cat(part, ".converter");
    if (settings.Find(setting.key) != nullptr) continue;
    setting.raw = setting.value = kJsonConverter;
    setting.origin = {.kind = Origin::Kind::kFile, .file = file, .line = 0, .name = name};
    setting.written_as = Cat("debezium.format.", part);
    settings.Put(std::move(setting));
  }
}

absl::StatusOr<std::string> ServerExpressions::LookUp(std::string_view expression, int depth, int& lookups_left) const {
  if (--lookups_left < 0) return absl::InvalidArgumentError("too many expressions in one value");
  const size_t colon = expression.find(':');
  const std::string_view name = expression.substr(0, colon);
  std::string variable;
  for (const char c : name) variable.push_back(absl::ascii_isalnum(c) ? c : '_');
  for (const std::string& spelling : {std::string(name), variable, ToUpper(variable)}) {
    const auto found = environment_.find(spelling);
    if (found != environment_.end()) return found->second;
  }
  const auto entry = entries_.find(name);
  if (entry != entries_.end()) return Resolve(entry->second, depth + 1, lookups_left);
  if (colon != std::string_view::npos) return std::string(expression.substr(colon + 1));
  return absl::NotFoundError(Cat("${", name, "}: neither the environment nor the file has ", name,
                                 " (in Debezium Server's files a dollar sign is written twice)"));
}

absl::StatusOr<std::string> ServerExpressions::Resolve(std::string_view text) const {
  int lookups_left = kLookupsMax;
  return Resolve(text, 0, lookups_left);
}

absl::StatusOr<std::string> ServerExpressions::Resolve(std::string_view text, int depth, int& lookups_left) const {
  if (depth > kDepthMax) return absl::InvalidArgumentError("expressions refer to each other");
  std::string out;
  for (size_t pos = 0; pos < text.size();) {
    const std::string_view rest = text.substr(pos);
    const size_t close = rest.find('}');
    if (rest.starts_with("$$")) {
      out.push_back('$');
      pos += 2;
    } else if (rest.starts_with("${") && close != std::string_view::npos) {
      absl::StatusOr<std::string> value = LookUp(rest.substr(2, close - 2), depth, lookups_left);
      if (!value.ok()) return value;
      Append(out, *value);
      pos += close + 1;
    } else {
      out.push_back(text[pos++]);
    }
  }
  return out;
}

}  // namespace postrider::config
