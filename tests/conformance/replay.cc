#include "replay.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_replace.h"
#include "base/text.h"
#include "config/load.h"
#include "decoder/decoder.h"
#include "router/router.h"

namespace postrider::conformance {
namespace {

using decoder::Insert;
using decoder::Relation;
using decoder::Update;

absl::StatusOr<config::Config> LoadConfig(const RecordedCase& recorded) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("replay-" + recorded.name + ".properties");
  {
    std::ofstream file(path);
    for (const auto& [key, value] : recorded.config) {
      file << key << '=' << absl::StrReplaceAll(value, {{"\\", "\\\\"}}) << '\n';
    }
  }
  absl::StatusOr<config::Loaded> loaded = config::Load({.files = {path.string()}});
  std::filesystem::remove(path);
  if (!loaded.ok()) return loaded.status();
  return loaded->config;
}

Bytes Copied(std::optional<std::string_view> bytes) {
  return bytes ? Bytes(std::string(*bytes)) : std::nullopt;
}

RecordedRecord Copied(const Record& record) {
  RecordedRecord copy{.topic = std::string(record.topic),
                      .partition = record.partition,
                      .key = Copied(record.key),
                      .value = Copied(record.value),
                      .timestamp_ms = record.timestamp_ms};
  for (const Header& header : record.headers) copy.headers.emplace_back(header.key, Copied(header.value));
  return copy;
}

class Run {
 public:
  Run(const config::Config& config, router::Router& router, Replayed& result)
      : config_(config), router_(router), result_(result) {}

  void Feed(const std::vector<CapturedMessage>& messages) {
    for (const CapturedMessage& message : messages) {
      if (result_.stopped) return;
      const absl::Status status = Feed(message);
      if (!status.ok()) Stop(MessageOf(status));
    }
  }

 private:
  void Stop(std::string_view reason) {
    result_.stopped = true;
    result_.reason = std::string(reason);
  }

  absl::Status Feed(const CapturedMessage& captured) {
    const absl::StatusOr<decoder::Message> message = decoder_.Decode(captured.data);
    if (!message.ok()) return message.status();
    if (const auto* relation = std::get_if<Relation>(&*message)) {
      return router_.SetRelation(*relation, captured.table ? &*captured.table : nullptr);
    }
    if (const auto* insert = std::get_if<Insert>(&*message)) return Route(*insert);
    // As the relay does: an update is never an event.
    const bool fatal = config_.router.invalid_operation == config::InvalidOperation::kFatal;
    if (fatal && std::holds_alternative<Update>(*message)) Stop("an update of an outbox row");
    return absl::OkStatus();
  }

  absl::Status Route(const Insert& insert) {
    const absl::StatusOr<router::Routed> routed = router_.Insert(insert, kNowMs);
    if (!routed.ok()) return routed.status();
    if (routed->kind == router::Routed::Kind::kRecord) result_.records.push_back(Copied(routed->record));
    if (routed->kind == router::Routed::Kind::kHeld) Stop(routed->reason);
    return absl::OkStatus();
  }

  const config::Config& config_;
  router::Router& router_;
  Replayed& result_;
  decoder::Decoder decoder_;
};

}  // namespace

Replayed Replay(const RecordedCase& recorded, const Capture& capture) {
  Replayed result;
  const absl::StatusOr<config::Config> config = LoadConfig(recorded);
  if (!config.ok()) return {.stopped = true, .reason = std::string(MessageOf(config.status()))};
  const absl::StatusOr<std::unique_ptr<router::Router>> router = router::Router::Make(*config);
  if (!router.ok()) return {.stopped = true, .reason = std::string(MessageOf(router.status()))};

  Run run(*config, **router, result);
  // Rows that were there before the start came out of the snapshot.
  if (config->snapshot.mode != config::SnapshotMode::kNoData) run.Feed(capture.setup);
  run.Feed(capture.sql);
  return result;
}

}  // namespace postrider::conformance
