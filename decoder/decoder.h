// pgoutput bytes -> typed messages. READ THIS FIRST in decoder/.
//
//   Decoder decoder;
//   absl::StatusOr<Message> message = decoder.Decode(bytes);   // one message: the payload of one XLogData
//   if (const auto* insert = std::get_if<Insert>(&*message)) ...
//
// Pure: no I/O, no clock, no logging; standard library and abseil only. No allocation for a message that is well
// formed. The only state is whether a streamed block (Stream Start .. Stream Stop) is open, because its messages carry
// an xid; Reset() after each (re)connect. One thread at a time.
//
// Errors: InvalidArgument for bytes that are no message (unknown type byte, a length beyond the end, flags that the
// protocol reserves, a Stream Start or Stop out of turn), with the type byte and the offset, never with contents; the
// state then stays as it was. Bytes beyond a known message are tolerated, so that a later server may append a field.
// Tested by tests/unit/decoder, fuzzed by tests/fuzz/decoder_fuzz.cc.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "decoder/message.h"

namespace postrider::decoder {

class Reader;

class Decoder {
 public:
  absl::StatusOr<Message> Decode(std::string_view bytes);
  void Reset() { in_stream_ = false; }

 private:
  Message Read(uint8_t type, Reader& reader);

  bool in_stream_ = false;
};

}  // namespace postrider::decoder
