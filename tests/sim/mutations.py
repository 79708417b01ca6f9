"""Faults to plant in src/relay, one at a time: each is a mistake that somebody else's relay was shipped with, or that is easily made here.

An edit is (file, text as it stands there exactly once, text that replaces it). When the code moves on, the edit moves with it.
"""
from typing import NamedTuple


class Mutation(NamedTuple):
    name: str
    edits: tuple
    why: str = ""


MUTATIONS = (
    Mutation("confirm on receipt", (
        ("src/relay/relay.cc", "recorder_.Cover(tracker_.confirmable(), stopping_, now_us_)", "recorder_.Cover(tracker_.received(), stopping_, now_us_)"),
    )),
    Mutation("commit LSN for end LSN", (
        ("src/relay/intake.cc", "tracker_->Commit(snapshot_ ? Lsn() : commit->end_lsn);", "tracker_->Commit(snapshot_ ? Lsn() : commit->commit_lsn);"),
    )),
    Mutation("keepalive while in flight", (
        ("src/relay/tracker.cc", "  if (entries_.empty()) {\n    confirmable_ =", "  if (!open_) {\n    confirmable_ ="),
    )),
    Mutation("highest ack for prefix", (
        ("src/relay/tracker.cc", "  EntryAt(slot.entry).acknowledged.Set(slot.ordinal);\n",
         "  EntryAt(slot.entry).acknowledged.Set(slot.ordinal);\n  confirmable_ = std::max(confirmable_, EntryAt(slot.entry).end_lsn);\n"),
    )),
    Mutation("ack of a failed report", (
        ("src/relay/publisher_recovery.cc", "  if (delivery.outcome == Outcome::kAcknowledged) {\n    const AcknowledgedRecord",
         "  if (delivery.outcome == Outcome::kAcknowledged || delivery.outcome == Outcome::kPassing) {\n    const AcknowledgedRecord"),
    )),
    Mutation("no reset of the Relation cache", (
        ("src/relay/intake.cc", "  router_->Reset();\n", ""),
        ("src/relay/intake.cc", "  if (!router_->Wants(relation)) return SetRelation(relation, nullptr);\n",
         "  if (router_->Routes(relation.oid)) return true;\n  if (!router_->Wants(relation)) return SetRelation(relation, nullptr);\n"),
    ), "Two places: the server announces each relation anew on a connection, and every announcement makes a new plan, so that a cache which is not "
       "reset does no harm by itself. It does where a known relation keeps its plan."),
    Mutation("skip set kept over a timeline change", (
        ("src/relay/relay.cc", "    tracker_.ForgetAcknowledged();\n", ""),
    )),
    Mutation("budget not returned on error", (
        ("src/relay/tracker.cc", "  outstanding_records_ = 0;\n  outstanding_bytes_ = 0;\n", "  outstanding_records_ = 0;\n"),
    )),
    Mutation("status only when data flows", (
        ("src/relay/relay.cc", "  absl::Status status = confirmer_.Step(*source_, tracker_.received(), recorded, reads_ || backlog_, now_us_);\n",
         "  absl::Status status;\n"
         "  if (reads_ || backlog_) status = confirmer_.Step(*source_, tracker_.received(), recorded, reads_ || backlog_, now_us_);\n"),
    )),
    Mutation("a report of the old producer counted for the new", (
        ("src/relay/publisher_recovery.cc", "    producer_.reset();\n    beside_.Forget();\n",
         "    old_ = std::move(producer_);\n    beside_.Forget();\n"),
        ("src/relay/publisher_recovery.cc", "    producer_->Poll(deliveries_, events_);\n",
         "    producer_->Poll(deliveries_, events_);\n    if (old_) old_->Poll(deliveries_, events_);\n"),
        ("src/relay/publisher.h", "  std::unique_ptr<kafka::Producer> producer_;\n", "  std::unique_ptr<kafka::Producer> producer_, old_;\n"),
        ("src/relay/tracker.cc", "  const auto index = static_cast<uint32_t>(tag);\n  POSTRIDER_CHECK(index < slots_.size());\n"
         "  POSTRIDER_CHECK(slots_[index].used && slots_[index].generation == tag >> 32);\n", "  const auto index = static_cast<uint32_t>(tag);\n"),
    ), "Several places: each producer has a queue of its own that dies with it, and a tag carries its slot's generation. The fault needs both gone."),
    # Not on anybody's list.
    Mutation("catalogue of an older connection", (
        ("src/relay/intake.cc", "const bool wanted = !lookup_stale_ && lookup_oid_ == relation.oid;", "const bool wanted = lookup_oid_ == relation.oid;"),
    )),
    Mutation("an altered table keeps its plan", (
        ("src/relay/intake.cc", "  if (!router_->Wants(relation)) return SetRelation(relation, nullptr);\n",
         "  if (router_->Routes(relation.oid)) return true;\n  if (!router_->Wants(relation)) return SetRelation(relation, nullptr);\n"),
    )),
    Mutation("status before the evidence", (
        ("src/relay/relay.cc", "  const Lsn recorded = recorder_.Cover(tracker_.confirmable(), stopping_, now_us_);\n",
         "  recorder_.Cover(tracker_.confirmable(), stopping_, now_us_);\n  const Lsn recorded = tracker_.confirmable();\n"),
    )),
    Mutation("a repeat sends what was acknowledged", (
        ("src/relay/publisher.cc", "  if (!tracker_->AcknowledgedBefore(place.ordinal)) return false;\n", "  if (place.ordinal < 1'000'000) return false;\n"),
    )),
    Mutation("a topic's refusal counts for the record", (
        ("src/relay/held_row.cc", "  const bool own_fault = !ConcernsTopic(code);\n", "  const bool own_fault = !code.empty();\n"),
    )),
    Mutation("a parked row is done with before its letter is", (
        ("src/relay/publisher.cc", "  if (attempt.end != Trial::kAcknowledged) return Offered::kBlocked;\n  FinishRow(place);\n",
         "  if (attempt.end == Trial::kRefused) return Offered::kBlocked;\n  FinishRow(place);\n"),
    )),
)
