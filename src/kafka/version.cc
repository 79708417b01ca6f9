#include "kafka/version.h"

#include <librdkafka/rdkafka.h>

namespace postrider::kafka {

std::string LibraryVersion() {
  return rd_kafka_version_str();
}

}  // namespace postrider::kafka
