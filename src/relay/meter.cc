#include "relay/meter.h"

namespace postrider::relay {

Meter::Meter() : series_(std::make_unique<Series[]>(kSeriesMax + 1)) {}

uint32_t Meter::Find(std::string_view table, std::string_view topic) {
  const size_t used = size_.load(std::memory_order_relaxed);
  // Most events follow one of the same kind: an insert, then a delete of the same table.
  uint32_t& last = last_[topic.empty() ? 0 : 1];
  if (last < used && series_[last].table == table && series_[last].topic == topic) return last;
  key_.assign(table);
  key_.push_back('\0');  // in no name of PostgreSQL's or Kafka's
  key_.append(topic);
  if (const auto found = places_.find(key_); found != places_.end()) return last = found->second;
  if (used <= kSeriesMax) {
    const bool last_place = used == kSeriesMax;
    series_[used].table = last_place ? kOther : table;
    series_[used].topic = last_place ? kOther : topic;
    size_.store(used + 1, std::memory_order_release);
    if (last_place) return kSeriesMax;
    places_.emplace(key_, static_cast<uint32_t>(used));
    return last = static_cast<uint32_t>(used);
  }
  return kSeriesMax;
}

}  // namespace postrider::relay
