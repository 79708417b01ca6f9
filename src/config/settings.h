// What was read, before anything is made of it: key -> text, with where the text came from.
//
// Filled in the order of precedence (files as given, environment, --set): Put lets the last writer win. Used at start,
// one thread. Tested by tests/unit/config/settings_test.cc.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace postrider::config {

struct Origin {
  enum class Kind { kFile, kEnvironment, kSet };
  Kind kind = Kind::kFile;
  int file = -1;     // kFile: the place in the command line, from 0
  int line = 0;      // kFile: from 1; 0: implied by the file's form
  std::string name;  // the file as given, or the variable

  // "connector.properties:12", "standard input:3", "environment POSTRIDER_SLOT_NAME", "--set"
  std::string ToString() const;
};

struct Setting {
  std::string key;
  std::string raw;    // as written, placeholders unresolved
  std::string value;  // placeholders resolved; until then, as raw
  Origin origin;
  std::string written_as;    // the key in the file where the file's form has another name for it, else empty
  bool server_form = false;  // from a Debezium Server file, whose placeholders differ
  bool has_placeholder = false;
  bool refused = false;  // a problem was found with it: readers take the default instead

  // The key as the user knows it.
  const std::string& name() const { return written_as.empty() ? key : written_as; }
};

class Settings {
 public:
  // Replaces an earlier setting of the same key; the place in all() stays the first one's.
  void Put(Setting setting);
  const Setting* Find(std::string_view key) const;
  Setting* Find(std::string_view key);

  // In the order of first appearance. A deque: pointers stay good while settings are added.
  const std::deque<Setting>& all() const { return settings_; }
  std::deque<Setting>& all() { return settings_; }

 private:
  std::deque<Setting> settings_;
  std::map<std::string, size_t, std::less<>> index_;
};

}  // namespace postrider::config
