#include "postgres/action.h"

#include <poll.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/status/statusor.h"
#include "postgres/connection.h"

namespace postrider::postgres {
namespace {

constexpr std::chrono::seconds kJoinTimeout{1};

// Nothing was asked, so that whatever the server says is mostly its farewell.
bool HasSpoken(const Connection& connection) {
  pollfd polled{PQsocket(connection.raw()), POLLIN, 0};
  return poll(&polled, 1, 0) != 0;
}

}  // namespace

// What the thread and its owner share; the thread keeps it alive should the owner have to leave it behind.
struct Action::Shared {
  explicit Shared(const config::Config& configuration) : config(configuration) {}

  const config::Config config;
  const Wakeup stop;   // rung once, by the owner: ends whatever waits
  const Wakeup asked;  // rung with each Start

  std::mutex mutex;  // guards what follows
  std::condition_variable left;
  bool ended = false;
  const Wakeup* answered = nullptr;  // the owner's bell; null once the owner has gone
  std::optional<absl::Status> answer;

  // The thread's own.
  std::optional<Connection> connection;

  absl::Status Run();
};

absl::Status Action::Shared::Run() {
  if (connection && HasSpoken(*connection)) connection.reset();
  if (!connection) {
    absl::StatusOr<Connection> made = Connection::Open(config, ConnectionKind::kQuery, &stop);
    if (!made.ok()) return made.status();
    connection = *std::move(made);
  }
  absl::Status status =
      connection->Execute(config.heartbeat.action_query, {.doing = "heartbeat.action.query"}).status();
  if (!status.ok()) connection.reset();
  return status;
}

void Action::Work(const std::shared_ptr<Shared>& shared) {
  while (true) {
    pollfd polled[2] = {{shared->stop.fd(), POLLIN, 0}, {shared->asked.fd(), POLLIN, 0}};
    if (poll(polled, 2, -1) < 0) continue;
    if (polled[0].revents != 0) break;
    shared->asked.Clear();
    absl::Status status = shared->Run();
    const std::lock_guard<std::mutex> lock(shared->mutex);
    shared->answer = std::move(status);
    if (shared->answered != nullptr) shared->answered->Ring();
  }
  shared->connection.reset();
  const std::lock_guard<std::mutex> lock(shared->mutex);
  shared->ended = true;
  shared->left.notify_all();
}

Action::Action(const config::Config& config, const Wakeup* answered) : shared_(std::make_shared<Shared>(config)) {
  shared_->answered = answered;
  thread_ = std::thread(Work, shared_);
}

Action::~Action() {
  std::unique_lock<std::mutex> lock(shared_->mutex);
  shared_->answered = nullptr;
  shared_->stop.Ring();
  const bool ended = shared_->left.wait_for(lock, kJoinTimeout, [&] { return shared_->ended; });
  lock.unlock();
  // Only a name that is still being resolved holds it longer, and that cannot be interrupted.
  if (ended) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

void Action::Start() {
  shared_->asked.Ring();
}

std::optional<absl::Status> Action::Take() {
  const std::lock_guard<std::mutex> lock(shared_->mutex);
  return std::exchange(shared_->answer, std::nullopt);
}

}  // namespace postrider::postgres
