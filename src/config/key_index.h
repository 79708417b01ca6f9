// From a key as written to its row of the table, given the aliases that the settings themselves define.
//
// `transforms.outbox.route.by.field` is a key of the EventRouter only if `transforms` lists outbox and its type is the
// EventRouter. The index reads those few settings once; it is immutable after. Used at start, one thread. Tested by
// tests/unit/config/key_index_test.cc.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/keys.h"
#include "config/settings.h"

namespace postrider::config {

class KeyIndex {
 public:
  explicit KeyIndex(const Settings& settings);

  struct Match {
    const KeySpec* spec = nullptr;  // null: unknown
    std::string prefix;             // what stands before the row's name: "transforms.outbox."
    std::string name;               // the rest of the key
  };
  Match Find(std::string_view key) const;

  // The known key that an unknown one may have meant.
  std::optional<std::string> Suggest(std::string_view key) const;

  // Every key without a wildcard that could be written, with the aliases in place.
  std::vector<std::string> ConcreteKeys() const;

 private:
  // One place where keys of some scopes stand.
  struct Place {
    std::string prefix;
    std::vector<Scope> scopes;
    bool foreign = false;  // of a class that is refused: its other keys belong to that class
  };
  const KeySpec* FindIn(Scope scope, std::string_view name) const;
  const Place* PlaceOf(std::string_view key) const;

  std::vector<Place> places_;                                 // longest prefix first
  std::map<std::string, const KeySpec*, std::less<>> exact_;  // by scope and name
  std::vector<const KeySpec*> wildcards_;                     // longest name first
};

// True for the names that the producer's scope lends to the top: security.*, sasl.*, ssl.*
bool IsSecurityName(std::string_view name);

}  // namespace postrider::config
