#include "kafka/contact.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "kafka/outcome.h"

namespace postrider::kafka {
namespace {
constexpr std::chrono::milliseconds kProducerIdWithin(500);
}

void Contact::TakeError(rd_kafka_event_t* event, std::vector<ProducerEvent>& events) {
  using Kind = ProducerEvent::Kind;
  const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
  const std::string_view text = rd_kafka_event_error_string(event);
  if (rd_kafka_event_error_is_fatal(event)) {
    events.push_back({.kind = IsRefusal(error) ? Kind::kRefused : Kind::kFatal,
                      .text = absl::StrCat("the Kafka producer gave up (", rd_kafka_err2name(error),
                                           "): ", rd_kafka_event_error_string(event))});
  } else if (error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    TakeAllDown(events);
  } else if (IsRefusal(error) || text.find("SSL alert number") != text.npos) {
    // The latter: a certificate of ours that a broker does not accept shows as an alert on an open connection.
    events.push_back({.kind = Kind::kRefused, .text = RefusalText(text)});
  }
}

void Contact::TakeAllDown(std::vector<ProducerEvent>& events) {
  if (std::exchange(all_down_, true)) return;
  // Before anything was answered, a hang-up says more than it seems to.
  const bool hung_up = !answered() && last_failure_.find("Disconnected") != last_failure_.npos;
  connected_ = false;
  answered_at_.reset();
  events.push_back({.kind = ProducerEvent::Kind::kAllDown,
                    .text = absl::StrCat("no Kafka broker can be reached; the last attempt: ", last_failure_,
                                         hung_up ? " (does it want another security.protocol, TLS or SASL?)" : "")});
}

void Contact::TakeLogLine(rd_kafka_event_t* event) {
  const char* facility = nullptr;
  const char* text = nullptr;
  int level = 0;
  if (rd_kafka_event_log(event, &facility, &text, &level) != 0) return;
  std::string_view line = text;
  // Said of each producer that has it; we have it on purpose.
  if (line.find("enable.gapless.guarantee is experimental") != line.npos) return;
  // The thread's name in front and the time in a state behind keep a repeated line from being known as one.
  if (line.starts_with("[thrd:")) line.remove_prefix(std::min(line.size(), line.find("]: ") + 3));
  if (const size_t tail = line.rfind(" (after "); tail != line.npos) line = line.substr(0, tail);
  if (std::string_view(facility) == "FAIL") last_failure_ = line;
  // syslog's levels. Errors of its own are for the loop to judge.
  const LogLevel as = level <= 4 ? LogLevel::kWarning : level <= 6 ? LogLevel::kInfo : LogLevel::kDebug;
  Log(as, "kafka_client", {{"facility", facility}}, line);
}

void Contact::Answered(TimePoint now) {
  if (!answered_at_) answered_at_ = now;
}

void Contact::Acknowledged(std::vector<ProducerEvent>& events) {
  if (std::exchange(connected_, true)) return;
  all_down_ = false;
  events.push_back({.kind = ProducerEvent::Kind::kConnected, .text = "a Kafka broker answered"});
}

void Contact::Tick(TimePoint now, std::vector<ProducerEvent>& events) {
  if (answered_at_ && now - *answered_at_ >= kProducerIdWithin) Acknowledged(events);
}

}  // namespace postrider::kafka
