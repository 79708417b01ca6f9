// The version of the librdkafka that is linked, e.g. "2.15.1".
#pragma once

#include <string>

namespace postrider::kafka {

std::string LibraryVersion();

}  // namespace postrider::kafka
