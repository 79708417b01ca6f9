#include "relay/unsendable.h"

#include "absl/strings/str_cat.h"
#include "base/text.h"
#include "postgres/errors.h"

namespace postrider::relay {
namespace {

constexpr int kTimes = 3;

}  // namespace

void UnsendableRow::StreamEnded(const absl::Status& status, Lsn commit_lsn, uint32_t rows) {
  const std::string lsn = postgres::StreamLsnOf(status);
  if (lsn.empty()) return Passed();
  const std::string error = absl::StrCat(postgres::SqlstateOf(status), " at ", lsn);
  times_ = error == error_ ? times_ + 1 : 1;
  error_ = error;
  if (times_ < kTimes) return;
  Unsendable found{
      .reason = absl::StrCat("the server cannot send the row whose change is at ", lsn, ": ", View(MessageOf(status))),
      .advance_sql = "",
      .loses = ""};
  if (commit_lsn.value() > 0) {
    found.advance_sql = absl::StrCat("SELECT pg_replication_slot_advance('", slot_, "', '",
                                     Lsn(commit_lsn.value() + 1).ToString(), "')");
    found.loses = absl::StrCat("every row of the transaction that commits at ", commit_lsn.ToString(), ", ", rows,
                               " of which came before the one that cannot be sent");
  } else {
    found.advance_sql = absl::StrCat("SELECT pg_replication_slot_advance('", slot_, "', LSN)");
    found.loses = absl::StrCat("every transaction that commits before LSN; the one to go over began before ", lsn,
                               ", and pg_waldump shows the end of its commit record, which is the LSN to give");
  }
  found_ = std::move(found);
}

void UnsendableRow::Passed() {
  times_ = 0;
  error_.clear();
  found_.reset();
}

}  // namespace postrider::relay
