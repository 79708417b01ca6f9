// PostgreSQL's binary output (typsend) as the text that typout would have given, so that both wire formats give the
// same bytes.
//
// Source: src/backend/utils/adt/*.c, the *_send and *_out functions. Pure. Tested by
// tests/unit/connect/binary_text_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "connect/arena.h"

namespace postrider::connect {

// In `arena`, or `bytes` itself. `kind` is pg_type.typtype. nullopt for a type whose binary form is not known here
// (arrays, ranges, network addresses, ...), or bytes that are none of it.
std::optional<std::string_view> BinaryToText(uint32_t oid, char kind, std::string_view bytes, Arena& arena);

}  // namespace postrider::connect
