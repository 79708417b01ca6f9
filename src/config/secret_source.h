// Where a secret's text comes from, shared by all Secrets made of one key, so that a reload reaches them all.
//
// A key of the configuration that holds a secret has one source. The Secrets that the parts of a Config hold (a JAAS
// text gives two) read through it, in every copy of the Config. Become() gives it the text that the file has now; a
// connection that is made later reads that. Thread-safe. Tested by tests/unit/config/reload_test.cc.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace postrider::config {

class SecretSource {
 public:
  using Resolve = std::function<absl::StatusOr<std::string>(const std::string&)>;

  // `resolve` (may be null) turns the text as written into the value; callable from any thread.
  SecretSource(std::string raw, Resolve resolve) : raw_(std::move(raw)), resolve_(std::move(resolve)) {}

  // May read files: not under the lock.
  absl::StatusOr<std::string> Read() const {
    const auto [raw, resolve] = Written();
    if (!resolve) return raw;
    return resolve(raw);
  }

  // The text as written, to compare.
  std::string raw() const { return Written().first; }

  void Become(const SecretSource& other) {
    auto [raw, resolve] = other.Written();
    const std::lock_guard<std::mutex> lock(mutex_);
    raw_ = std::move(raw);
    resolve_ = std::move(resolve);
  }

 private:
  std::pair<std::string, Resolve> Written() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return {raw_, resolve_};
  }

  mutable std::mutex mutex_;
  std::string raw_;
  Resolve resolve_;
};

}  // namespace postrider::config
