#include "kafka/reaper.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace postrider::kafka {
namespace {
constexpr std::chrono::seconds kPatience(2);
}

struct Reaper::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> waiting;
  bool busy = false;
  bool closing = false;

  void Run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [this] { return closing || !waiting.empty(); });
      if (waiting.empty()) return;
      const std::function<void()> destroy = std::move(waiting.front());
      waiting.pop_front();
      busy = true;
      lock.unlock();
      destroy();
      lock.lock();
      busy = false;
      changed.notify_all();
    }
  }
};

Reaper::Reaper() : state_(std::make_shared<State>()) {
  // Signals are for the loop's thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([state = state_] { state->Run(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Reaper::~Reaper() {
  std::unique_lock lock(state_->mutex);
  state_->closing = true;
  state_->changed.notify_all();
  state_->changed.wait_for(lock, kPatience, [this] { return state_->waiting.empty() && !state_->busy; });
}

void Reaper::Take(std::function<void()> destroy) {
  const std::lock_guard lock(state_->mutex);
  state_->waiting.push_back(std::move(destroy));
  state_->changed.notify_all();
}

}  // namespace postrider::kafka
