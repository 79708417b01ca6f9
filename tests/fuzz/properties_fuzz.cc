// Text from outside through the readers of config/: .properties, Connect's JSON, JAAS, PEM. None may crash, hang or
// give what is no text. The first byte chooses the reader.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "config/connect_json.h"
#include "config/jaas.h"
#include "config/pem.h"
#include "config/properties.h"
#include "config/server_form.h"

namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckEntries(const absl::StatusOr<std::vector<postrider::config::Entry>>& entries, std::string_view text) {
  if (!entries.ok()) {
    Require(entries.status().message().find("line ") == 0);
    return;
  }
  const auto lines = 1 + static_cast<int>(text.size());
  for (const postrider::config::Entry& entry : *entries) {
    Require(entry.line >= 1 && entry.line <= lines);
    Require(entry.key.find('\0') == std::string::npos && entry.value.find('\0') == std::string::npos);
  }
  // Resolving what Debezium Server's form would make of it ends too.
  for (const postrider::config::Setting& setting : postrider::config::FromServerForm(*entries, "fuzz", 0))
    (void)postrider::config::ServerExpressions({}, {{"a", setting.raw}}).Resolve(setting.raw);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      CheckEntries(postrider::config::ParseProperties(text), text);
      break;
    case 1:
      CheckEntries(postrider::config::ParseConnectJson(text), text);
      break;
    case 2:
      (void)postrider::config::ParseJaas(text);
      break;
    default:
      (void)postrider::config::NormalizePem(text);
  }
  return 0;
}
