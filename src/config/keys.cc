#include "config/keys.h"

#include "config/key_table.h"
#include "config/text.h"

namespace postrider::config {

const std::vector<KeySpec>& Keys() {
  static const std::vector<KeySpec>* const keys = [] {
    auto* table = new std::vector<KeySpec>;
    AddConnectorKeys(*table);
    AddRecordKeys(*table);
    AddConnectKeys(*table);
    AddProducerKeys(*table);
    AddOwnKeys(*table);
    return table;
  }();
  return *keys;
}

std::string DocumentedKey(const KeySpec& spec) {
  switch (spec.scope) {
    case Scope::kTop:
      return spec.name;
    case Scope::kTransform:
    case Scope::kEventRouter:
    case Scope::kRegexRouter:
    case Scope::kInsertHeader:
    case Scope::kDropHeaders:
      return Cat("transforms.<alias>.", spec.name);
    case Scope::kPredicate:
    case Scope::kTopicNameMatches:
    case Scope::kHasHeaderKey:
      return Cat("predicates.<alias>.", spec.name);
    case Scope::kConverter:
      return Cat("<key|value|header>.converter.", spec.name);
    case Scope::kProducer:
      return Cat("producer.override.", spec.name);
    case Scope::kTopicCreation:
      return Cat("topic.creation.<group>.", spec.name);
    case Scope::kConfigProvider:
      return Cat("config.providers.<alias>.", spec.name);
  }
  return spec.name;
}

}  // namespace postrider::config
