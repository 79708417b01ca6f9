// A bell between threads: an eventfd that one side rings and another polls.
//
// Ring() may be called from any thread and from a signal handler; Clear() and fd() belong to the polling thread.
// The owner outlives every ringer. Tested by tests/unit/base/wakeup_test.cc.
#pragma once

namespace postrider {

class Wakeup {
 public:
  Wakeup();
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  int fd() const { return fd_; }
  void Ring() const;
  void Clear() const;

 private:
  int fd_;
};

}  // namespace postrider
