#include "postgres/stream.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "postgres/quote.h"
#include "postgres/stream_wire.h"

namespace postrider::postgres {
namespace {

int64_t UnixMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

absl::StatusOr<std::optional<SourceMessage>> Stream::Next() {
  while (true) {
    absl::StatusOr<std::optional<SourceMessage>> message = Take();
    if (!message.ok() || message->has_value()) return message;
    if (PQconsumeInput(connection_.raw()) == 0) return Broken();
    message = Take();
    if (!message.ok() || message->has_value() || connection_.TlsPendingBytes() == 0) return message;
  }
}

absl::StatusOr<std::optional<SourceMessage>> Stream::Take() {
  if (ended_) return End();
  char* bytes = nullptr;
  const int size = PQgetCopyData(connection_.raw(), &bytes, 1);
  buffer_.reset(bytes);
  // Before the message: the warning came earlier, and from then on rows are missing.
  if (connection_.skipped_publication()) return PublicationTooYoung(connection_.target(), "");
  if (size == 0) return std::optional<SourceMessage>();
  if (size == -1) {
    ended_ = true;
    return End();
  }
  if (size < 0) return Broken();
  absl::StatusOr<SourceMessage> message = ParseCopyData({bytes, static_cast<size_t>(size)});
  if (!message.ok()) return message.status();
  return *message;
}

absl::StatusOr<std::optional<SourceMessage>> Stream::End() {
  if (PQisBusy(connection_.raw()) != 0) return std::optional<SourceMessage>();
  const Result result(PQgetResult(connection_.raw()));
  if (result.status() == PGRES_FATAL_ERROR) return StreamFault(connection_.target(), result.Error());
  return MakeFault(Fault::kPassing,
                   absl::StrCat("the server at ", connection_.target().address, " ended the stream: it is stopping"));
}

absl::Status Stream::SendStatus(Lsn write, Lsn flush, bool reply_requested) {
  const auto status = EncodeStatus(write, flush, UnixMicros(), reply_requested);
  if (PQputCopyData(connection_.raw(), status.data(), static_cast<int>(status.size())) != 1) return Broken();
  return Flush();
}

absl::Status Stream::Flush() {
  const int unsent = PQflush(connection_.raw());
  if (unsent < 0) return Broken();
  wants_write_ = unsent > 0;
  return absl::OkStatus();
}

absl::Status Stream::Broken() const {
  return StreamFault(connection_.target(),
                     {.sqlstate = "", .message = PQerrorMessage(connection_.raw()), .context = ""});
}

}  // namespace postrider::postgres
