// The messages inside CopyData of the streaming replication protocol (PostgreSQL manual, "Streaming Replication
// Protocol"): XLogData and keepalive from the server, standby status update to it. All integers are big-endian.
//
// Pure; the lengths are checked. Tested by tests/unit/postgres/stream_wire_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "decoder/lsn.h"
#include "postgres/source.h"

namespace postrider::postgres {

inline constexpr size_t kStatusBytes = 34;

// WalData (a view into `bytes`) or Keepalive. A fault kInternal for anything else: the protocol is broken.
absl::StatusOr<SourceMessage> ParseCopyData(std::string_view bytes);

// `unix_us` is the client's clock; apply is sent equal to flush.
std::array<char, kStatusBytes> EncodeStatus(Lsn write, Lsn flush, int64_t unix_us, bool reply_requested);

// Writes `value` in its big-endian form.
void StoreBigEndian(uint64_t value, char* at);
void StoreBigEndian(uint32_t value, char* at);
void StoreBigEndian(uint16_t value, char* at);

}  // namespace postrider::postgres
