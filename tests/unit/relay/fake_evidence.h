// An evidence store that tests let write when they want. For tests only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evidence/store.h"

namespace postrider::relay {

class FakeEvidence final : public evidence::Store {
 public:
  absl::StatusOr<std::optional<evidence::Record>> Read(const Wakeup& /*stop*/) override {
    if (records.empty()) return std::optional<evidence::Record>();
    return std::optional<evidence::Record>(records.back());
  }
  void Write(const evidence::Record& record, bool anew) override {
    records.push_back(record);
    anews.push_back(anew);
    if (anew) covered_ = Lsn();
    if (!corked) covered_ = record.lsn;
  }
  Lsn covered() const override { return covered_; }
  std::string place() const override { return "memory"; }

  void Uncork() {
    corked = false;
    covered_ = records.back().lsn;
  }

  std::vector<evidence::Record> records;
  std::vector<bool> anews;
  bool corked = false;

 private:
  Lsn covered_;
};

}  // namespace postrider::relay
