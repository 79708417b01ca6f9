// Debezium's name for a table's own topic: <topic.prefix>.<schema>.<table>. Nothing is published there; predicates
// match it and the schemas of envelopes are named after it. Source: SchemaTopicNamingStrategy. Pure. Tested by
// tests/unit/router/naming_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace postrider::router {

// Characters that a topic cannot have become '_' (one for each UTF-16 unit); cut off after 249.
std::string TableTopic(std::string_view prefix, std::string_view schema, std::string_view table);

}  // namespace postrider::router
