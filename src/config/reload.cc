#include "config/reload.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace postrider::config {
namespace {

// A `.` at the end stands for any rest.
constexpr std::string_view kTaken[] = {"postrider.log.level", "postrider.wal.budget.bytes", "postrider.poison.",
                                       "errors.tolerance", "errors.deadletterqueue."};

bool IsTaken(std::string_view key) {
  return std::any_of(std::begin(kTaken), std::end(kTaken),
                     [key](std::string_view row) { return row.ends_with('.') ? key.starts_with(row) : key == row; });
}

// One key on both sides; null where it is absent.
struct Pair {
  const GivenKey* now = nullptr;
  const GivenKey* next = nullptr;

  const GivenKey& given() const { return next != nullptr ? *next : *now; }
  // A secret's text is compared as it is written: what a placeholder gives is read anew at each connection anyway.
  static std::string TextOf(const GivenKey* side, const GivenKey& other) {
    if (side == nullptr) return other.fallback;
    return side->source != nullptr ? side->source->raw() : side->text;
  }
  bool differs() const {
    const bool honoured = (now != nullptr && now->honoured) || (next != nullptr && next->honoured);
    return honoured && TextOf(now, given()) != TextOf(next, given());
  }
  // A secret that was not there had no connection that could read it.
  bool is_taken() const {
    return IsTaken(given().key) ||
           (now != nullptr && next != nullptr && now->source != nullptr && next->source != nullptr);
  }
};

std::map<std::string_view, Pair> PairsOf(const std::vector<GivenKey>& now, const std::vector<GivenKey>& next) {
  std::map<std::string_view, Pair> pairs;
  for (const GivenKey& key : now) pairs[key.key].now = &key;
  for (const GivenKey& key : next) pairs[key.key].next = &key;
  return pairs;
}

}  // namespace

Changes Compare(const std::vector<GivenKey>& now, const std::vector<GivenKey>& next) {
  Changes changes;
  for (const auto& [key, pair] : PairsOf(now, next)) {
    if (!pair.differs()) continue;
    (pair.is_taken() ? changes.taken : changes.needs_restart).push_back(pair.given().name);
  }
  return changes;
}

void TakeKeys(std::vector<GivenKey>& now, const std::vector<GivenKey>& next) {
  POSTRIDER_CHECK(Compare(now, next).needs_restart.empty());
  std::vector<GivenKey> taken = next;
  const std::map<std::string_view, Pair> pairs = PairsOf(now, next);
  for (GivenKey& key : taken) {
    const GivenKey* before = pairs.at(key.key).now;
    if (key.source == nullptr || before == nullptr || before->source == nullptr) continue;
    before->source->Become(*key.source);
    key.source = before->source;
  }
  now = std::move(taken);
}

}  // namespace postrider::config
