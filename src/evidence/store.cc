#include "evidence/store.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/text.h"

namespace postrider::evidence {
namespace {

constexpr std::chrono::seconds kTryAgainAfter(1);

class WritingStore final : public Store {
 public:
  WritingStore(std::unique_ptr<Place> place, const Wakeup* wakeup)
      : place_(std::move(place)), wakeup_(wakeup), thread_([this] { Work(); }) {}
  ~WritingStore() override {
    stop_.Ring();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
      news_.notify_all();
    }
    thread_.join();
  }

  absl::StatusOr<std::optional<Record>> Read(const Wakeup& stop) override { return place_->Read(stop); }
  void Write(const Record& record, bool anew) override;
  Lsn covered() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return covered_;
  }
  std::string place() const override { return place_->name(); }

 private:
  struct Wanted {
    Record record;
    bool anew = false;
  };

  void Work();
  absl::Status WriteNow(const Wanted& wanted);
  void TryAgain(Wanted wanted, std::unique_lock<std::mutex>& lock);

  const std::unique_ptr<Place> place_;
  const Wakeup* const wakeup_;
  const Wakeup stop_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable news_;
  bool stopping_ = false;
  std::optional<Wanted> wanted_;
  Lsn covered_;

  std::thread thread_;
};

void WritingStore::Write(const Record& record, bool anew) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (anew) covered_ = Lsn();
  // A waiting first one is not forgotten for its followers.
  wanted_ = Wanted{record, anew || (wanted_ && wanted_->anew)};
  news_.notify_all();
}

void WritingStore::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    news_.wait(lock, [this] { return stopping_ || wanted_.has_value(); });
    if (!wanted_) return;
    const Wanted wanted = *std::exchange(wanted_, std::nullopt);
    lock.unlock();
    const absl::Status status = WriteNow(wanted);
    lock.lock();
    const bool passes = absl::IsUnavailable(status);
    if (!status.ok() && !stopping_) {
      LogError("evidence_not_written", {{"place", place_->name()}, {"slot", wanted.record.slot}},
               absl::StrCat(status.message(), passes ? "; nothing is confirmed until it is written"
                                                     : "; events go on, but a restart may find the slot ahead of this "
                                                       "record, and will then want --accept-gap"));
    }
    if (passes) {
      if (stopping_) return;
      TryAgain(wanted, lock);
      continue;
    }
    if (!wanted_ || !wanted_->anew) covered_ = wanted.record.lsn;
    wakeup_->Ring();
  }
}

void WritingStore::TryAgain(Wanted wanted, std::unique_lock<std::mutex>& lock) {
  news_.wait_for(lock, kTryAgainAfter, [this] { return stopping_; });
  if (wanted_) {
    wanted_->anew |= wanted.anew;
  } else {
    wanted_ = std::move(wanted);
  }
}

absl::Status WritingStore::WriteNow(const Wanted& wanted) {
  if (!wanted.anew) {
    const absl::StatusOr<std::optional<Record>> there = place_->Read(stop_);
    if (absl::IsUnavailable(there.status())) return there.status();
    if (there.ok() && there->has_value() && (*there)->system_identifier == wanted.record.system_identifier &&
        (*there)->slot == wanted.record.slot && (*there)->lsn > wanted.record.lsn)
      return absl::OkStatus();
  }
  return place_->Write(wanted.record, stop_);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenStore(std::unique_ptr<Place> place, const Wakeup* wakeup) {
  if (absl::Status status = place->Open(); !status.ok()) return status;
  return std::make_unique<WritingStore>(std::move(place), wakeup);
}

absl::StatusOr<bool> MarkHandedBack(Place& place) {
  const Wakeup never;
  absl::StatusOr<std::optional<Record>> record = place.Read(never);
  if (!record.ok()) return record.status();
  if (!record->has_value()) return false;
  (*record)->handed_back = true;
  if (absl::Status status = place.Open(); !status.ok()) return status;
  if (absl::Status status = place.Write(**record, never); !status.ok()) return status;
  return true;
}

}  // namespace postrider::evidence
