#include "config/pem.h"

#include "absl/strings/ascii.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ", kEnd = "-----END ", kDashes = "-----";
constexpr size_t kLineChars = 64;

// Appends base64 without its blanks, in lines.
void AppendWrapped(std::string_view base64, std::string& out) {
  size_t column = 0;
  for (const char c : base64) {
    if (absl::ascii_isspace(c)) continue;
    if (column == kLineChars) {
      out.push_back('\n');
      column = 0;
    }
    out.push_back(c);
    ++column;
  }
  out.push_back('\n');
}

}  // namespace

std::string NormalizePem(std::string_view text) {
  std::string out;
  for (;;) {
    const size_t begin = text.find(kBegin);
    const size_t label_end = begin == std::string_view::npos ? begin : text.find(kDashes, begin + kBegin.size());
    const size_t end = label_end == std::string_view::npos ? label_end : text.find(kEnd, label_end);
    const size_t close = end == std::string_view::npos ? end : text.find(kDashes, end + kEnd.size());
    if (close == std::string_view::npos) break;
    const size_t block_end = close + kDashes.size();
    const std::string_view body = text.substr(label_end + kDashes.size(), end - label_end - kDashes.size());
    if (Contains(body, ":")) {
      Append(out, text.substr(begin, block_end - begin), "\n");
    } else {
      Append(out, text.substr(begin, label_end + kDashes.size() - begin), "\n");
      AppendWrapped(body, out);
      Append(out, text.substr(end, block_end - end), "\n");
    }
    text.remove_prefix(block_end);
  }
  return out.empty() ? std::string(text) : out;
}

StoreKind SniffStore(std::string_view bytes) {
  // The magic numbers of Java's own formats: JKS and JCEKS.
  if (bytes.starts_with("\xFE\xED\xFE\xED") || bytes.starts_with("\xCE\xCE\xCE\xCE")) return StoreKind::kJks;
  // A DER SEQUENCE.
  if (bytes.starts_with("\x30")) return StoreKind::kPkcs12;
  if (Contains(bytes, kBegin)) return StoreKind::kPem;
  return StoreKind::kUnknown;
}

}  // namespace postrider::config
