// One librdkafka producer, seen from the loop. READ THIS FIRST in kafka/.
//
// Idempotent, acks=all, never times out a record, Java's murmur2 partitioning. Belongs to the loop's thread; no call
// blocks. Every accepted record gets exactly one Delivery. An error that ends a producer is answered by a new one,
// never by sending a record again. Tests and the simulation implement it with a broker of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/record.h"
#include "base/wakeup.h"
#include "config/config.h"

namespace postrider::kafka {

class Statistics;

// The answer to one Produce or CheckTopic.
struct Acceptance {
  enum class Kind {
    kAccepted,  // handed over (or, for CheckTopic: could be)
    // Not yet: the topic is being looked up or made, librdkafka's queue is full, or the topic takes so small batches
    // that its records in flight must go first. Ask again when rung, and after 100 ms: look-ups are paced by these
    // calls.
    kWait,
    // The broker will not take it as things are. Ask again with backoff; it is looked up anew each time that the last
    // look is older than a second.
    kHeld,
    kBroken,  // this producer is finished (fatal error): purge, drain, make another
  };
  Kind kind = Kind::kAccepted;
  // Of kHeld. Stable: unknown_topic, topic_authorization, topic_creation, invalid_topic, record_too_large,
  // unknown_partition, invalid_timestamp.
  std::string code;
  std::string reason;  // one sentence that names topic, limit and what to do; never the payload
};

// The end of one record that was accepted.
//
// With the gapless guarantee the first lasting error is fatal for the producer, and librdkafka drops what waits behind
// it: an event kFatal and deliveries kPurged may come before or after the delivery that tells the cause, but all of
// them before outstanding() is 0. The cause is the first outcome that is neither kAcknowledged nor kPurged.
struct Delivery {
  enum class Outcome {
    kAcknowledged,
    kPurged,   // dropped, by Purge() or with another record: not written, or perhaps written
    kPassing,  // a fault that passes: repeat from the confirmed position with a new producer
    kTopic,    // lasting for the topic (gone, no right): held until it is there
    kBatch,    // a batch was refused as a whole (too large): one pass with one record a batch finds the guilty one
    kRecord,   // lasting for this record
    kFatal,    // the idempotent producer gave up
  };
  uint64_t tag = 0;
  Outcome outcome = Outcome::kAcknowledged;
  const char* code = "";    // librdkafka's name of the error; static
  const char* topic = "";   // set for every outcome but kAcknowledged; lives as long as the producer
  size_t record_bytes = 0;  // likewise; for CheckTopic
};

// What a producer has to say beside deliveries.
struct ProducerEvent {
  enum class Kind {
    kRefused,    // login, TLS or cluster ACL refused: lasting before the first kConnected, passing after
    kAllDown,    // no broker can be reached; `text` has the last attempt's error
    kConnected,  // a broker answered, and did not refuse the producer id
    kFatal,      // see Acceptance::kBroken
  };
  Kind kind;
  std::string text;  // one sentence, no secret
};

class Producer {
 public:
  virtual ~Producer() = default;  // never blocks: what librdkafka still has to do is done on a thread of its own

  // Takes a copy of the record. The topic is looked up, and made where topic.creation.* says so, at first sight. A
  // timestamp of 0 is sent as 1 (librdkafka takes 0 for "now"); a negative one is held, as Java's producer refuses it.
  virtual Acceptance Produce(const Record& record, uint64_t tag) = 0;
  // Whether a record of this size (Delivery::record_bytes; 0: of any) could be produced to this topic now; produces
  // nothing.
  virtual Acceptance CheckTopic(std::string_view topic, size_t record_bytes, std::optional<int32_t> partition) = 0;

  // Appends what came since the last call; nothing is left behind. Serves librdkafka's queue: also logs and
  // topic answers.
  virtual void Poll(std::vector<Delivery>& deliveries, std::vector<ProducerEvent>& events) = 0;

  // No record is accepted from now on; all that were are reported by later polls, the unwritten as kPurged.
  virtual void Purge() = 0;
  virtual size_t outstanding() const = 0;
};

struct ProducerSettings {
  bool single_record_batches = false;  // to find the one record that a broker refuses
};

// Outlives its producers. Its end waits up to two seconds for the clients that are still being closed.
class ProducerFactory {
 public:
  virtual ~ProducerFactory() = default;
  // A fault kConfiguration for a property that librdkafka refuses, naming the key. Connects in the background.
  virtual absl::StatusOr<std::unique_ptr<Producer>> Make(const ProducerSettings& settings) = 0;
};

// Producers that ring `wakeup` (which outlives them) whenever Poll has something to give. Reads secrets and stores: may
// block for a moment, so it is called at start and, after a fault, from the loop only when reading them is local.
// `statistics` (kafka/statistics.h), where given, outlives them too and has the latest document of librdkafka's.
std::unique_ptr<ProducerFactory> MakeProducerFactory(const config::Producer& config, const Wakeup* wakeup,
                                                     Statistics* statistics = nullptr);

}  // namespace postrider::kafka
