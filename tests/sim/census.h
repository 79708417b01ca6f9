// How often each fault and each state occurred, over all simulated lives. A fault that never happens proves nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace postrider::sim {

class Census {
 public:
  void Count(std::string_view group, std::string_view name, uint64_t by = 1) {
    counts_[std::string(group)][std::string(name)] += by;
  }
  // Makes a line of it even where it never happens.
  void Expect(std::string_view group, std::string_view name) { Count(group, name, 0); }
  void Add(const Census& other);

  // What occurred less often than this, as one sentence; empty when all of it is there.
  std::string RarerThan(uint64_t least) const;
  std::string Table() const;

  // Between processes: a line for each count.
  std::string Lines() const;
  static Census FromLines(std::string_view lines);

 private:
  std::map<std::string, std::map<std::string, uint64_t>> counts_;
};

}  // namespace postrider::sim
