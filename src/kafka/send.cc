#include "kafka/send.h"

#include <array>
#include <bit>

namespace postrider::kafka {
namespace {

// librdkafka takes a null pointer for null, and an empty view may have one.
const char* NotNull(std::string_view bytes) {
  return bytes.data() ? bytes.data() : "";
}

class Arguments {
 public:
  // The next argument; its value is for the caller to set.
  auto& Add(rd_kafka_vtype_t type) {
    rd_kafka_vu_t& argument = arguments_[count_++];
    argument.vtype = type;
    return argument.u;
  }
  void AddBytes(rd_kafka_vtype_t type, const std::optional<std::string_view>& bytes) {
    auto& value = Add(type);
    value.mem.ptr = bytes ? const_cast<char*>(NotNull(*bytes)) : nullptr;
    value.mem.size = bytes ? bytes->size() : 0;
  }
  const rd_kafka_vu_t* data() const { return arguments_.data(); }
  size_t size() const { return count_; }

 private:
  std::array<rd_kafka_vu_t, 8> arguments_;  // one of each kind that Send() adds
  size_t count_ = 0;
};

// nullptr: none. librdkafka's once the record is taken.
rd_kafka_headers_t* NewHeaders(std::span<const Header> headers) {
  if (headers.empty()) return nullptr;
  rd_kafka_headers_t* list = rd_kafka_headers_new(headers.size());
  for (const Header& header : headers) {
    rd_kafka_header_add(list, NotNull(header.key), static_cast<ssize_t>(header.key.size()),
                        header.value ? NotNull(*header.value) : nullptr,
                        static_cast<ssize_t>(header.value.value_or("").size()));
  }
  return list;
}

}  // namespace

rd_kafka_resp_err_t Send(rd_kafka_t* client, rd_kafka_topic_t* topic, const Record& record,
                         std::optional<int32_t> partition, uint64_t tag) {
  Arguments arguments;
  arguments.Add(RD_KAFKA_VTYPE_RKT).rkt = topic;
  arguments.AddBytes(RD_KAFKA_VTYPE_KEY, record.key);
  arguments.AddBytes(RD_KAFKA_VTYPE_VALUE, record.value);
  rd_kafka_headers_t* headers = NewHeaders(record.headers);
  if (headers) arguments.Add(RD_KAFKA_VTYPE_HEADERS).headers = headers;
  arguments.Add(RD_KAFKA_VTYPE_TIMESTAMP).i64 = record.timestamp_ms == 0 ? 1 : record.timestamp_ms;
  if (partition) arguments.Add(RD_KAFKA_VTYPE_PARTITION).i32 = *partition;
  arguments.Add(RD_KAFKA_VTYPE_OPAQUE).ptr = std::bit_cast<void*>(tag);
  arguments.Add(RD_KAFKA_VTYPE_MSGFLAGS).i = RD_KAFKA_MSG_F_COPY;

  rd_kafka_error_t* error = rd_kafka_produceva(client, arguments.data(), arguments.size());
  if (!error) return RD_KAFKA_RESP_ERR_NO_ERROR;
  const rd_kafka_resp_err_t code = rd_kafka_error_code(error);
  rd_kafka_error_destroy(error);
  if (headers) rd_kafka_headers_destroy(headers);
  return code;
}

}  // namespace postrider::kafka
