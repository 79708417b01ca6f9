// The transactions whose records were acknowledged last: to tell, after a failover, how many of them the new primary
// does not have.
//
// Bounded: the newest kTransactionsMax, 16 bytes each; it grows only as far as it is used. One thread. Tested by
// tests/unit/relay/published_log_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "decoder/lsn.h"

namespace postrider::relay {

class PublishedLog {
 public:
  static constexpr size_t kTransactionsMax = 65'536;

  // In commit order. `commit_lsn` is where the commit record begins.
  void Add(Lsn commit_lsn, uint64_t events);
  void Clear();

  struct Count {
    uint64_t transactions = 0;
    uint64_t events = 0;
    bool whole = true;  // false: there may be more, which were forgotten
  };
  // Those that committed at `lsn` or behind it.
  Count From(Lsn lsn) const;

 private:
  struct Entry {
    Lsn commit_lsn;
    uint64_t events = 0;
  };
  std::vector<Entry> entries_;  // a ring once it is full
  size_t oldest_ = 0;
};

}  // namespace postrider::relay
