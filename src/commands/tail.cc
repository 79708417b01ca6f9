// postrider tail: what would be published, as it happens. No broker, and a slot of its own that goes with it.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/record_text.h"
#include "commands/start.h"
#include "decoder/decoder.h"
#include "postgres/tap.h"
#include "router/router.h"

namespace postrider::commands {
namespace {

constexpr size_t kUnwrittenMax = 1024 * 1024;  // a reader that is slower: nothing more is read until it has caught up
constexpr int64_t kRetainedMax = 256 * 1024 * 1024;
constexpr int kTickMs = 1'000;
constexpr size_t kPipeBytes = 4'096;  // what a pipe that is writable takes without blocking

class Tailer {
 public:
  Tailer(postgres::Tap& tap, router::Router& router, bool json) : tap_(tap), router_(router), json_(json) {}

  // Until the stream ends, the reader of the output is gone, or the slot holds too much.
  absl::Status Run() {
    for (auto tick = std::chrono::steady_clock::now();;) {
      if (absl::Status status = Read(); !status.ok()) return status;
      pollfd waits[2] = {{.fd = unwritten() < kUnwrittenMax ? tap_.source().fd() : -1, .events = POLLIN, .revents = 0},
                         {.fd = out_.empty() ? -1 : STDOUT_FILENO, .events = POLLOUT, .revents = 0}};
      poll(waits, 2, kTickMs);
      if (waits[1].revents != 0 && !Write()) return absl::OkStatus();
      if (std::chrono::steady_clock::now() < tick) continue;
      tick = std::chrono::steady_clock::now() + std::chrono::milliseconds(kTickMs);
      if (absl::Status status = Tick(); !status.ok()) return status;
    }
  }

 private:
  absl::Status Read() {
    while (unwritten() < kUnwrittenMax) {
      auto message = tap_.source().Next();
      if (!message.ok()) return message.status();
      if (!message->has_value()) return absl::OkStatus();
      if (const auto* keepalive = std::get_if<postgres::Keepalive>(&**message)) {
        received_ = std::max(received_, keepalive->end_lsn);
      } else if (const auto* data = std::get_if<postgres::WalData>(&**message)) {
        if (absl::Status status = Take(data->message); !status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status Take(std::string_view bytes) {
    const auto message = decoder_.Decode(bytes);
    if (!message.ok()) return message.status();
    if (const auto* commit = std::get_if<decoder::Commit>(&*message)) received_ = commit->end_lsn;
    if (const auto* relation = std::get_if<decoder::Relation>(&*message)) return TakeRelation(*relation);
    if (const auto* insert = std::get_if<decoder::Insert>(&*message)) return TakeInsert(*insert);
    return absl::OkStatus();
  }

  absl::Status TakeRelation(const decoder::Relation& relation) {
    if (!router_.Wants(relation)) return router_.SetRelation(relation, nullptr);
    const auto table = tap_.ReadTable(relation.oid);
    if (!table.ok() && !absl::IsNotFound(table.status())) return table.status();
    return router_.SetRelation(relation, table.ok() ? &*table : nullptr);
  }

  absl::Status TakeInsert(const decoder::Insert& insert) {
    const auto routed = router_.Insert(insert, SystemClock().UnixMillis());
    if (!routed.ok()) return routed.status();
    if (routed->kind == router::Routed::Kind::kRecord)
      out_ += json_ ? RecordAsJson(routed->record) : RecordAsText(routed->record);
    if (routed->kind == router::Routed::Kind::kHeld)
      std::cerr << "postrider: the event " << routed->record.id << " would be held: " << routed->reason << "\n";
    return absl::OkStatus();
  }

  size_t unwritten() const { return out_.size() - written_; }

  // False when nobody reads any more.
  bool Write() {
    const ssize_t written = write(STDOUT_FILENO, out_.data() + written_, std::min(unwritten(), kPipeBytes));
    if (written < 0) return false;
    written_ += static_cast<size_t>(written);
    if (unwritten() > 0) return true;
    out_.clear();
    written_ = 0;
    return true;
  }

  absl::Status Tick() {
    if (out_.empty()) shown_ = received_;
    if (absl::Status status = tap_.source().SendStatus(received_, shown_, false); !status.ok()) return status;
    const auto retained = tap_.RetainedBytes();
    if (!retained.ok()) return retained.status();
    if (*retained <= kRetainedMax) return absl::OkStatus();
    return MakeFault(Fault::kInternal,
                     absl::StrCat("the temporary slot ", tap_.slot(), " held back ", *retained >> 20,
                                  " MB of WAL, more than the 256 that tail may: it is given up. The output is read too "
                                  "slowly, or a transaction is open for long"));
  }

  postgres::Tap& tap_;
  router::Router& router_;
  const bool json_;
  decoder::Decoder decoder_;
  std::string out_;
  size_t written_ = 0;  // so much of it
  Lsn received_;        // the end of the last whole transaction
  Lsn shown_;           // all before it is written
};

}  // namespace

int Tail(const cli::Arguments& arguments) {
  const auto loaded = config::Load(SourcesOf(arguments));
  if (!loaded.ok()) return Refuse(loaded.status());
  auto router = router::Router::Make(loaded->config);
  if (!router.ok()) return Refuse(router.status());
  const Wakeup never;
  const auto tap = postgres::Tap::Open(loaded->config, &never);
  if (!tap.ok()) return Refuse(tap.status());
  std::cerr << "postrider: looking on through the temporary slot " << (*tap)->slot() << "; Ctrl-C ends it\n";
  const absl::Status ended = Tailer(**tap, **router, arguments.Has("--json")).Run();
  return ended.ok() ? 0 : Refuse(ended);
}

}  // namespace postrider::commands
