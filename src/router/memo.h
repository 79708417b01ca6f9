// Results kept for texts seen before, up to a limit; then it starts anew. One thread at a time. Tested by
// tests/unit/router/memo_test.cc.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/text.h"

namespace postrider::router {

template <typename Result>
class Memo {
 public:
  static constexpr size_t kKeptMax = 4096;

  // What `compute(text)` gives, or gave before. Lives until the next call.
  template <typename Compute>
  const Result& Get(std::string_view text, Compute compute) {
    const auto found = results_.find(View(text));
    if (found != results_.end()) return found->second;
    Result result = compute(text);
    if (results_.size() >= kKeptMax) results_.clear();
    return results_.emplace(std::string(text), std::move(result)).first->second;
  }

 private:
  absl::flat_hash_map<std::string, Result> results_;
};

}  // namespace postrider::router
