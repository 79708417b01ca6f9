#include "monitor/publication_age.h"

#include <algorithm>

namespace postrider::monitor {
namespace {

// Samples come every second; without one for this long the newest says nothing of now.
constexpr int64_t kFreshUs = 3 * Samples::kSecond;
// A list that has just begun knows nothing yet of what is below it.
constexpr int64_t kKnowsNothingUs = 2 * Samples::kSecond;

}  // namespace

PublicationAge AgeOfPublication(const Samples& samples, const PublicationFacts& facts, int64_t now_us) {
  PublicationAge result;
  if (!samples.empty()) {
    const auto covered =
        facts.acknowledged_lsn.valid() ? samples.NewestAtOrBelow(facts.acknowledged_lsn) : std::optional<Sample>();
    if (covered) {
      const bool fresh = now_us - samples.newest().us < kFreshUs;
      result.published_until_us = covered->us;
      result.age_us = fresh && samples.IsUpToDate(facts.acknowledged_lsn) ? 0 : now_us - covered->us;
    } else if (now_us - samples.oldest().us >= kKnowsNothingUs) {
      result.age_us = now_us - samples.oldest().us;
    }
  }
  if (facts.unacknowledged_us) result.age_us = std::max(result.age_us.value_or(0), *facts.unacknowledged_us);
  return result;
}

}  // namespace postrider::monitor
