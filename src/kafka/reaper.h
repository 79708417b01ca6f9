// Destroys librdkafka clients on a thread of its own: rd_kafka_destroy() joins threads and may wait for a name server.
//
// One thread, first come first served. The reaper's own destructor waits two seconds at the most for what is left, then
// leaves it to the end of the process. Take() may be called from any thread and never blocks. Tested by
// tests/unit/kafka/reaper_test.cc.
#pragma once

#include <functional>
#include <memory>

namespace postrider::kafka {

class Reaper {
 public:
  Reaper();
  ~Reaper();
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  // Runs `destroy` on the reaper's thread.
  void Take(std::function<void()> destroy);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which may outlive this object
};

}  // namespace postrider::kafka
