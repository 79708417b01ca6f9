#include "relay/published_log.h"

namespace postrider::relay {

void PublishedLog::Add(Lsn commit_lsn, uint64_t events) {
  if (entries_.size() < kTransactionsMax) {
    entries_.push_back({commit_lsn, events});
    return;
  }
  entries_[oldest_] = {commit_lsn, events};
  oldest_ = (oldest_ + 1) % entries_.size();
}

void PublishedLog::Clear() {
  entries_.clear();
  oldest_ = 0;
}

PublishedLog::Count PublishedLog::From(Lsn lsn) const {
  Count count{.whole = entries_.size() < kTransactionsMax || entries_[oldest_].commit_lsn < lsn};
  for (size_t back = 1; back <= entries_.size(); ++back) {
    const Entry& entry = entries_[(oldest_ + entries_.size() - back) % entries_.size()];
    if (entry.commit_lsn < lsn) break;
    ++count.transactions;
    count.events += entry.events;
  }
  return count;
}

}  // namespace postrider::relay
