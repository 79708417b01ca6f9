#include "base/utf8.h"

#include "rapidjson/encodings.h"

namespace postrider {
namespace {

// The end that RapidJSON's decoder reads from. Beyond the last byte it gives NUL, which continues no sequence.
struct ByteSource {
  using Ch = char;
  std::string_view bytes;
  size_t position;
  char Take() { return position < bytes.size() ? bytes[position++] : '\0'; }
};

}  // namespace

std::optional<uint32_t> NextCodePoint(std::string_view bytes, size_t& position) {
  ByteSource source{bytes, position};
  unsigned code_point = 0;
  if (!rapidjson::UTF8<>::Decode(source, &code_point)) {
    ++position;
    return std::nullopt;
  }
  position = source.position;
  return code_point;
}

}  // namespace postrider
