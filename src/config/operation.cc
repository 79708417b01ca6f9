// Where operators and their programs reach a running relay: HTTP and the control socket.
#include <optional>

#include "config/parts.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kAddress = "postrider.http.address";
constexpr std::string_view kSocket = "postrider.control.socket";
constexpr size_t kSocketPathMax = 107;  // sockaddr_un of Linux, less its zero

// host:port, [v6]:port, or off.
bool IsAddress(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  const std::string_view host = text.substr(0, colon);
  if (host.find(':') != std::string_view::npos && (host.front() != '[' || host.back() != ']')) return false;
  const std::optional<int64_t> port = ParseNumber(text.substr(colon + 1));
  return port && *port >= 0 && *port <= 65535;
}

}  // namespace

void MakeMonitor(Draft& draft, Monitor& monitor) {
  monitor.wal_budget_bytes = draft.Number("postrider.wal.budget.bytes");
  const std::string address = draft.Text(kAddress);
  monitor.http_required = draft.Has(kAddress);
  if (address.empty() || EqualsIgnoreCase(address, "off")) {
    monitor.http_address.clear();
    return;
  }
  if (!IsAddress(address)) return draft.Refuse(kAddress, "allowed is host:port, as 127.0.0.1:9465, or off");
  monitor.http_address = address;
}

void MakeControl(Draft& draft, const Evidence& evidence, Control& control) {
  control.socket = draft.Text(kSocket);
  control.required = draft.Has(kSocket);
  if (!control.required) {
    const std::string_view file = evidence.file;
    control.socket = Cat(file.ends_with(".json") ? file.substr(0, file.size() - 5) : file, ".sock");
  }
  if (control.socket.size() <= kSocketPathMax) return;
  if (control.required)
    return draft.Refuse(kSocket, Cat("the path of a Unix socket has at most ", kSocketPathMax, " bytes"));
  control.socket.clear();
}

}  // namespace postrider::config
