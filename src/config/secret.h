// A value that may be secret and may live outside the configuration: `${env:X}`, `${file:PATH:KEY}`,
// `${directory:PATH:FILE}` or plain text.
//
// Read() resolves the placeholders anew at each call, so that a rotated password is seen at the next connection. It may
// read a file and therefore block: never on the loop's thread. A Secret has no operator<< and no ToString: it cannot
// slip into a log. Thread-safe once made.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace postrider::config {

class Secret {
 public:
  Secret() = default;
  // `resolve` turns the text as written into the value; it must be callable from any thread.
  Secret(std::string raw, std::function<absl::StatusOr<std::string>(const std::string&)> resolve)
      : raw_(std::move(raw)), resolve_(std::move(resolve)) {}
  static Secret Plain(std::string value) { return Secret(std::move(value), nullptr); }

  bool empty() const { return raw_.empty(); }
  absl::StatusOr<std::string> Read() const {
    if (!resolve_) return raw_;
    return resolve_(raw_);
  }

 private:
  std::string raw_;
  std::function<absl::StatusOr<std::string>(const std::string&)> resolve_;
};

}  // namespace postrider::config
