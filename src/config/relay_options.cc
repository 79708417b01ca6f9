#include "config/parts.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kPolicy = "postrider.poison.policy";
constexpr std::string_view kDeadLetterTopic = "errors.deadletterqueue.topic.name";

void MakePoison(Draft& draft, Poison& poison) {
  poison.attempts = static_cast<int>(draft.Number("postrider.poison.attempts"));
  poison.dead_letter_topic = draft.Text(kDeadLetterTopic);
  poison.dead_letter_replication_factor =
      static_cast<int>(draft.Number("errors.deadletterqueue.topic.replication.factor"));
  poison.context_headers = draft.Flag("errors.deadletterqueue.context.headers.enable");
  poison.park_same_key = draft.Flag("postrider.poison.park.same.key");
  const bool tolerant = draft.Choice<bool>("errors.tolerance", {{"none", false}, {"all", true}});
  if (!draft.Has(kPolicy)) {
    poison.policy = !poison.dead_letter_topic.empty() ? PoisonPolicy::kPark
                    : tolerant                        ? PoisonPolicy::kSkip
                                                      : PoisonPolicy::kHold;
    return;
  }
  poison.policy = draft.Choice<PoisonPolicy>(
      kPolicy, {{"hold", PoisonPolicy::kHold}, {"park", PoisonPolicy::kPark}, {"skip", PoisonPolicy::kSkip}});
  if (poison.policy == PoisonPolicy::kPark && poison.dead_letter_topic.empty())
    draft.Refuse(kPolicy, Cat("an event is parked in a topic: set ", kDeadLetterTopic));
}

}  // namespace

void MakeRelay(Draft& draft, Relay& relay, Logging& logging) {
  relay.inflight_bytes_max = draft.Number("postrider.inflight.bytes");
  relay.drain_timeout_ms = draft.Number("postrider.drain.timeout.ms");
  relay.server_stop_drain_ms = draft.Number("postrider.server.stop.drain.ms");
  MakePoison(draft, relay.poison);
  logging.level = ToLower(draft.Text("postrider.log.level"));
  logging.format = ToLower(draft.Text("postrider.log.format"));
}

}  // namespace postrider::config
