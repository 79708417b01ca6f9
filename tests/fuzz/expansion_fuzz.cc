// A payload from outside through table.expand.json.payload and each converter. None may crash, hang, or give what is no
// JSON where it gives JSON. The first byte chooses what becomes of nulls.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "connect/converter.h"
#include "connect/expansion.h"
#include "connect/json_document.h"

namespace {

using postrider::config::ConverterKind;
using postrider::connect::Arena;
using postrider::connect::Buffer;
using postrider::connect::Converter;
using postrider::connect::Expanded;
using postrider::connect::Expansion;

void Require(bool condition) {
  if (!condition) std::abort();
}

void Check(const Expanded& expanded, std::string_view text) {
  static const Converter plain(postrider::config::Converter{.kind = ConverterKind::kJson, .schemas_enable = false});
  static const Converter full(postrider::config::Converter{.kind = ConverterKind::kJson});
  static const Converter string(postrider::config::Converter{.kind = ConverterKind::kString});
  static const Converter header(postrider::config::Converter{.kind = ConverterKind::kSimpleHeader});
  Arena arena;
  Buffer buffer;
  for (const Converter* const converter : {&string, &header}) {
    Require(converter->Convert(expanded.schema, expanded.value, buffer).has_value());
  }
  const std::optional<std::string_view> whole = full.Convert(expanded.schema, expanded.value, buffer);
  Require(whole.has_value() && whole->starts_with("{\"schema\":") && whole->ends_with('}'));
  const std::optional<std::string_view> payload = plain.Convert(expanded.schema, expanded.value, buffer);
  Require(payload.has_value());
  if (expanded.schema == nullptr) {
    Require(expanded.value.text == text);
    return;
  }
  postrider::connect::JsonDocument document;
  Require(document.Parse(*payload, arena) != nullptr);  // its own output can be read again
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  static Expansion ignoring("payload", false), as_bytes("payload", true);
  static Arena arena;
  arena.Reset();
  Expansion& expansion = data[0] % 2 == 0 ? ignoring : as_bytes;
  if (const std::optional<Expanded> expanded = expansion.Expand(text, arena)) Check(*expanded, text);
  return 0;
}
