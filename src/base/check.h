// Broken invariants end the process, in release too: a crash is safe here, because nothing unconfirmed is lost.
// For programming errors only. Bytes, settings and servers can never trip a check: they give an absl::Status.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace postrider {

[[noreturn]] inline void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "postrider: broken invariant at %s:%d: %s\n", file, line, condition);
  std::abort();
}

}  // namespace postrider

#define POSTRIDER_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::postrider::CheckFailed(__FILE__, __LINE__, #condition))
