#include "config/parts.h"
#include "config/text.h"

namespace postrider::config {

void MakeRelay(Draft& draft, Relay& relay, Logging& logging) {
  relay.inflight_bytes_max = draft.Number("postrider.inflight.bytes");
  relay.drain_timeout_ms = draft.Number("postrider.drain.timeout.ms");
  relay.server_stop_drain_ms = draft.Number("postrider.server.stop.drain.ms");
  relay.skip_what_cannot_be_published = draft.Choice<bool>("errors.tolerance", {{"none", false}, {"all", true}});
  logging.level = ToLower(draft.Text("postrider.log.level"));
  logging.format = ToLower(draft.Text("postrider.log.format"));
}

}  // namespace postrider::config
