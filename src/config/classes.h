// The Java classes that a configuration may name, and what becomes of each here.
//
// A class is named in full, or by the short names that Connect itself allows where only one plugin has them: the last
// part
// ("JsonConverter"), or that without its kind at the end ("Json"). Tables, any thread. Part of COMPATIBILITY.md.
// Tested by tests/unit/config/classes_test.cc.
#pragma once

#include <string_view>
#include <vector>

#include "config/config.h"
#include "config/keys.h"

namespace postrider::config {

enum class ClassKind { kConnector, kConverter, kTransform, kPredicate, kPartitioner };

struct ClassSpec {
  ClassKind kind;
  std::string_view name;
  KeyOutcome outcome;
  std::string_view note;  // kRefused: what to use instead, as the end of a sentence
};

const std::vector<ClassSpec>& Classes();

// The class as named; null where it is none of them.
const ClassSpec* FindClass(ClassKind kind, std::string_view name);

// The note of partitioners that look at no key.
inline constexpr std::string_view kKeyDoesNotCount = "the key does not count";

inline constexpr std::string_view kEventRouterClass = "io.debezium.transforms.outbox.EventRouter";

// What a converter's class is here; for classes of kind kConverter that are honoured.
ConverterKind ConverterKindOf(const ClassSpec& converter);
// The same for predicates, and for transforms other than the EventRouter.
Predicate::Kind PredicateKindOf(const ClassSpec& predicate);
Transform::Kind TransformKindOf(const ClassSpec& transform);

}  // namespace postrider::config
