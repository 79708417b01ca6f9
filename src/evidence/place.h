// Where one evidence record lies: a file, or a topic of Kafka (kafka/topic_place.h). The store (store.h) writes it
// behind the loop's back.
//
// Blocking; Read() may be called from two threads at once, Write() from one. `stop`, once rung, ends whatever waits.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "base/wakeup.h"
#include "evidence/record.h"

namespace postrider::evidence {

class Place {
 public:
  virtual ~Place() = default;

  // Before the first Write(): InvalidArgument, or a fault of its own, where no record can be kept here.
  virtual absl::Status Open() = 0;

  // nullopt where there is none. InvalidArgument for what cannot be read or understood; Unavailable where the place
  // cannot be reached now, which passes.
  virtual absl::StatusOr<std::optional<Record>> Read(const Wakeup& stop) = 0;

  // Unavailable: passes, and is to be tried again. Any other error is not worth waiting for.
  virtual absl::Status Write(const Record& record, const Wakeup& stop) = 0;

  // For sentences: "the file /var/lib/postrider/debezium.json".
  virtual std::string name() const = 0;
};

// A file of its own for each slot, written in place (a full disk does not matter then) and synced. Its folder must
// exist. Tested by tests/unit/evidence/file_place_test.cc.
std::unique_ptr<Place> MakeFilePlace(std::string path);

// Marks the record: another program reads the slot from now on. False where there is none. For a command of its own,
// while no relay runs; blocks.
absl::StatusOr<bool> MarkHandedBack(Place& place);

}  // namespace postrider::evidence
