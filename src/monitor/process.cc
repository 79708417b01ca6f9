#include "monitor/process.h"

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "kafka/version.h"

namespace postrider::monitor {
namespace {

std::string Contents(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The number after `name` in /proc/stat.
std::optional<double> BootedUnixS() {
  std::ifstream file("/proc/stat");
  std::string word;
  double value = 0;
  while (file >> word) {
    if (word == "btime" && file >> value) return value;
  }
  return std::nullopt;
}

std::optional<double> OpenFds() {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return std::nullopt;
  int entries = 0;
  while (readdir(folder) != nullptr) ++entries;
  closedir(folder);
  return entries - 3;  // . and .. and the folder's own
}

}  // namespace

ProcessFacts ReadProcessFacts() {
  ProcessFacts facts{.version = POSTRIDER_VERSION, .librdkafka = kafka::LibraryVersion()};
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    facts.cpu_s = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                  static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
  }
  // The name of the program stands in parentheses and may hold blanks.
  // https://man7.org/linux/man-pages/man5/proc.5.html
  const std::string stat = Contents("/proc/self/stat");
  const std::vector<std::string> fields = absl::StrSplit(stat.substr(stat.rfind(')') + 1), ' ', absl::SkipEmpty());
  int64_t start_ticks = 0, resident_pages = 0;
  if (fields.size() > 21 && absl::SimpleAtoi(fields[19], &start_ticks) &&
      absl::SimpleAtoi(fields[21], &resident_pages)) {
    facts.resident_bytes = static_cast<double>(resident_pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
    if (const auto booted = BootedUnixS())
      facts.started_unix_s = *booted + static_cast<double>(start_ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }
  facts.open_fds = OpenFds();
  return facts;
}

}  // namespace postrider::monitor
