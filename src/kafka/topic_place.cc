#include "kafka/topic_place.h"

#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kafka/record_log.h"

namespace postrider::kafka {
namespace {

using evidence::Record;

class TopicPlace final : public evidence::Place {
 public:
  TopicPlace(const config::Producer& config, std::string topic, std::string slot, std::chrono::milliseconds timeout)
      : topic_(topic), timeout_(timeout), log_(config, std::move(topic), std::move(slot)) {}

  absl::Status Open() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return log_.Open();
  }

  absl::StatusOr<std::optional<Record>> Read(const Wakeup& stop) override {
    const Patience patience = NewPatience(stop);
    const std::unique_lock<std::mutex> lock = Lock(patience);
    if (!lock.owns_lock()) return Busy();
    const absl::StatusOr<std::optional<std::string>> newest = log_.Newest(patience);
    if (!newest.ok()) return newest.status();
    if (!newest->has_value()) return std::optional<Record>();
    absl::StatusOr<Record> record = evidence::ParseRecord(**newest);
    if (!record.ok()) return record.status();
    return *std::move(record);
  }

  absl::Status Write(const Record& record, const Wakeup& stop) override {
    const Patience patience = NewPatience(stop);
    const std::unique_lock<std::mutex> lock = Lock(patience);
    if (!lock.owns_lock()) return Busy();
    return log_.Append(evidence::FormatRecord(record), patience);
  }

  std::string name() const override { return absl::StrCat("the topic ", topic_); }

 private:
  Patience NewPatience(const Wakeup& stop) const {
    return {.deadline = std::chrono::steady_clock::now() + timeout_, .stop = &stop};
  }
  // The other thread may be waiting for a broker; then ours comes to no more.
  std::unique_lock<std::mutex> Lock(const Patience& patience) {
    std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
    while (!lock.try_lock() && !patience.ended()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return lock;
  }
  absl::Status Busy() const { return absl::UnavailableError(absl::StrCat(name(), " does not answer")); }

  const std::string topic_;
  const std::chrono::milliseconds timeout_;
  std::mutex mutex_;  // guards what follows
  RecordLog log_;
};

}  // namespace

std::unique_ptr<evidence::Place> MakeTopicPlace(const config::Producer& config, std::string topic, std::string slot,
                                                std::chrono::milliseconds timeout) {
  return std::make_unique<TopicPlace>(config, std::move(topic), std::move(slot), timeout);
}

}  // namespace postrider::kafka
