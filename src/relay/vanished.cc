#include "relay/vanished.h"

#include "absl/strings/str_cat.h"
#include "base/log.h"

namespace postrider::relay {

void TellVanished(const postgres::TimelineFork& fork, const Tracker& tracker, const std::string& slot, Stats& stats) {
  const bool own = !fork.recorded.valid();
  const Lsn published = own ? tracker.confirmable() : fork.recorded;
  const PublishedLog::Count count = tracker.AcknowledgedFrom(fork.lsn);
  const bool none = own ? count.transactions == 0 && count.whole : published <= fork.lsn;
  if (none && fork.lsn.valid()) return;
  std::string transactions = "unknown", events = "unknown", counted = "none";
  if (own && fork.lsn.valid()) {
    Bump(stats.transactions_vanished, count.transactions);
    Bump(stats.events_vanished, count.events);
    transactions = absl::StrCat(count.transactions);
    events = absl::StrCat(count.events);
    counted = count.whole ? "all" : "the latest";
  }
  LogError("transactions_vanished",
           {{"slot", slot},
            {"timeline", absl::StrCat(fork.timeline)},
            {"from_lsn", fork.lsn.ToString()},
            {"to_lsn", published.ToString()},
            {"transactions", transactions},
            {"events", events},
            {"counted", counted}},
           own ? "a standby was promoted that did not have everything which was published: Kafka has events of "
                 "transactions that are gone"
               : "a standby was promoted, and an earlier run had read beyond its history: Kafka may have events of "
                 "transactions that are gone");
}

}  // namespace postrider::relay
