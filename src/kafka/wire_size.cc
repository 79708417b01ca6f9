#include "kafka/wire_size.h"

#include <cstdint>

namespace postrider::kafka {
namespace {

constexpr size_t kBatchHeaderBytes = 61;
constexpr size_t kRecordHeadBytes =
    3;  // attributes, time delta and offset delta: one byte each in a batch of one record

// Zigzag doubles a length, so seven bits of a varint byte hold six of it.
size_t LengthBytes(size_t length) {
  uint64_t zigzag = static_cast<uint64_t>(length) << 1;
  size_t bytes = 1;
  while (zigzag >= 0x80) {
    zigzag >>= 7;
    ++bytes;
  }
  return bytes;
}

// A length and its bytes; null is the length -1, which takes one byte.
size_t FieldBytes(bool present, size_t size) {
  return present ? LengthBytes(size) + size : 1;
}

size_t BatchBytes(size_t key, size_t value, size_t header_count, size_t headers) {
  const size_t body = kRecordHeadBytes + key + value + LengthBytes(header_count) + headers;
  return kBatchHeaderBytes + LengthBytes(body) + body;
}

}  // namespace

size_t WireBytes(const Record& record) {
  size_t headers = 0;
  for (const Header& header : record.headers) {
    headers +=
        FieldBytes(true, header.key.size()) + FieldBytes(header.value.has_value(), header.value.value_or("").size());
  }
  return BatchBytes(FieldBytes(record.key.has_value(), record.key.value_or("").size()),
                    FieldBytes(record.value.has_value(), record.value.value_or("").size()), record.headers.size(),
                    headers);
}

size_t WireBytes(const rd_kafka_message_t& message) {
  size_t header_count = 0;
  size_t headers = 0;
  rd_kafka_headers_t* list = nullptr;
  if (rd_kafka_message_headers(&message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR) {
    const char* name = nullptr;
    const void* value = nullptr;
    size_t size = 0;
    while (rd_kafka_header_get_all(list, header_count, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR) {
      headers += FieldBytes(true, std::string_view(name).size()) + FieldBytes(value != nullptr, size);
      ++header_count;
    }
  }
  return BatchBytes(FieldBytes(message.key != nullptr, message.key_len),
                    FieldBytes(message.payload != nullptr, message.len), header_count, headers);
}

}  // namespace postrider::kafka
