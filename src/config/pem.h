// PEM text as Java's configuration carries it, made fit for OpenSSL. Pure, any thread. Tested by
// tests/unit/config/pem_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace postrider::config {

// A certificate in a .properties file is often one line, its parts joined by blanks, which Java's reader takes and
// OpenSSL does not: each block's text is wrapped anew at 64 columns. Text that holds no such block, or one with
// headers, stays as it is.
std::string NormalizePem(std::string_view text);

enum class StoreKind { kPem, kPkcs12, kJks, kUnknown };

// What a store's first bytes say; Java's `ssl.*.type` is often left unset or wrong.
StoreKind SniffStore(std::string_view bytes);

}  // namespace postrider::config
