// The evidence record in the simulated world: written after a while, and read by the judge at each status.
//
// It outlives the relay's processes, as a file does.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "evidence/store.h"
#include "sim/world.h"

namespace postrider::sim {

class EvidenceStore final : public evidence::Store {
 public:
  explicit EvidenceStore(World* world) : world_(world) {}

  // Its disk is slow.
  void SlowDown(int64_t us) { slow_until_us_ = world_->clock.now_us() + us; }
  void Mend() { slow_until_us_ = 0; }

  absl::StatusOr<std::optional<evidence::Record>> Read(const Wakeup& /*stop*/) override { return record_; }
  void Write(const evidence::Record& record, bool anew) override {
    waits_ = record;
    waits_anew_ |= anew;
    if (anew) covered_ = Lsn();
    if (!writes_) BeginWriting();
  }
  Lsn covered() const override { return covered_; }
  std::string place() const override { return "memory"; }

  // What the record says now; zero while there is none.
  Lsn recorded() const { return record_ ? record_->lsn : Lsn(); }

 private:
  void BeginWriting() {
    writes_ = true;
    const evidence::Record record = *waits_;
    const bool anew = waits_anew_;
    waits_.reset();
    waits_anew_ = false;
    const bool slow = world_->clock.now_us() < slow_until_us_;
    if (slow) world_->CountFault("record written late");
    world_->schedule.After(world_->random.Skewed(100, slow ? 3 * kSecond : 5 * kMs), [this, record, anew] {
      if (anew || !record_ || record.lsn > record_->lsn) record_ = record;
      if (!waits_anew_) covered_ = record.lsn;
      writes_ = false;
      world_->Ring();
      if (waits_) BeginWriting();
    });
  }

  World* const world_;
  std::optional<evidence::Record> record_;
  std::optional<evidence::Record> waits_;
  bool waits_anew_ = false;
  bool writes_ = false;
  Lsn covered_;
  int64_t slow_until_us_ = 0;
};

}  // namespace postrider::sim
