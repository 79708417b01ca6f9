// The running relay's ear: a Unix socket (mode 0600) on which its owner gives orders. READ THIS FIRST in control/.
//
// A client sends one line, "VERB[ WORD]", and gets "ok" or "error" on a line, then text until the end. Verbs: list,
// list-json, show ID, retry, park ID, skip ID, release WORD, pause, resume (control/order.h). One client at a time,
// with two seconds to speak and to listen; a line has at most 4 kB.
//
// A thread of its own, which only waits for the loop's answer (relay/desk.h). A socket that a dead process left behind
// is replaced; while another relay has the address (a hot standby beside the leader) it is tried again every five
// seconds. Tested by tests/unit/control/server_test.cc.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/wakeup.h"
#include "relay/desk.h"

namespace postrider::control {

class Server {
 public:
  // Binds `path`. Unavailable where another process listens there: the server then goes on trying (status()). Any other
  // failure is returned: the folder is missing, no right to write, a file that is no socket.
  static absl::StatusOr<std::unique_ptr<Server>> Listen(std::string path, relay::Desk* desk, const Clock* clock);
  ~Server();  // joins within a second, and removes the socket
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  bool listens() const { return listens_; }

 private:
  Server(std::string path, relay::Desk* desk, const Clock* clock);
  absl::Status Bind();
  void Work();
  void Serve(int client);

  const std::string path_;
  relay::Desk* const desk_;
  const Clock* const clock_;
  const Wakeup stop_;
  int socket_ = -1;
  std::atomic<bool> listens_{false};
  std::thread thread_;
};

}  // namespace postrider::control
