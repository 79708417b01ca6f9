// decoder/: no bytes make it crash, read beyond their end, or hand out a view that points elsewhere.
//
// Input: messages of one session, each with its length before it (4 bytes, big-endian; cut at the input's end). So a
// capture of tests/data/pgoutput is an input as it is.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "decoder/decoder.h"
#include "decoder/wire.h"

namespace postrider::decoder {
namespace {

// Checks the parts of one decoded message against the bytes that it came from.
class Inspector {
 public:
  explicit Inspector(std::string_view bytes) : bytes_(bytes) {}

  void operator()(const Origin& message) { Check(message.name); }
  void operator()(const Type& message) {
    Check(message.schema);
    Check(message.name);
  }
  void operator()(const Insert& message) { Check(message.new_row); }
  void operator()(const Relation& message) {
    Check(message.schema);
    Check(message.name);
    std::vector<Column> columns;
    message.columns.CopyTo(columns);
    POSTRIDER_CHECK(columns.size() == message.columns.size());
    for (const Column& column : columns) Check(column.name);
  }
  void operator()(const Update& message) {
    POSTRIDER_CHECK(!message.old_key || !message.old_row);
    if (message.old_key) Check(*message.old_key);
    if (message.old_row) Check(*message.old_row);
    Check(message.new_row);
  }
  void operator()(const Delete& message) {
    POSTRIDER_CHECK(message.old_key.has_value() != message.old_row.has_value());
    Check(message.old_key ? *message.old_key : *message.old_row);
  }
  void operator()(const Truncate& message) {
    Check(message.relation_oids);
    for (size_t i = 0; i < message.relation_count(); ++i) static_cast<void>(message.relation_oid(i));
  }
  void operator()(const LogicalMessage& message) {
    Check(message.prefix);
    Check(message.content);
  }
  template <typename T>
  void operator()(const T& message) {
    if constexpr (requires { message.gid; }) Check(message.gid);
  }

 private:
  void Check(std::string_view part) const {
    if (part.empty()) return;
    POSTRIDER_CHECK(part.data() >= bytes_.data() && part.data() + part.size() <= bytes_.data() + bytes_.size());
  }
  void Check(const Tuple& tuple) const {
    std::vector<Value> values;
    tuple.CopyTo(values);
    POSTRIDER_CHECK(values.size() == tuple.size());
    for (const Value& value : values) Check(value.bytes);
  }

  const std::string_view bytes_;
};

void DecodeSession(std::string_view input) {
  Decoder decoder;
  Reader reader(input);
  while (reader.remaining() >= sizeof(uint32_t)) {
    const size_t size = std::min<size_t>(reader.Int<uint32_t>(), reader.remaining());
    const std::string_view part = reader.Bytes(size);
    // A copy of its own, so that AddressSanitizer sees a read beyond the message.
    const std::vector<char> copy(part.begin(), part.end());
    const std::string_view bytes(copy.data(), copy.size());
    const auto message = decoder.Decode(bytes);
    if (message.ok()) std::visit(Inspector(bytes), *message);
    POSTRIDER_CHECK(message.ok() || message.status().code() == absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace postrider::decoder

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  postrider::decoder::DecodeSession({reinterpret_cast<const char*>(data), size});
  return 0;
}
