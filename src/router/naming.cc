#include "router/naming.h"

#include "absl/strings/ascii.h"

namespace postrider::router {

std::string TableTopic(std::string_view prefix, std::string_view schema, std::string_view table) {
  constexpr size_t kBytesMax = 249;
  std::string joined;
  for (const std::string_view part : {prefix, schema, table}) {
    if (part.empty()) continue;
    if (!joined.empty()) joined.push_back('.');
    joined.append(part);
  }
  std::string name;
  for (const char c : joined) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) == 0x80) continue;  // within a character
    if (absl::ascii_isalnum(byte) || c == '.' || c == '_' || c == '-') {
      name.push_back(c);
    } else {
      name.append(byte >= 0xf0 ? "__" : "_");
    }
  }
  if (name.size() > kBytesMax) name.resize(kBytesMax);
  return name;
}

}  // namespace postrider::router
