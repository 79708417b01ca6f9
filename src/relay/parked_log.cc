#include "relay/parked_log.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/text.h"

namespace postrider::relay {

std::string ParkedLog::KeyOf(const Record& record) {
  // A topic's name holds no slash.
  return record.key ? absl::StrCat(View(record.topic), "/", View(*record.key)) : std::string();
}

void ParkedLog::Add(ParkedEvent event) {
  if (!event.key.empty()) keys_.insert(event.key);
  if (events_.size() == kEventsMax) events_.pop_front();
  events_.push_back(std::move(event));
}

bool ParkedLog::ReleaseKey(std::string_view word) {
  if (keys_.erase(View(word)) > 0) return true;
  for (const ParkedEvent& event : events_)
    if (event.id == word && !event.key.empty() && keys_.erase(event.key) > 0) return true;
  return false;
}

}  // namespace postrider::relay
