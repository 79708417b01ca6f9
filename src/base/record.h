// A Kafka record as the router makes it and the producer takes it.
//
// All views belong to the maker (the router's reused buffers, the bytes of the row): valid until its next call.
// Three states everywhere: no value (nullopt: null on the wire), empty, and bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace postrider {

struct Header {
  std::string_view key;
  std::optional<std::string_view> value;
};

struct Record {
  std::string_view topic;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::span<const Header> headers;
  int64_t timestamp_ms = 0;          // since 1970; the clock at routing unless a column was named
  std::optional<int32_t> partition;  // nullopt: the partitioner chooses by the key
  std::string_view id;               // the event's id as text, to name it in logs; may be empty
};

// What a record counts against the byte budget beyond its own bytes: librdkafka's structures for one queued record.
inline constexpr size_t kRecordOverheadBytes = 700;

// Key, value and headers.
inline size_t RecordBytes(const Record& record) {
  size_t bytes = (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0);
  for (const Header& header : record.headers) bytes += header.key.size() + (header.value ? header.value->size() : 0);
  return bytes;
}

inline size_t BudgetBytes(const Record& record) {
  return kRecordOverheadBytes + RecordBytes(record);
}

}  // namespace postrider
