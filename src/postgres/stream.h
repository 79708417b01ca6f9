// The replication stream as a Source: CopyBoth of START_REPLICATION, protocol 1, text format.
//
// Belongs to the loop's thread once made; nothing in it blocks. Whatever is buffered, in libpq or inside TLS, is handed
// over before Next() says that there is nothing, so that poll() on fd() never sleeps over a message. Tested by
// tests/unit/postgres/connector_test.cc.
#pragma once

#include <memory>

#include "postgres/connection.h"
#include "postgres/source.h"

namespace postrider::postgres {

class Stream : public Source {
 public:
  // `connection` has answered START_REPLICATION with CopyBoth.
  explicit Stream(Connection connection) : connection_(std::move(connection)) {}

  absl::StatusOr<std::optional<SourceMessage>> Next() override;
  absl::Status SendStatus(Lsn write, Lsn flush, bool reply_requested) override;
  int fd() const override { return PQsocket(connection_.raw()); }
  bool wants_write() const override { return wants_write_; }
  absl::Status Flush() override;
  size_t WaitingBytes() const override { return connection_.WaitingBytes(); }
  bool is_snapshot() const override { return false; }

 private:
  // The next CopyData out of libpq's buffer; nullopt when none is whole. At the stream's end: its fault.
  absl::StatusOr<std::optional<SourceMessage>> Take();
  // Why the stream ended, as soon as the server's last word is there.
  absl::StatusOr<std::optional<SourceMessage>> End();
  absl::Status Broken() const;

  Connection connection_;
  std::unique_ptr<char, void (*)(void*)> buffer_{nullptr, PQfreemem};  // of the last message
  bool wants_write_ = false;
  bool ended_ = false;
};

}  // namespace postrider::postgres
