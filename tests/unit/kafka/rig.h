// A producer with what the relay's loop gives it: the bell, polls, and one answer for each record.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/wakeup.h"
#include "kafka/producer.h"

namespace postrider::kafka {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

class Rig {
 public:
  explicit Rig(const config::Producer& config, ProducerSettings settings = {})
      : factory_(MakeProducerFactory(config, &bell_)) {
    auto made = factory_->Make(settings);
    EXPECT_TRUE(made.ok()) << made.status();
    producer = *std::move(made);
  }

  // One turn of the loop: sleeps until rung, 100 ms at the most.
  void Turn() {
    pollfd waiting{.fd = bell_.fd(), .events = POLLIN, .revents = 0};
    poll(&waiting, 1, 100);
    bell_.Clear();
    const size_t before = deliveries.size();
    producer->Poll(deliveries, events);
    for (size_t i = before; i < deliveries.size(); ++i) ++reports[deliveries[i].tag];
  }

  bool Until(const std::function<bool()>& done, seconds patience = seconds(10)) {
    const auto deadline = Clock::now() + patience;
    while (!done()) {
      if (Clock::now() > deadline) return false;
      Turn();
    }
    return true;
  }

  // Offers a record as the loop does: again while it is to wait.
  Acceptance Offer(const Record& record, uint64_t tag, seconds patience = seconds(10)) {
    Acceptance acceptance;
    Until([&] { return (acceptance = producer->Produce(record, tag)).kind != Acceptance::Kind::kWait; }, patience);
    return acceptance;
  }

  Acceptance Check(std::string_view topic, size_t record_bytes = 0, std::optional<int32_t> partition = std::nullopt) {
    Acceptance acceptance;
    Until([&] {
      return (acceptance = producer->CheckTopic(topic, record_bytes, partition)).kind != Acceptance::Kind::kWait;
    });
    return acceptance;
  }

  bool Drain(seconds patience = seconds(10)) {
    return Until([&] { return producer->outstanding() == 0; }, patience);
  }

  size_t Count(Delivery::Outcome outcome) const {
    size_t count = 0;
    for (const Delivery& delivery : deliveries) count += delivery.outcome == outcome;
    return count;
  }
  const ProducerEvent* Find(ProducerEvent::Kind kind) const {
    for (const ProducerEvent& event : events) {
      if (event.kind == kind) return &event;
    }
    return nullptr;
  }
  // The first delivery that tells a cause.
  const Delivery* Cause() const {
    for (const Delivery& delivery : deliveries) {
      if (delivery.outcome != Delivery::Outcome::kAcknowledged && delivery.outcome != Delivery::Outcome::kPurged)
        return &delivery;
    }
    return nullptr;
  }
  // Each of the tags 1 to `count` was reported, and once.
  bool EachReportedOnce(uint64_t count) const {
    if (reports.size() != count) return false;
    for (const auto& [tag, times] : reports) {
      if (tag < 1 || tag > count || times != 1) return false;
    }
    return true;
  }

 private:
  Wakeup bell_;  // outlives the rest
  std::unique_ptr<ProducerFactory> factory_;

 public:
  std::unique_ptr<Producer> producer;
  std::vector<Delivery> deliveries;
  std::vector<ProducerEvent> events;
  std::map<uint64_t, int> reports;
};

inline void PrintTo(const Acceptance& acceptance, std::ostream* out) {
  *out << "Acceptance " << static_cast<int>(acceptance.kind) << " " << acceptance.code << ": " << acceptance.reason;
}

inline config::Producer ConfigFor(const std::string& brokers) {
  config::Producer config;
  const auto set = [&config](const char* name, std::string value) {
    config.properties.emplace_back(name, config::Secret::Plain(std::move(value)));
  };
  set("bootstrap.servers", brokers);
  set("linger.ms", "5");
  return config;
}

}  // namespace postrider::kafka
