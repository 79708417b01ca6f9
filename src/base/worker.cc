#include "base/worker.h"

#include <chrono>

namespace postrider {
namespace {

constexpr std::chrono::seconds kJoinTimeout{1};

}  // namespace

void Worker::RingOwner() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (answered != nullptr) answered->Ring();
}

void Worker::End() {
  const std::lock_guard<std::mutex> lock(mutex);
  ended = true;
  left.notify_all();
}

void Worker::Leave(std::thread& thread) {
  std::unique_lock<std::mutex> lock(mutex);
  answered = nullptr;
  stop.Ring();
  const bool in_time = left.wait_for(lock, kJoinTimeout, [this] { return ended; });
  lock.unlock();
  // Only a name that is still being resolved holds it longer, and that cannot be interrupted.
  if (in_time) {
    thread.join();
  } else {
    thread.detach();
  }
}

}  // namespace postrider
