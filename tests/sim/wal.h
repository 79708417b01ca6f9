// The write-ahead log that the simulated applications write: transactions of all databases, in the order of their
// commit records.
//
// Positions are multiples of 128 in every transaction, so that after a failover, which cuts the log, other transactions
// take the very positions of those that vanished.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "decoder/lsn.h"
#include "sim/random.h"
#include "unit/relay/wal_bytes.h"

namespace postrider::sim {

inline constexpr int kTopics = 3;
inline constexpr int kKeys = 12;
inline constexpr int kPartitionsPerTopic = 2;
inline constexpr std::string_view kDeadLetterTopic = "dead0";  // lies where topic 0 does
inline constexpr size_t kLargeBytes = 20'000;                  // above the byte budget of most lives

enum class RowKind {
  kEvent,
  kLarge,       // more than the byte budget by itself
  kPoison,      // the broker refuses it as long as it is set against it
  kUnroutable,  // the router cannot route it
  kIgnored,     // no event
  kUpdate,      // not an insert
};

struct Row {
  uint64_t id = 0;
  int key = 0;
  int table = 0;  // index into the captured tables
  RowKind kind = RowKind::kEvent;
  // Reaches Kafka, unless it was skipped by order.
  bool is_event() const { return kind != RowKind::kIgnored && kind != RowKind::kUpdate; }
  std::string topic() const { return "topic" + std::to_string(key % kTopics); }
  int partition() const { return key % kTopics * kPartitionsPerTopic + key / kTopics % kPartitionsPerTopic; }
};

struct Transaction {
  Lsn begin_lsn;   // of its first record
  Lsn commit_lsn;  // start of the commit record
  Lsn end_lsn;
  bool ours = true;  // false: another database, or tables that are not published
  std::vector<Row> rows;
};

// What a life's transactions may hold.
struct WalTraits {
  bool unroutable_rows = false;
  bool poison_rows = false;
  int rows_max = 6;
  int large_percent = 1;
};

class Wal {
 public:
  Wal(const WalTraits& traits, Random* random) : traits_(traits), random_(random) {}

  // Appends a transaction of this database.
  const Transaction& Commit();
  // Records of others: the position moves, and there is nothing for us.
  void WriteElsewhere();
  // A failover: what begins at or after `cut` has never been. The rows that vanish with it.
  std::vector<Row> Cut(Lsn cut);

  const std::vector<Transaction>& transactions() const { return transactions_; }
  Lsn end() const { return end_; }
  // The index of the first transaction whose commit record starts at or after `lsn`.
  size_t FirstFrom(Lsn lsn) const;

 private:
  Row MakeRow();

  const WalTraits traits_;
  Random* const random_;
  std::vector<Transaction> transactions_;
  Lsn end_{0x1000};
  uint64_t next_id_ = 1;
};

relay::OutboxRow BytesOf(const Row& row);
// The id of a row out of the id of its record.
uint64_t IdOf(std::string_view record_id);

}  // namespace postrider::sim
