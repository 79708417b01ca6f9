// The evidence record in a topic of Kafka (postrider.state.topic), for relays on several hosts: key = the slot's name,
// value = the same JSON as in the file.
//
// A relay reads the topic to its end when it begins to read a slot, also when it takes over from another, and looks
// before each write whether another one has written since. Tested by tests/unit/kafka/topic_place_test.cc.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "config/config.h"
#include "evidence/place.h"

namespace postrider::kafka {

// `timeout`: how long one Read() or Write() may take; then the broker counts as away.
std::unique_ptr<evidence::Place> MakeTopicPlace(const config::Producer& config, std::string topic, std::string slot,
                                                std::chrono::milliseconds timeout = std::chrono::seconds(5));

}  // namespace postrider::kafka
