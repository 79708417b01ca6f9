#include "postgres/action.h"

#include <poll.h>

#include "absl/status/statusor.h"
#include "base/worker.h"
#include "postgres/connection.h"

namespace postrider::postgres {
namespace {

// Nothing was asked, so that whatever the server says is mostly its farewell.
bool HasSpoken(const Connection& connection) {
  pollfd polled{PQsocket(connection.raw()), POLLIN, 0};
  return poll(&polled, 1, 0) != 0;
}

}  // namespace

struct Action::Shared : Worker {
  Shared(const config::Config& configuration, const Wakeup* owner) : Worker(owner), config(configuration) {}

  const config::Config config;
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
    shared->Answer(shared->answer, shared->Run());
  }
  shared->connection.reset();
  shared->End();
}

Action::Action(const config::Config& config, const Wakeup* answered)
    : shared_(std::make_shared<Shared>(config, answered)), thread_(Work, shared_) {}

Action::~Action() {
  shared_->Leave(thread_);
}

void Action::Start() {
  shared_->asked.Ring();
}

std::optional<absl::Status> Action::Take() {
  return shared_->Take(shared_->answer);
}

}  // namespace postrider::postgres
