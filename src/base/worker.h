// A thread that blocks, and what it shares with its owner.
//
// What the two share derives from it and is held by both, so that the thread keeps it alive should the owner have to
// leave it behind. `stop` and `asked` are for the thread to poll; the rest, and what derived classes put beside it as
// answers, is guarded by `mutex`. Tested by tests/unit/postgres/connector_test.cc and action_test.cc.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/wakeup.h"

namespace postrider {

struct Worker {
  explicit Worker(const Wakeup* owner) : answered(owner) {}

  const Wakeup stop;   // rung once, by the owner: ends whatever waits
  const Wakeup asked;  // rung with each question

  std::mutex mutex;  // guards what follows
  std::condition_variable left;
  bool ended = false;
  const Wakeup* answered;  // the owner's bell; null once the owner has gone

  // The thread's: rings the owner, alone or with an answer in the place where it is taken from; its last word.
  void RingOwner();
  template <typename T, typename Value>
  void Answer(std::optional<T>& place, Value value) {
    const std::lock_guard<std::mutex> lock(mutex);
    place.emplace(std::move(value));
    if (answered != nullptr) answered->Ring();
  }
  void End();

  // The owner's: an answer, once; the end, which cancels what runs and joins within a second.
  template <typename T>
  std::optional<T> Take(std::optional<T>& place) {
    const std::lock_guard<std::mutex> lock(mutex);
    return std::exchange(place, std::nullopt);
  }
  void Leave(std::thread& thread);
};

}  // namespace postrider
