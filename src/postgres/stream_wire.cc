#include "postgres/stream_wire.h"

#include "absl/strings/str_format.h"
#include "base/fault.h"
#include "decoder/message.h"

namespace postrider::postgres {
namespace {

constexpr size_t kWalHeaderBytes = 25;  // 'w', start, end, time
constexpr size_t kKeepaliveBytes = 18;  // 'k', end, time, reply

uint64_t LoadUint64(std::string_view bytes, size_t offset) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

template <typename T>
void Store(T value, char* at) {
  for (size_t i = 0; i < sizeof(T); ++i) at[i] = static_cast<char>(value >> (8 * (sizeof(T) - 1 - i)));
}

}  // namespace

absl::StatusOr<SourceMessage> ParseCopyData(std::string_view bytes) {
  const char type = bytes.empty() ? '\0' : bytes[0];
  if (type == 'w' && bytes.size() >= kWalHeaderBytes) {
    return WalData{Lsn(LoadUint64(bytes, 1)), bytes.substr(kWalHeaderBytes)};
  }
  if (type == 'k' && bytes.size() >= kKeepaliveBytes) {
    return Keepalive{Lsn(LoadUint64(bytes, 1)), bytes[17] != 0};
  }
  return MakeFault(Fault::kInternal,
                   absl::StrFormat("the replication stream broke its protocol: a message of type 0x%02x with %u bytes",
                                   static_cast<unsigned char>(type), bytes.size()));
}

std::array<char, kStatusBytes> EncodeStatus(Lsn write, Lsn flush, int64_t unix_us, bool reply_requested) {
  std::array<char, kStatusBytes> status;
  status[0] = 'r';
  StoreBigEndian(write.value(), &status[1]);
  StoreBigEndian(flush.value(), &status[9]);
  StoreBigEndian(flush.value(), &status[17]);
  StoreBigEndian(static_cast<uint64_t>(unix_us - decoder::kPostgresEpochUnixMicros), &status[25]);
  status[33] = reply_requested ? 1 : 0;
  return status;
}

void StoreBigEndian(uint64_t value, char* at) {
  Store(value, at);
}
void StoreBigEndian(uint32_t value, char* at) {
  Store(value, at);
}
void StoreBigEndian(uint16_t value, char* at) {
  Store(value, at);
}

}  // namespace postrider::postgres
