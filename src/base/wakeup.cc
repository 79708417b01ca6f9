#include "base/wakeup.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/check.h"

namespace postrider {

Wakeup::Wakeup() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  POSTRIDER_CHECK(fd_ >= 0);
}

Wakeup::~Wakeup() {
  close(fd_);
}

void Wakeup::Ring() const {
  const uint64_t one = 1;
  // The only failure is a counter at its limit, and then the bell is ringing already.
  [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
}

void Wakeup::Clear() const {
  uint64_t count;
  [[maybe_unused]] const ssize_t bytes = read(fd_, &count, sizeof count);
}

}  // namespace postrider
