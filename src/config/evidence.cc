// Where the evidence record is kept.
#include "config/parts.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kOffsets = "offset.storage.file.filename";
constexpr std::string_view kFolder = "/var/lib/postrider";

}  // namespace

void MakeEvidence(Draft& draft, const Slot& slot, Evidence& evidence) {
  evidence.file = draft.Text("postrider.state.file");
  evidence.topic = draft.Text("postrider.state.topic");
  evidence.required = !evidence.file.empty() || !evidence.topic.empty();
  if (!evidence.file.empty()) {
    if (!evidence.topic.empty())
      draft.Refuse("postrider.state.topic",
                   "the evidence record has one place: remove this key or postrider.state.file");
    return;
  }
  const std::string offsets = draft.Text(kOffsets);
  if (offsets.empty()) {
    evidence.file = Cat(kFolder, "/", slot.name, ".json");
    return;
  }
  const size_t slash = offsets.rfind('/');
  evidence.file = Cat(slash == std::string::npos ? "" : offsets.substr(0, slash + 1), "postrider-", slot.name, ".json");
}

}  // namespace postrider::config
